// docs/operators.md, from the code: the registry, the tables of importers and of the C backend; the element types
// that the backend claims, asked of it with the nodes of the official cases and of random graphs; and how it is tested.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "backends/reference.hpp"
#include "sdk/app/check/random_graph/random_graph.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/import/import.hpp"
#include "sdk/model/import/onnx/operators.hpp"
#include "sdk/model/import/tflite/custom.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/conformance/case_list.hpp"
#include "tests/support/onnx_cases.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc::test {
namespace {

using check::GraphCoverage;

constexpr std::uint64_t kGraphs = 700;
constexpr std::size_t kNodesAsked = 12;  // of one operator; more rarely bring another type
constexpr std::uint64_t kGraphsOfEach = 40;

const DType kTypes[] = {DType::f32,        DType::f16,    DType::bf16,     DType::f64,        DType::i8,
                        DType::u8,         DType::i16,    DType::u16,      DType::i32,        DType::u32,
                        DType::i64,        DType::u64,    DType::boolean,  DType::i4,         DType::u4,
                        DType::i2,         DType::u2,     DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2,
                        DType::f8e5m2fnuz, DType::f8e8m0, DType::f4e2m1};

struct Row {
  std::set<std::string> forms;  // "7-10", "11-21"
  std::set<DType> types;
  std::set<DType> quantised;
  std::size_t asked = 0;
  std::size_t cases = 0, passing = 0;
  std::size_t random = 0;
  bool is_operator = false, c = false;
};

using Table = std::map<std::pair<std::string, std::string>, Row>;

Row& row(Table& table, std::string_view domain, std::string_view op) {
  return table[{std::string(domain), std::string(op)}];
}

// The node with its first operand's element type, wherever else that stands too, replaced by another.
class Probe {
 public:
  Probe(const ir::Graph& graph, ir::NodeId node, codegen::Codegen& codegen, const TargetSpec& target)
      : bound_(plugin::make_region(graph, std::vector<ir::NodeId>{node}, "probe")), codegen_(codegen), target_(target) {
    for (const codegen::ValueId v : bound_.region.nodes[0].inputs)
      if (v != codegen::kNoValue && first_ == nullptr) first_ = &bound_.region.values[v];
  }
  [[nodiscard]] bool has_operand() const { return first_ != nullptr; }
  [[nodiscard]] bool quantised() const { return first_->quantised(); }
  [[nodiscard]] bool takes(DType dtype) {
    codegen::Region region = bound_.region;
    for (codegen::Value& v : region.values) {
      if (v.dtype != first_->dtype || v.quantised() != first_->quantised()) continue;
      v.dtype = dtype;
      if (!v.is_constant) continue;
      zeros_.emplace_back(v.bytes());
      v.data = zeros_.back();
    }
    return codegen_.verdicts(region, target_).at(0).claimed;
  }

 private:
  plugin::BoundRegion bound_;
  codegen::Codegen& codegen_;
  const TargetSpec& target_;
  const codegen::Value* first_ = nullptr;
  std::vector<std::vector<std::byte>> zeros_;
};

void ask(Row& r, Probe& probe) {
  std::set<DType>& into = probe.quantised() ? r.quantised : r.types;
  for (const DType t : kTypes) {
    const bool may_be_quantised = t == DType::i8 || t == DType::u8 || t == DType::i16;
    if (!into.contains(t) && (!probe.quantised() || may_be_quantised) && probe.takes(t)) into.insert(t);
  }
}

void ask(Table& table, const ir::Graph& graph, codegen::Codegen& codegen, const TargetSpec& target) {
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    Row& r = row(table, graph.nodes[n].domain, graph.nodes[n].op);
    if (!r.c || r.asked >= 2 * kNodesAsked) continue;
    Probe probe(graph, n, codegen, target);
    if (!probe.has_operand() || (r.asked >= kNodesAsked && !probe.quantised())) continue;
    ++r.asked;
    ask(r, probe);
  }
}

// Graphs of each operator by itself: what the table says does not hang on which nodes random graphs happen to have.
void ask_each(Table& table, codegen::Codegen& codegen, const TargetSpec& target) {
  for (const std::string& name : check::generated_operators())
    for (std::uint64_t seed = 1; seed <= kGraphsOfEach; ++seed) {
      const auto random = check::operator_graph(seed, std::vector{name}, codegen, target);
      if (!random) continue;
      for (ir::NodeId n = 0; n < random->graph.nodes.size(); ++n) {
        const ir::Node& node = random->graph.nodes[n];
        Row& r = row(table, node.domain, node.op);
        if ((node.domain.empty() ? "" : node.domain + ".") + node.op != name || !r.c) continue;
        Probe probe(random->graph, n, codegen, target);
        ++r.random;
        if (probe.has_operand()) ask(r, probe);
      }
    }
}

void add_tables(Table& table) {
  for (const onnx_import::OperatorRule& r : onnx_import::operator_rules()) {
    const bool official = r.domain.empty();
    const std::int64_t until = std::min<std::int64_t>(r.until, official ? onnx_import::kNewestOpset : r.since);
    row(table, r.domain, r.op)
        .forms.insert((r.since < 10 ? " " : "") + std::to_string(r.since) +
                      (until == r.since ? "" : "-" + std::to_string(until)));
  }
  for (const ir::Operator& o : ir::operators()) row(table, o.domain, o.name).is_operator = true;
  for (const reference::Operator& o : reference::find("c")->operators()) row(table, o.domain, o.name).c = true;
}

void add_cases(Table& table, const CaseList& list, codegen::Codegen& codegen, const TargetSpec& target) {
  for (const OnnxCase& c : onnx_cases()) {
    Diagnostics diags;
    const auto graph = import_model(c.path + "/model.onnx", diags);
    if (graph) {
      std::set<std::pair<std::string, std::string>> here;
      for (const ir::Node& n : graph->nodes) here.insert({n.domain, n.op});
      for (const auto& [domain, op] : here) {
        Row& r = row(table, domain, op);
        ++r.cases;
        if (!list.contains(c.name)) ++r.passing;
      }
    }
    for (const Bind bind : {Bind::shapes, Bind::parameters}) {
      std::string problem;
      bool refused = false;
      const auto sets = data_sets(c);
      if (sets.empty() || list.contains(c.name)) break;
      if (const auto loaded = load_case(c, sets[0], bind, false, problem, refused))
        ask(table, loaded->graph, codegen, target);
    }
  }
}

void add_random_graphs(Table& table, codegen::Codegen& codegen, const TargetSpec& target) {
  GraphCoverage coverage;
  for (std::uint64_t seed = 1; seed <= kGraphs; ++seed)
    ask(table, check::random_graph(seed, codegen, target, &coverage).graph, codegen, target);
  for (const auto& [name, count] : coverage.used) {
    const std::size_t dot = name.rfind('.');
    row(table, dot == std::string::npos ? "" : name.substr(0, dot),
        dot == std::string::npos ? name : name.substr(dot + 1))
        .random = count;
  }
}

std::string types_text(const Row& r) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  // Those that operators compute with, then the small ones.
  for (const bool small : {false, true}) {
    const auto is_meant = [&](DType t) { return is_small(t) == small; };
    if (std::ranges::all_of(kTypes, [&](DType t) { return !is_meant(t) || r.types.contains(t); })) {
      add(small ? "small" : "all");
      continue;
    }
    for (const DType t : kTypes)
      if (is_meant(t) && r.types.contains(t)) add(std::string(to_string(t)));
  }
  std::string quantised;
  for (const DType t : kTypes)
    if (r.quantised.contains(t)) quantised += (quantised.empty() ? "" : ", ") + std::string(to_string(t));
  if (!quantised.empty()) add("quantised " + quantised);
  return out.empty() ? "-" : out;
}

std::string forms_text(const Row& r) {
  std::string out;
  for (const std::string& f : r.forms) out += (out.empty() ? "" : ", ") + f.substr(f.find_first_not_of(' '));
  return out.empty() ? "-" : out;
}

std::string tests_text(const Row& r) {
  std::string out;
  if (r.cases != 0) out = std::to_string(r.passing) + " of " + std::to_string(r.cases) + " cases";
  if (r.random != 0) out += std::string(out.empty() ? "" : ", ") + "random graphs";
  return out.empty() ? "unit tests" : out;
}

std::string page() {
  Diagnostics diags;
  const auto backend = reference::find("c")->create({});
  const auto target = resolve_target("host", diags);
  const auto list = CaseList::read(source_dir() + "/tests/conformance/onnx_cases.txt");
  if (!target || !list) return "";
  Table table;
  add_tables(table);
  add_cases(table, *list, *backend, *target);
  add_random_graphs(table, *backend, *target);
  ask_each(table, *backend, *target);

  std::ostringstream out;
  out << "# Operators\n\n"
         "Written by `build/bin/operator_table --write` from the tables of the importers, the evaluator and the C "
         "backend; do\n"
         "not edit. What operators mean where ONNX leaves something open is in [graph-language.md](graph-language.md); "
         "how to\n"
         "add one in [adding-an-operator.md](adding-an-operator.md).\n\n"
         "- **opsets**: the versions of the operator's domain that are read, one range for each form of the operator. "
         "A form\n"
         "  that the graph language does not have is turned into one that it has. \"-\": not read, made by byoc "
         "itself.\n"
         "- **layers**: S shapes are inferred, E the evaluator computes it, C the C backend compiles it.\n"
         "- **types in C**: the element types of its first operand that the C backend claims, in nodes as the tests "
         "have them;\n"
         "  a node may still be refused for its shape, an attribute or an operand that is not a constant, with the "
         "reason.\n"
         "  \"small\": all [of few bits](graph-language.md#element-types); \"all\": all others.\n"
         "- **tested**: how many of the official ONNX cases with this operator pass through generated C (the others "
         "are in\n"
         "  `tests/conformance/onnx_cases.txt` with the reason), and whether random graphs have it.\n";
  std::vector<std::string> domains = {"", "byoc", "com.microsoft"};
  for (const auto& [key, r] : table)
    if (std::find(domains.begin(), domains.end(), key.first) == domains.end()) domains.push_back(key.first);
  for (const std::string& domain : domains) {
    bool any = false;
    for (const auto& [key, r] : table) {
      if (key.first != domain) continue;
      if (!any)
        out << "\n## " << (domain.empty() ? "ONNX" : "Domain " + domain)
            << "\n\n| operator | opsets | layers | types in C | tested |\n|---|---|---|---|---|\n";
      any = true;
      const std::string layers = std::string(r.is_operator ? "SE" : "") + (r.c ? "C" : "");
      out << "| " << key.second << " | " << forms_text(r) << " | " << (layers.empty() ? "-" : layers) << " | "
          << (r.c ? types_text(r) : "-") << " | " << tests_text(r) << " |\n";
    }
  }
  out << "\n## TFLite\n\nThe operators that are read, with the newest version that is known of each. A newer one is "
         "read "
         "as that, with a\nwarning, unless it has options that are not known. Types and options are those of int8, "
         "uint8, int16 and float kernels;\nanything else is refused by name. CUSTOM operators are nodes that a plug-in "
         "may know.\n\n"
         "| operator | known up to version |\n|---|---|\n";
  std::map<std::string, std::int64_t> tflite;
  for (const auto& o : tflite::supported_operators())
    tflite[tflite::schema::EnumNameBuiltinOperator(o.code)] = o.newest_version;
  for (const auto& [name, version] : tflite) out << "| " << name << " | " << version << " |\n";
  for (const auto& o : tflite::custom_operators()) out << "| CUSTOM " << o.name << " | - |\n";
  return out.str();
}

}  // namespace
}  // namespace byoc::test

int main(int argc, char** argv) {
  const std::string path = byoc::test::source_dir() + "/docs/operators.md";
  const std::string mode = argc == 2 ? argv[1] : "";
  if (byoc::test::onnx_cases().empty()) {
    std::cout << "libonnx-testdata is not installed\n";
    return 77;
  }
  const std::string page = byoc::test::page();
  if (mode == "--write") {
    std::ofstream(path) << page;
    return 0;
  }
  if (mode == "--check") {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    if (text.str() == page) return 0;
    std::cout << path << " is not what the code says; run operator_table --write\n";
    return 1;
  }
  std::cout << page;
  return 0;
}
