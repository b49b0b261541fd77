// Takes Relu and BitwiseNot of int8, off by as many steps as the option `off` says, and states the number of `states`:
// 0 is exact.
#include <byoc/plugin.hpp>

class Near final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (node.op != "Relu" && node.op != "BitwiseNot") return refuse(Reason::unsupported_op, "near knows two operators");
    if (node.inputs.size() != 1 || node.outputs.size() != 1)
      return refuse(Reason::unsupported_op, "a node without operands");
    const Value &in = model.values[node.inputs[0]], &to = model.values[node.outputs[0]];
    if (in.dtype != byoc::DType::i8) return refuse(Reason::unsupported_dtype, "near knows int8 alone");
    if (in.quantisation != to.quantisation) return refuse(Reason::unsupported_quantisation, "near does not scale");
    Verdict out = claim();
    out.tolerance = static_cast<double>(options.integer("states"));
    if (out.tolerance != 0) out.exactness = byoc::codegen::Exactness::lsb;
    return out;
  }

  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "near");
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) {
        const Node& node = region.nodes[n];
        const byoc::codegen::Value& in = region.values[node.inputs[0]];
        const auto& zeros = in.quantisation.zero_points;
        const std::string zero = std::to_string(zeros.empty() ? 0 : zeros[0]);
        const std::string y = node.op == "BitwiseNot" ? "~in0[i]" : "(in0[i] < " + zero + " ? " + zero + " : in0[i])";
        Step step;
        step.symbol = host.claim("near");
        step.inputs = {{node.inputs[0]}};
        step.outputs = {{node.outputs[0]}};
        step.nodes = {n};
        file.add(region, step,
                 "  for (int32_t i = 0; i < " + std::to_string(in.elements()) + "; ++i) {\n    const int32_t y = " + y +
                     " + " + std::to_string(options.integer("off")) +
                     ";\n    out0[i] = (int8_t)(y > 127 ? 127 : y);\n  }\n");
      }
    file.finish();
    return true;
  }
};

BYOC_PLUGIN(Near, {.id = "test.near",
                   .name = "Near",
                   .vendor = "byoc",
                   .version = "1.0",
                   .license = "Apache-2.0",
                   .options = {{"off", byoc::OptionType::integer, "0", "steps that results are off by"},
                               {"states", byoc::OptionType::integer, "0", "steps that the verdict states"}}});
