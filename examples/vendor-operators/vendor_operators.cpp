// Two operators that byoc does not know: AcmeGain, a CUSTOM operator of TensorFlow Lite models, and Bump, of the domain
// com.acme in ONNX models. Whatever a verdict or the code needs is in the node and the types that the model states.
#include <byoc/flexbuffer.hpp>
#include <byoc/plugin.hpp>

class VendorOperators final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (node.domain == "tflite" && node.op == "AcmeGain") return gain_verdict(model, node);
    if (node.domain == "com.acme" && node.op == "Bump") return bump_verdict(model, node);
    return refuse(Reason::unsupported_op, "AcmeGain and com.acme.Bump are all that this vendor has");
  }

  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "vendor_operators");
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) emit(region, n, host, file);
    file.finish();
    return true;
  }

 private:
  // y = x * numerator / 2^shift, saturating. The options are a FlexBuffer: {"numerator": 3, "shift": 1}.
  struct Gain {
    std::int64_t numerator, shift;
  };
  static std::optional<Gain> read_gain(const Node& node) {
    const std::string bytes = node.text("custom_options", "");
    const byoc::FlexValue options = byoc::FlexValue::root(bytes);
    const auto numerator = options.find("numerator").integer(), shift = options.find("shift").integer();
    if (!numerator || !shift || *numerator < 1 || *numerator > 65535 || *shift < 0 || *shift > 30) return std::nullopt;
    return Gain{*numerator, *shift};
  }

  static Verdict gain_verdict(const Region& model, const Node& node) {
    if (node.version != 1) return refuse(Reason::unsupported_op, "found version " + std::to_string(node.version));
    if (Verdict no = operands(model, node, byoc::DType::i16); !no.claimed) return no;
    if (!read_gain(node))
      return refuse(Reason::unsupported_attribute, "expected the options numerator (1 to 65535) and shift (0 to 30)");
    return claim();
  }

  // y = height / (1 + x^2)
  static Verdict bump_verdict(const Region& model, const Node& node) {
    if (node.find<float>("height") == nullptr)
      return refuse(Reason::unsupported_attribute, "expected the attribute height, a float");
    return operands(model, node, byoc::DType::f32);
  }

  // One operand, one result of the same shape. Types are the model's: nobody has checked them before.
  static Verdict operands(const Region& model, const Node& node, byoc::DType dtype) {
    if (node.inputs.size() != 1 || node.outputs.size() != 1)
      return refuse(Reason::unsupported_op, "expected one input and one output");
    const Value &x = model.values[node.inputs[0]], &y = model.values[node.outputs[0]];
    if (x.is_constant) return refuse(Reason::unsupported_op, "expected an input that is computed");
    if (x.dtype != dtype || y.dtype != dtype)
      return refuse(Reason::unsupported_dtype, "expected " + std::string(to_string(dtype)));
    if (x.dims != y.dims) return refuse(Reason::unsupported_shape, "expected input and output of one shape");
    return claim();
  }

  static void emit(const Region& region, byoc::codegen::NodeId n, Host& host, byoc::CFile& file) {
    const Node& node = region.nodes[n];
    Step step;
    step.symbol = host.claim("vendor_" + node.op);
    step.kernel = "vendor";
    step.nodes = {n};
    step.inputs = {{node.inputs[0]}};
    step.outputs = {{node.outputs[0]}};
    step.overlays = {{0, 0}};
    std::string body =
        "  for (int32_t i = 0; i < " + std::to_string(region.values[node.outputs[0]].elements()) + "; ++i) {\n";
    if (node.op == "Bump") {
      body += "    out0[i] = " + byoc::c_float(*node.find<float>("height")) + " / (1.0f + in0[i] * in0[i]);\n";
    } else {
      const Gain gain = *read_gain(node);
      body += "    const int32_t y = in0[i] * " + std::to_string(gain.numerator) + " / " +
              std::to_string(std::int64_t{1} << gain.shift) + ";\n";
      body += "    out0[i] = (int16_t)(y < -32768 ? -32768 : y > 32767 ? 32767 : y);\n";
    }
    file.add(region, step, body + "  }\n");
  }
};

BYOC_PLUGIN(VendorOperators, {.id = "org.example.vendor-operators",
                              .name = "Vendor operators",
                              .vendor = "Example",
                              .version = "1.0",
                              .license = "Apache-2.0"});
