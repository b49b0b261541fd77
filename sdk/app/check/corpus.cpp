#include "sdk/app/check/corpus.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sdk/app/check/context.hpp"
#include "sdk/app/check/findings.hpp"
#include "sdk/app/check/model_cases.hpp"
#include "sdk/app/check/random_graph/forms.hpp"
#include "sdk/app/check/random_graph/random_graph.hpp"
#include "sdk/codegen/partition/match.hpp"
#include "sdk/codegen/partition/partition.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc::check {
namespace {

// Claims whatever there is, so that graphs have nodes of all kinds.
class Everything final : public codegen::Codegen {
 public:
  std::string_view id() const override { return "everything"; }
  std::string_view version() const override { return "1"; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec&) override {
    codegen::Verdict yes;
    yes.claimed = true;
    return std::vector<codegen::Verdict>(model.nodes.size(), yes);
  }
  bool compile(const codegen::Request&, codegen::Host&) override { return false; }
};

constexpr std::uint64_t kTries = 12;     // for each graph of an operator that is wanted
constexpr std::size_t kMatchTries = 20;  // graphs are cheap, and few of them happen to match

bool has_control(const ir::Graph& graph) {
  return !graph.states.empty() || std::any_of(graph.nodes.begin(), graph.nodes.end(), ir::is_control);
}

std::string operator_name(const ir::Node& n) { return n.domain.empty() ? n.op : n.domain + "." + n.op; }

// Every value of the graph that a run on the case's inputs has.
std::map<ir::ValueId, evaluate::Tensor> values_of(const Case& one) {
  std::map<ir::ValueId, evaluate::Tensor> out;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) out[one.graph.inputs[i]] = one.inputs[i];
  Diagnostics diags;
  (void)evaluate::run(one.graph, one.inputs, diags, [&](ir::ValueId v, const evaluate::Tensor& t) { out[v] = t; });
  return out;
}

// A graph of one node of `from`: what others computed for it there is an input with the elements of that run.
RandomGraph alone(const ir::Graph& from, ir::Node node, const std::map<ir::ValueId, evaluate::Tensor>& values) {
  RandomGraph out;
  out.graph.name = from.name;
  out.graph.requant = from.requant;
  std::map<ir::ValueId, ir::ValueId> own;
  const auto add = [&](ir::ValueId v) {
    const auto [at, fresh] = own.emplace(v, 0);
    if (fresh) at->second = out.graph.add_value(from.values[v]);
    return std::pair(at->second, fresh);
  };
  for (ir::ValueId& v : node.inputs) {
    if (v == ir::kNoValue) continue;
    const auto [id, fresh] = add(v);
    if (fresh && !from.is_constant(v)) {
      out.graph.inputs.push_back(id);
      out.inputs.push_back(values.at(v));
    }
    v = id;
  }
  for (ir::ValueId& v : node.outputs) {
    if (v == ir::kNoValue) continue;
    v = add(v).first;
    out.graph.outputs.push_back(v);
  }
  out.graph.add_node(std::move(node));
  return out;
}

class Maker {
 public:
  Maker(codegen::Codegen& codegen, const TargetSpec& target, const CorpusSize& size)
      : codegen_(codegen), target_(target), size_(size) {}

  Corpus run() {
    Everything everything;
    for (std::uint64_t i = 0; out_.any.size() < size_.any && i < 4 * size_.any; ++i) {
      RandomGraph g = random_graph(size_.seed + i, everything, target_);
      if (auto c = prepared("random graph, seed " + std::to_string(size_.seed + i), std::move(g))) {
        count_claims(c->graph);
        out_.any.push_back(std::move(*c));
      }
    }
    add_models();
    add_forms();
    for (const std::string& op : generated_operators()) {
      if (of_operators(op, std::vector{op}))
        out_.operators.insert(op);
      else if (!out_.operators.contains(op))
        ++out_.refused;
    }
    for (const codegen::Pattern& p : codegen_.patterns()) {
      std::vector<std::string> operators;
      for (const codegen::PatternNode& n : p.nodes)
        operators.push_back(n.domain.empty() ? n.op : n.domain + "." + n.op);
      (void)of_operators("pattern " + p.name, operators);
      add_matching("pattern " + p.name, operators);
    }
    add_unmet();
    if (out_.claimed.empty()) return std::move(out_);
    std::size_t found = 0;
    for (std::uint64_t i = 0; found < size_.graphs && i < 2 * size_.graphs; ++i) {
      const std::uint64_t seed = size_.seed + 1000 + i;
      RandomGraph g = random_graph(seed, codegen_, target_, nullptr, &out_.operators);
      if (add("random graph, seed " + std::to_string(seed), std::move(g))) ++found;
    }
    return std::move(out_);
  }

 private:
  void count_claims(const ir::Graph& graph) {
    const std::vector<codegen::Verdict> verdicts = codegen_.verdicts(plugin::make_region(graph).region, target_);
    for (std::size_t n = 0; n < std::min(verdicts.size(), graph.nodes.size()); ++n)
      if (verdicts[n].claimed) out_.coverage.add_claimed(graph, graph.nodes[n]);
  }

  // For a claimed node of a mixed graph in a form that no graph of its own has: adds that node alone, with its values
  // there.
  void add_unmet() {
    for (const Case& one : out_.any) {
      const std::vector<codegen::Verdict> verdicts = codegen_.verdicts(plugin::make_region(one.graph).region, target_);
      std::map<ir::ValueId, evaluate::Tensor> values;
      for (std::size_t n = 0; n < std::min(verdicts.size(), one.graph.nodes.size()); ++n) {
        if (!verdicts[n].claimed || !has_new_form(one.graph, one.graph.nodes[n])) continue;
        if (values.empty()) values = values_of(one);
        if (add(one.graph.nodes[n].op + " of " + one.name, alone(one.graph, one.graph.nodes[n], values)))
          out_.operators.insert(operator_name(one.graph.nodes[n]));
      }
    }
  }

  bool has_new_form(const ir::Graph& graph, const ir::Node& node) const {
    const Forms f = forms_of(graph, node);
    return std::any_of(f.forms.begin(), f.forms.end(),
                       [&](const std::string& form) { return !met_.contains({f.op, form}); });
  }

  void add_models() {
    for (const std::string& path : size_.models) {
      Diagnostics diags;
      auto cases = model_cases(path, codegen_, target_, size_.seed, diags);
      if (!cases) {
        out_.problems.push_back(path + ": " + error_text(diags));
        continue;
      }
      for (ModelCase& one : *cases)
        if (!add(one.name, std::move(one.graph)))
          out_.problems.push_back(one.name + ": is claimed, and cannot be run alone");
    }
  }

  void add_forms() {
    for (const Form& f : forms())
      if (auto g = form_graph(size_.seed, f, codegen_, target_))
        if (add(f.op + " " + f.type + ", " + f.form + ", seed " + std::to_string(size_.seed), std::move(*g)))
          out_.operators.insert(f.op);
  }

  bool of_operators(const std::string& name, const std::vector<std::string>& operators) {
    std::size_t found = 0;
    for (std::uint64_t i = 0; found < size_.shapes && i < kTries * size_.shapes; ++i) {
      if (found == 0 && i == 2 * kTries) break;  // it seems to refuse it always
      auto g = operator_graph(size_.seed + i, operators, codegen_, target_);
      if (g && add(name + ", seed " + std::to_string(size_.seed + i), std::move(*g))) ++found;
    }
    return found != 0;
  }

  // Graphs that a pattern matches, whether or not the codegen takes anything of them.
  void add_matching(const std::string& name, const std::vector<std::string>& operators) {
    Everything everything;
    std::size_t found = 0;
    for (std::uint64_t i = 0; found < size_.shapes && i < kMatchTries * size_.shapes; ++i) {
      auto g = operator_graph(size_.seed + i, operators, everything, target_);
      if (!g) continue;
      auto c = prepared(name + ", seed " + std::to_string(size_.seed + i), std::move(*g));
      if (!c) continue;
      c->matches = find_matches(plugin::make_region(c->graph).region, codegen_.patterns());
      if (c->matches.empty()) continue;
      out_.any.push_back(std::move(*c));
      ++found;
    }
  }

  std::optional<Case> prepared(const std::string& name, RandomGraph g) {
    if (g.graph.nodes.empty() || g.graph.outputs.empty() || has_control(g.graph)) return std::nullopt;
    Case c{name, std::move(g.graph), std::move(g.inputs), {}, {}};
    c.graph.name = name;
    PrepareOptions how;
    how.lift = false;
    Diagnostics diags;
    if (!prepare(c.graph, how, diags) || c.graph.nodes.empty()) return std::nullopt;
    if (c.graph.inputs.size() != c.inputs.size() || !evaluate::run(c.graph, c.inputs, diags)) return std::nullopt;
    // Every value has a name that says which it is.
    for (ir::ValueId v = 0; v < c.graph.values.size(); ++v) c.graph.values[v].name = "v" + std::to_string(v);
    return c;
  }

  bool add(const std::string& name, RandomGraph g) {
    auto c = prepared(name, std::move(g));
    if (!c) return false;
    Diagnostics diags;
    codegen::Codegen* const codegens[] = {&codegen_};
    auto placed = make_partition(c->graph, codegens, target_, {}, diags);
    if (!placed || placed->regions.empty()) return false;
    for (const PlacedRegion& r : placed->regions) c->parts.push_back({r.bound.nodes, r.bound.region.groups});
    for (const ir::Node& n : c->graph.nodes) {
      out_.coverage.add_claimed(c->graph, n);
      const Forms f = forms_of(c->graph, n);
      for (const std::string& form : f.forms) met_.insert({f.op, form});
    }
    c->matches = find_matches(plugin::make_region(c->graph).region, codegen_.patterns());
    out_.claimed.push_back(std::move(*c));
    return true;
  }

  codegen::Codegen& codegen_;
  const TargetSpec& target_;
  const CorpusSize& size_;
  Corpus out_;
  std::set<std::pair<std::string, std::string>> met_;  // operators and forms of them that `claimed` has
};

template <class T>
void put_number(Packer& out, const std::vector<T>& numbers) {
  out.number(numbers.size());
  for (const T n : numbers) out.number(n);
}

template <class T>
void take(Unpacker& in, std::vector<T>& numbers) {
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) numbers.push_back(static_cast<T>(in.number()));
}

void put_number(Packer& out, const Case& c) {
  out.text(c.name);
  out.text(ir::print(c.graph));
  for (const evaluate::Tensor& t : c.inputs) out.text({reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size()});
  out.number(c.parts.size());
  for (const Case::Part& p : c.parts) {
    put_number(out, p.nodes);
    out.number(p.groups.size());
    for (const codegen::GrantedGroup& g : p.groups) {
      out.number(g.pattern);
      put_number(out, g.nodes);
    }
  }
  out.number(c.matches.size());
  for (const codegen::Match& m : c.matches) {
    out.number(m.pattern);
    put_number(out, m.nodes);
  }
}

bool take(Unpacker& in, Case& c) {
  c.name = in.text();
  Diagnostics diags;
  auto graph = ir::parse(in.text(), c.name, diags);
  if (!graph) return false;
  c.graph = std::move(*graph);
  for (const ir::ValueId v : c.graph.inputs) {
    const std::string bytes = in.text();
    const auto* p = reinterpret_cast<const std::byte*>(bytes.data());
    c.inputs.push_back({c.graph.values[v].type, Blob::own({p, p + bytes.size()})});
  }
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) {
    Case::Part& p = c.parts.emplace_back();
    take(in, p.nodes);
    for (std::uint64_t g = in.number(); g > 0 && in.ok(); --g) {
      codegen::GrantedGroup& group = p.groups.emplace_back();
      group.pattern = static_cast<std::uint32_t>(in.number());
      take(in, group.nodes);
    }
  }
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) {
    codegen::Match& m = c.matches.emplace_back();
    m.pattern = static_cast<std::uint32_t>(in.number());
    take(in, m.nodes);
  }
  return in.ok();
}

}  // namespace

std::vector<plugin::BoundRegion> Case::bound() const {
  std::vector<plugin::BoundRegion> out;
  for (const Part& p : parts) {
    out.push_back(plugin::make_region(graph, p.nodes, "region" + std::to_string(out.size())));
    out.back().region.groups = p.groups;
  }
  return out;
}

std::vector<codegen::Region> Case::regions() const {
  std::vector<codegen::Region> out;
  for (plugin::BoundRegion& b : bound()) out.push_back(std::move(b.region));
  return out;
}

std::string Corpus::encode() const {
  Packer out;
  for (const auto* list : {&any, &claimed}) {
    out.number(list->size());
    for (const Case& c : *list) put_number(out, c);
  }
  out.number(operators.size());
  for (const std::string& op : operators) out.text(op);
  out.number(refused);
  coverage.pack(out);
  out.number(problems.size());
  for (const std::string& p : problems) out.text(p);
  return std::move(out.bytes);
}

bool Corpus::decode(std::string_view text) {
  Unpacker in(text);
  for (auto* list : {&any, &claimed})
    for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n)
      if (!take(in, list->emplace_back())) return false;
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) operators.insert(in.text());
  refused = static_cast<std::size_t>(in.number());
  coverage.unpack(in);
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) problems.push_back(in.text());
  return in.ok();
}

Corpus make_corpus(codegen::Codegen& codegen, const TargetSpec& target, const CorpusSize& size) {
  return Maker(codegen, target, size).run();
}

}  // namespace byoc::check
