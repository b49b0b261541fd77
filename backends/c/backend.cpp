#include "backends/c/backend.hpp"

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {
namespace {

// A node that computes nothing: all its results are empty.
bool is_empty(const codegen::Region& region, const codegen::Node& node) {
  for (const codegen::ValueId v : node.outputs)
    if (v != codegen::kNoValue && region.values[v].elements() != 0) return false;
  return true;
}

// A step that makes these results all the same.
void lower_empty(Emitter& emitter, const codegen::Node& node) {
  codegen::Step step;
  StepText text;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  for (const codegen::ValueId v : node.outputs) {
    if (v == codegen::kNoValue) continue;
    text.body += "  (void)out" + std::to_string(step.outputs.size()) + ";\n";
    step.outputs.push_back({v});
  }
  emitter.step(node, std::move(step), text);
}

class Backend final : public codegen::Codegen {
 public:
  std::string_view id() const override { return "c"; }
  std::string_view version() const override { return "1"; }

  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec& target) override {
    std::vector<codegen::Verdict> out;
    for (const codegen::Node& node : model.nodes) {
      const Lowering* lowering = find_lowering(node.domain, node.op);
      out.push_back(lowering ? lowering->accepts(model, node, target)
                             : refuse(codegen::Reason::unsupported_op,
                                      "the c backend has no operator " +
                                          (node.domain.empty() ? "" : node.domain + ".") + node.op));
    }
    return out;
  }

  bool compile(const codegen::Request& request, codegen::Host& host) override {
    bool ok = true;
    for (const codegen::Region& region : request.regions) {
      Emitter emitter(request, host, region);
      for (const codegen::Node& node : region.nodes) {
        if (is_empty(region, node)) {
          lower_empty(emitter, node);
          continue;
        }
        const Lowering* lowering = find_lowering(node.domain, node.op);
        ok = (lowering ? lowering->lower(emitter, node) : emitter.error(node, "was not claimed")) && ok;
      }
      emitter.finish();
    }
    return ok;
  }
};

}  // namespace

std::unique_ptr<codegen::Codegen> create_backend() { return std::make_unique<Backend>(); }

}  // namespace byoc::c
