// Takes Sub of tensors of one shape, of every type that C can subtract; broadcasting it leaves to others.
#include <byoc/plugin.hpp>

class Minus final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (!node.domain.empty() || node.op != "Sub") return refuse(Reason::unsupported_op, "minus knows Sub alone");
    const Value& out = model.values[node.outputs[0]];
    for (auto id : node.inputs) {
      if (model.values[id].dims != out.dims) return refuse(Reason::unsupported_shape, "minus does not broadcast");
      if (model.values[id].is_constant) return refuse(Reason::unsupported_shape, "minus knows no constants");
    }
    return claim();
  }

  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "minus");
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) {
        const Node& node = region.nodes[n];
        const bool turned = options.flag("turned");  // the step takes the subtrahend first
        Step step;
        step.symbol = host.claim("minus");
        step.kernel = "minus";
        step.inputs = {{node.inputs[turned ? 1 : 0]}, {node.inputs[turned ? 0 : 1]}};
        step.outputs = {{node.outputs[0]}};
        step.nodes = {n};
        const byoc::codegen::Value& out = region.values[node.outputs[0]];
        const std::string type(byoc::c_type(out.dtype));
        file.add(region, step,
                 "  for (int32_t i = 0; i < " + std::to_string(out.elements()) + "; ++i) out0[i] = (" + type + ")(" +
                     (turned ? "in1[i] - in0[i]" : "in0[i] - in1[i]") + ");\n");
      }
    file.finish();
    return true;
  }
};

BYOC_PLUGIN(Minus, {.id = "test.minus",
                    .name = "Minus",
                    .vendor = "byoc",
                    .version = "1.0",
                    .license = "Apache-2.0",
                    .options = {{"turned", byoc::OptionType::boolean, "false", "takes the subtrahend first"}}});
