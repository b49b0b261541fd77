#include "sdk/codegen/codegen/compilation.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "byoc/c_text.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/repeats.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/codegen/codegen/artifact_rules.hpp"
#include "sdk/codegen/codegen/constant_updates.hpp"
#include "sdk/codegen/codegen/running.hpp"

namespace byoc::plugin {
namespace {

class Collector final : public codegen::PlainHost {
 public:
  Collector(CodegenCall& call, const Replacements& replaced, const CompileRequest& request, NameTable& names,
            Compilation& out)
      : call_(call),
        replaced_(replaced),
        request_(request),
        names_(names),
        out_(out),
        first_constant_(out.constants.size()) {
    for (std::size_t i = 0; i < out.sources.size(); ++i)
      if (out.sources[i].decl.shared) shared_.emplace(out.sources[i].decl.symbol, Shared{i, false});
    for (std::size_t i = 0; i < out.others.size(); ++i)
      if (out.others[i].decl.shared) shared_.emplace(out.others[i].decl.symbol, Shared{i, true});
  }

  std::string claim(std::string_view stem) override {
    std::string name = names_.claim(request_.prefix + "_" + std::string(stem));
    claimed_.insert(name);
    return name;
  }

  void constant(const codegen::ConstantDecl& decl, std::span<const std::byte> bytes) override {
    add_constant(decl, Blob::own({bytes.begin(), bytes.end()}));
  }
  void constant_owned(const codegen::ConstantDecl& decl, std::vector<std::byte> bytes) override {
    add_constant(decl, Blob::own(std::move(bytes)));
  }
  void artifact(const codegen::ArtifactDecl& decl, std::vector<std::byte> bytes) override {
    const bool is_file =
        decl.kind != codegen::ArtifactKind::link_library && decl.kind != codegen::ArtifactKind::licence;
    if (is_file && !decl.shared) check_new(kind_name(static_cast<std::uint32_t>(decl.kind)), decl.name);
    if (const Shared* before = decl.shared ? known(decl.symbol, {out_.others.size(), true}) : nullptr) {
      if (!before->is_module || out_.others[before->index].bytes != bytes) return differs(decl.symbol);
      return state(out_.others[before->index].decl.effort, decl.effort);
    }
    out_.others.push_back({decl, std::move(bytes), call_.who()});
  }
  std::size_t errors() const override { return call_.errors(); }

  void constant_from_value(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId id,
                           std::uint64_t offset, std::uint64_t length) override {
    const Blob* bytes = constant_bytes(region, id);
    if (bytes == nullptr) return;
    if (offset > bytes->size() || length > bytes->size() - offset)
      return error("constant '" + decl.symbol + "' reaches past the end of '" + region.values[id].name + "'",
                   std::to_string(offset) + " + " + std::to_string(length),
                   "at most " + std::to_string(bytes->size()) + " bytes");
    add_constant(decl, bytes->slice(offset, length));
  }

  void constant_arranged(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId id,
                         const codegen::Arrangement& how) override {
    const Blob* bytes = constant_bytes(region, id);
    if (bytes == nullptr) return;
    if (const auto broken = check_arrangement(how, bytes->size()))
      return error("the arrangement of constant '" + decl.symbol + "' " + broken->what, broken->found,
                   broken->expected);
    add_constant(decl, Blob::arrange(*bytes, how));
  }

  void source(const codegen::SourceDecl& decl, std::string_view given) override {
    const std::optional<std::string> defines = c_defines(decl.defines);
    if (!defines) return error("source '" + decl.name + "' has a define that is none");
    const std::string text = *defines + std::string(given);
    if (const Shared* before = decl.shared ? known(decl.symbol, {out_.sources.size(), false}) : nullptr) {
      if (before->is_module || out_.sources[before->index].text != text) return differs(decl.symbol);
      return state(out_.sources[before->index].decl.effort, decl.effort);
    }
    // Two codegens may bring the same file of a library.
    const auto same = [&](const SourceArtifact& s) {
      return s.codegen != call_.who() && s.decl.name == decl.name && s.decl.shared == decl.shared &&
             s.decl.standard == decl.standard && s.decl.include_directories == decl.include_directories &&
             s.text == text;
    };
    if (!decl.shared && std::any_of(out_.sources.begin(), out_.sources.end(), same)) return;
    if (!decl.shared) check_new("C source", decl.name);
    out_.sources.push_back({decl, text, call_.who()});
  }

  void header(std::string_view name, std::string_view text) override {
    auto [at, fresh] = out_.headers.emplace(name, text);
    if (!fresh && at->second != text) error("header '" + std::string(name) + "' was given twice with different text");
  }

  std::uint32_t private_value(const codegen::PrivateValue& v) override {
    check_memory("a private value", v.bytes, v.align);
    if (!is_label(v.name)) error("gives a private value a name that is none");
    out_.private_values.push_back(v);
    return static_cast<std::uint32_t>(out_.private_values.size() - 1);
  }

  void step(const codegen::Region& region, const codegen::Step& decl) override {
    const BoundRegion* bound = find(region);
    if (bound == nullptr) return;
    Step step;
    step.decl = decl;
    step.codegen = call_.who();
    step.order = bound->order;
    check_claimed("step", decl.symbol);
    for (const codegen::Operand& o : decl.inputs) step.inputs.push_back(operand(region, decl, o));
    for (const codegen::Operand& o : decl.outputs) step.outputs.push_back(output(region, decl, o));
    if (decl.outputs.empty()) error("step '" + decl.symbol + "' has no outputs");
    for (const codegen::Workspace& w : decl.workspaces)
      check_memory("a workspace of step '" + decl.symbol + "'", w.bytes, w.align);
    for (const codegen::Overlay& o : decl.overlays)
      if (o.input >= decl.inputs.size() || o.output >= decl.outputs.size())
        error("an overlay of step '" + decl.symbol + "' names an operand that does not exist",
              "output " + std::to_string(o.output) + ", input " + std::to_string(o.input),
              std::to_string(decl.outputs.size()) + " outputs, " + std::to_string(decl.inputs.size()) + " inputs");
    for (codegen::NodeId n : decl.nodes) {
      if (n < bound->nodes.size())
        step.nodes.push_back(bound->nodes[n]);
      else
        error("step '" + decl.symbol + "' names node " + std::to_string(n) + ", which does not exist", {},
              "less than " + std::to_string(bound->nodes.size()));
    }
    for (; first_constant_ < out_.constants.size(); ++first_constant_)
      step.constants.push_back(static_cast<std::uint32_t>(first_constant_));
    part(*bound).steps.push_back(std::move(step));
  }

  void alias(const codegen::Region& region, codegen::ValueId v, codegen::ValueId of) override {
    const ir::ValueId from = value(region, v);
    const ir::ValueId to = value(region, of);
    if (from == ir::kNoValue || to == ir::kNoValue) return;
    if (region.values[v].bytes() != region.values[of].bytes())
      return error("'" + region.values[v].name + "' cannot be an alias of '" + region.values[of].name + "'",
                   std::to_string(region.values[v].bytes()) + " bytes",
                   std::to_string(region.values[of].bytes()) + " bytes");
    part(*find(region)).aliases[from] = to;
  }

  void stored_privately(const codegen::Region& region, codegen::ValueId v,
                        const codegen::PrivateLayout& layout) override {
    const ir::ValueId id = value(region, v);
    if (id == ir::kNoValue) return;
    check_layout(region.values[v], layout);
    part(*find(region)).stored_privately[id] = layout;
  }

  void fused(const codegen::Region& region, codegen::ValueId v, codegen::ValueId into) override {
    const ir::ValueId from = value(region, v);
    const ir::ValueId to = value(region, into);
    if (from != ir::kNoValue && to != ir::kNoValue) part(*find(region)).fused[from] = to;
  }

  void instance(const codegen::Instance& i) override {
    check_memory("its instance", i.bytes, i.align);
    for (const std::string& s : {i.init, i.reset, i.deinit})
      if (!s.empty()) check_claimed("instance", s);
    if (!i.device.empty()) check_device(i);
    for (const InstanceArtifact& other : out_.instances)
      if (other.codegen == call_.who()) return error("declared its instance twice");
    out_.instances.push_back({i, call_.who()});
  }

  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view text) override {
    call_.diag(severity, region, node, text);
  }

  // Checks, after compile(), that a step computes every output of the regions, or that it is an alias of an existing
  // value.
  void check_outputs(std::span<const BoundRegion> regions) {
    for (const BoundRegion& r : regions) {
      const GraphPart& all = part(r);
      std::set<ir::ValueId> there;
      for (const Step& s : all.steps)
        for (const StepOperand& o : s.outputs) there.insert(o.value);
      for (const codegen::ValueId v : r.region.inputs)
        for (const auto at : {std::optional(r.values[v]), storage(all, r.values[v])})
          if (at) there.insert(*at);  // another region may have made it an alias
      for (const codegen::ValueId v : r.region.outputs) {
        const auto at = storage(all, r.values[v]);
        if (!at)
          error("'" + r.region.values[v].name + "' is an alias of itself");
        else if (!there.contains(*at) && !r.graph->is_constant(*at) && !r.graph->values[*at].is_state)
          error("claimed " + producer(r, v) + " and computes '" + r.region.values[v].name + "' in no step");
      }
    }
  }

 private:
  // "Conv 'conv1'"
  static std::string producer(const BoundRegion& r, codegen::ValueId v) {
    for (const codegen::Node& n : r.region.nodes)
      if (std::find(n.outputs.begin(), n.outputs.end(), v) != n.outputs.end()) return n.op + " '" + n.name + "'";
    return "it";
  }

  // The position of a shared kernel: among Compilation::others, or sources.
  struct Shared {
    std::size_t index;
    bool is_module;
  };

  GraphPart& part(const BoundRegion& bound) {
    if (bound.graph == &request_.graph) return out_;
    return out_.bodies[bound.graph];
  }

  void error(std::string message, std::string found = {}, std::string expected = {}) {
    call_.error(std::move(message), std::move(found), std::move(expected));
  }

  // A kernel that was given before under this symbol; null if it is new, which it is no more then.
  const Shared* known(const std::string& symbol, Shared here) {
    const auto [at, fresh] = shared_.emplace(symbol, here);
    return fresh ? nullptr : &at->second;
  }
  void differs(const std::string& symbol) {
    error("shared source '" + symbol + "' was given twice with different text");
  }
  // The most of what is stated counts; the enumerators are in that order, behind the one that states nothing.
  static void state(codegen::Effort& so_far, codegen::Effort now) {
    using codegen::Effort;
    so_far = so_far == Effort::usual ? now : now == Effort::usual ? so_far : std::min(so_far, now);
  }

  void check_align(const std::string& what, std::uint32_t align) {
    constexpr std::uint32_t kMost = 1u << 16;
    if (!std::has_single_bit(align))
      error(what + " has an alignment that is no power of two", std::to_string(align));
    else if (align > kMost)
      error(what + " has a larger alignment than anything has", std::to_string(align),
            "at most " + std::to_string(kMost));
  }

  void check_memory(const std::string& what, std::uint64_t bytes, std::uint32_t align) {
    check_align(what, align);
    const bool wide = request_.target.pointer_width > 32;
    if (bytes >> (wide ? 40 : 32) != 0)
      error(what + " is larger than target '" + request_.target.name + "' could have", std::to_string(bytes) + " bytes",
            wide ? "less than 2^40 bytes" : "less than 2^32 bytes");
  }

  void check_device(const codegen::Instance& i) {
    if (NameTable().claim(i.device) != i.device)
      error("names a device that is no C identifier", "'" + i.device + "'", "\"ethos_u\"");
    const std::uint32_t pointer = request_.target.pointer_width / 8;
    if (i.bytes < pointer || i.align < pointer)
      error("its instance has no room for the handle of device '" + i.device + "'",
            std::to_string(i.bytes) + " bytes, aligned to " + std::to_string(i.align),
            "at least " + std::to_string(pointer) + " bytes, aligned to " + std::to_string(pointer));
  }

  // A name that a host refused is not told again.
  void check_claimed(const std::string& what, const std::string& symbol) {
    if (!claimed_.contains(symbol) && !(symbol.empty() && call_.errors() != 0))
      error(what + " symbol '" + symbol + "' was not claimed");
  }

  void check_new(const std::string& kind, const std::string& name) {
    if (!given_.insert({kind, name}).second) error(kind + " '" + name + "' was given twice");
  }

  // The bytes of a constant value as this codegen knows it; null after an error.
  const Blob* constant_bytes(const codegen::Region& region, codegen::ValueId id) {
    const ir::ValueId v = value(region, id);
    if (v == ir::kNoValue) return nullptr;
    const auto& constant = find(region)->graph->values[v].constant;
    if (!constant) {
      error("makes a constant of '" + region.values[id].name + "', which is not one");
      return nullptr;
    }
    const auto replaced = replaced_.find({call_.index(region), id});
    return replaced == replaced_.end() ? &constant->bytes : &replaced->second.bytes;
  }

  void add_constant(const codegen::ConstantDecl& decl, Blob bytes) {
    check_align("constant '" + decl.symbol + "'", decl.align);
    check_claimed("constant", decl.symbol);
    check_new("constant", decl.symbol);
    check_region(decl);
    out_.constants.push_back({.symbol = decl.symbol,
                              .bytes = std::move(bytes),
                              .align = decl.align,
                              .region = decl.region,
                              .element = decl.element,
                              .model_data = decl.model_data,
                              .codegen = call_.who()});
  }

  void check_region(const codegen::ConstantDecl& decl) {
    if (decl.region == "flash") return;
    std::string known = "flash";
    for (const MemoryPool& p : request_.target.pools) {
      if (p.kind == PoolKind::flash && p.name == decl.region) return;
      if (p.kind == PoolKind::flash && p.name != "flash") known += ", " + p.name;
    }
    error("constant '" + decl.symbol + "' is for a memory that target '" + request_.target.name + "' does not have",
          "'" + decl.region + "'", known);
  }

  const BoundRegion* find(const codegen::Region& region) { return call_.find(region); }
  ir::ValueId value(const codegen::Region& region, codegen::ValueId v) { return call_.value(region, v); }

  StepOperand operand(const codegen::Region& region, const codegen::Step& step, const codegen::Operand& o) {
    if (o.value == codegen::kNoValue) {
      const bool refused = o.private_value == codegen::kNoValue && call_.errors() != 0;
      if (o.private_value >= out_.private_values.size() && !refused)
        error("step '" + step.symbol + "' names a private value that does not exist", std::to_string(o.private_value),
              "less than " + std::to_string(out_.private_values.size()));
      return {ir::kNoValue, o.private_value};
    }
    const ir::ValueId v = value(region, o.value);
    if (v != ir::kNoValue && find(region)->graph->is_constant(v))
      error("step '" + step.symbol + "' has constant '" + region.values[o.value].name +
            "' as an operand; constants are symbols of the codegen's own");
    return {v, 0};
  }

  // An output of a step must be computed in the region.
  StepOperand output(const codegen::Region& region, const codegen::Step& step, const codegen::Operand& o) {
    const StepOperand out = operand(region, step, o);
    if (out.value == ir::kNoValue) return out;
    const codegen::Value& v = region.values[o.value];
    const bool given = std::find(region.inputs.begin(), region.inputs.end(), o.value) != region.inputs.end();
    if (given || v.is_state) error("step '" + step.symbol + "' writes '" + v.name + "', which its region only reads");
    return out;
  }

  // Every element of the value lies in the private value.
  void check_layout(const codegen::Value& v, const codegen::PrivateLayout& layout) {
    const std::string what = "the layout of '" + v.name + "'";
    if (layout.private_value >= out_.private_values.size())
      return error(what + " names a private value that does not exist", std::to_string(layout.private_value),
                   "less than " + std::to_string(out_.private_values.size()));
    if (layout.strides.size() != v.dims.size())
      return error(what + " has not a stride for each dim", std::to_string(layout.strides.size()),
                   std::to_string(v.dims.size()));
    if (v.elements() == 0) return;
    __extension__ using Wide = __int128;
    Wide first = layout.base, end = first + std::max(1u, bit_width(v.dtype) / 8);
    for (std::size_t i = 0; i < v.dims.size(); ++i) {
      const Wide reach = Wide{layout.strides[i]} * (v.dims[i] - 1);
      (reach < 0 ? first : end) += reach;
    }
    if (first < 0 || end > Wide{out_.private_values[layout.private_value].bytes})
      error(what + " reaches beyond its private value", {},
            std::to_string(out_.private_values[layout.private_value].bytes) + " bytes");
  }

  // The value that has the bytes of `v`, past all aliases; nullopt if they form a cycle.
  static std::optional<ir::ValueId> storage(const GraphPart& part, ir::ValueId v) {
    std::size_t steps = 0;
    for (auto at = part.aliases.find(v); at != part.aliases.end(); at = part.aliases.find(v)) {
      if (++steps > part.aliases.size()) return std::nullopt;
      v = at->second;
    }
    return v;
  }

  CodegenCall& call_;
  const Replacements& replaced_;
  const CompileRequest& request_;
  NameTable& names_;
  Compilation& out_;
  std::size_t first_constant_;
  std::set<std::string, std::less<>> claimed_;
  std::map<std::string, Shared> shared_;                 // by symbol
  std::set<std::pair<std::string, std::string>> given_;  // kind and name of what is there once
};

}  // namespace

Result<void> compile_regions(codegen::Codegen& codegen, std::span<const BoundRegion> regions,
                             const CompileRequest& request, NameTable& names, Compilation& out, Diagnostics& diags) {
  std::vector<codegen::Region> views;
  views.reserve(regions.size());
  for (const BoundRegion& r : regions) views.push_back(r.region);
  const bool constants_move = request.constants_move && codegen.moves_constants();
  const codegen::Request codegen_request{request.target,  request.objective, request.internal_header,
                                         views,           request.prefix,    request.memory_budget,
                                         request.attempt, constants_move};
  const std::size_t known_constants = out.constants.size();
  Repeats own;
  const Untold untold(own);
  CodegenCall call(codegen.id(), regions, views, request.graph.file, own);
  TakenUpdates updates(call);
  bool ok = codegen.update_constants(views, updates);
  if (ok && !own.has_errors()) {
    updates.apply(views);
    // Beyond this point the codegen sees its own constants, in its own regions.
    Collector collector(call, updates.all, request, names, out);
    ok = codegen.compile(codegen_request, collector);
    if (ok && !own.has_errors()) collector.check_outputs(regions);
  }
  if (!ok && !own.has_errors()) call.error("failed without saying why");
  own.tell(diags);
  if (own.has_errors()) return failure;
  for (std::size_t i = known_constants; i < out.constants.size(); ++i)
    out.constants[i].moves = constants_move && out.constants[i].region == codegen::ConstantDecl().region;
  return {};
}

void order_steps(Compilation& compilation) {
  const auto sort = [](GraphPart& part) {
    std::stable_sort(part.steps.begin(), part.steps.end(),
                     [](const Step& a, const Step& b) { return a.order < b.order; });
  };
  sort(compilation);
  for (auto& [graph, part] : compilation.bodies) sort(part);
}

}  // namespace byoc::plugin
