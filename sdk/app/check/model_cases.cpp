#include "sdk/app/check/model_cases.hpp"

#include <filesystem>
#include <map>

#include "sdk/app/check/random_graph/builder.hpp"
#include "sdk/codegen/partition/partition.hpp"
#include "sdk/export/load_model.hpp"

namespace byoc::check {
namespace {

// Takes what the codegen leaves, so that a partition of the whole model exists.
class Rest final : public codegen::Codegen {
 public:
  std::string_view id() const override { return "rest"; }
  std::string_view version() const override { return "1"; }
  codegen::Role role() const override { return codegen::Role::reference; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec&) override {
    codegen::Verdict yes;
    yes.claimed = true;
    return std::vector<codegen::Verdict>(model.nodes.size(), yes);
  }
  bool compile(const codegen::Request&, codegen::Host&) override { return false; }
};

class Cut {
 public:
  Cut(const ir::Graph& from, const plugin::BoundRegion& bound, Builder& builder)
      : from_(from), bound_(bound), builder_(builder) {}

  RandomGraph run() {
    out_.graph.name = from_.name;
    out_.graph.requant = from_.requant;
    for (const codegen::ValueId v : bound_.region.inputs) {
      const ir::ValueId own = value(bound_.values[v]);
      out_.graph.inputs.push_back(own);
      const ir::TensorType& type = out_.graph.values[own].type;
      out_.inputs.push_back({type, Blob::own(builder_.elements(type))});
    }
    for (const ir::NodeId n : bound_.nodes) {
      ir::Node node = from_.nodes[n];
      for (auto* list : {&node.inputs, &node.outputs})
        for (ir::ValueId& v : *list)
          if (v != ir::kNoValue) v = value(v);
      out_.graph.add_node(std::move(node));
    }
    for (const codegen::ValueId v : bound_.region.outputs) out_.graph.outputs.push_back(value(bound_.values[v]));
    return std::move(out_);
  }

 private:
  ir::ValueId value(ir::ValueId v) {
    const auto [at, fresh] = values_.emplace(v, 0);
    if (fresh) at->second = out_.graph.add_value(from_.values[v]);
    return at->second;
  }

  const ir::Graph& from_;
  const plugin::BoundRegion& bound_;
  Builder& builder_;
  RandomGraph out_;
  std::map<ir::ValueId, ir::ValueId> values_;
};

}  // namespace

Result<std::vector<ModelCase>> model_cases(const std::string& path, codegen::Codegen& codegen, const TargetSpec& target,
                                           std::uint64_t seed, Diagnostics& diags) {
  auto graph = load_model(path, {}, diags);
  if (!graph) return failure;
  Rest rest;
  codegen::Codegen* const codegens[] = {&codegen, &rest};
  const auto placed = make_partition(*graph, codegens, target, {}, diags);
  if (!placed) return failure;
  const ir::Graph& whole = graph_of(*placed, *graph);
  std::vector<ModelCase> out;
  for (const PlacedRegion& r : placed->regions) {
    if (r.codegen != 0 || r.bound.graph != &whole) continue;
    Builder builder(seed + out.size(), codegen, target, nullptr);
    ModelCase one{std::filesystem::path(path).filename().string() + ", region " + std::to_string(out.size() + 1),
                  Cut(whole, r.bound, builder).run()};
    one.name += " (" + whole.nodes[r.bound.nodes.front()].op + " ... " + whole.nodes[r.bound.nodes.back()].op + ")";
    out.push_back(std::move(one));
  }
  if (out.empty()) return diags.error(path, {}, "the plug-in claims nothing of this model", {}, "a node that it takes");
  return out;
}

}  // namespace byoc::check
