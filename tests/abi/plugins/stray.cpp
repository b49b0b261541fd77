// Takes Relu of f32, in two steps over a private value, with the mistake in memory, status or time of the option
// `does`.
#include <byoc/plugin.hpp>

class Stray final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (node.op != "Relu" || node.inputs.size() != 1) return refuse(Reason::unsupported_op, "stray knows Relu");
    if (model.values[node.inputs[0]].dtype != byoc::DType::f32) return refuse(Reason::unsupported_dtype, "only f32");
    return claim();
  }

  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "stray");
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) {
        const Node& node = region.nodes[n];
        const std::string count = std::to_string(region.values[node.inputs[0]].elements());
        const std::uint32_t between = host.private_value({.bytes = region.values[node.inputs[0]].bytes()});
        Step copy;
        copy.symbol = host.claim("copy");
        copy.inputs = {{node.inputs[0]}};
        copy.outputs = {{byoc::codegen::kNoValue, between}};
        copy.nodes = {n};
        file.add(region, copy, "  for (int32_t i = 0; i < " + count + "; ++i) ((float *)out0)[i] = in0[i];\n");
        Step relu;
        relu.symbol = host.claim("relu");
        relu.inputs = {{byoc::codegen::kNoValue, between}};
        relu.outputs = {{node.outputs[0]}};
        relu.workspaces = {{.bytes = 16}};
        relu.nodes = {n};
        file.add(region, relu,
                 "  const float *in = (const float *)in0;\n  uint8_t *ws = (uint8_t *)ws0;\n  (void)ws;\n"
                 "  for (int32_t i = 0; i < " +
                     count + "; ++i) out0[i] = in[i] > 0.0f ? in[i] : 0.0f;\n" + mistake(count));
      }
    file.finish();
    if (options.text("does") == "links")
      host.artifact({.kind = byoc::codegen::ArtifactKind::link_library, .name = "nowhere"}, {});
    return true;
  }

 private:
  [[nodiscard]] std::string mistake(const std::string& count) const {
    const std::string& does = options.text("does");
    if (does == "behind") return "  ((volatile uint8_t *)(out0 + " + count + "))[2] = 1;\n";
    if (does == "before") return "  ((volatile uint8_t *)out0)[-3] = 1;\n";
    if (does == "workspace") return "  ((volatile uint8_t *)ws)[16] = 1;\n";
    if (does == "input") return "  ((volatile float *)(uintptr_t)in0)[1] = 7.0f;\n";
    if (does == "unwritten") return "  out0[0] = (float)((volatile uint8_t *)ws)[5];\n";
    if (does == "beside") return "  out0[0] = (float)((volatile const uint8_t *)in0)[-1];\n";
    if (does == "status") return "  return 7;\n";
    if (does == "fault") return "  *(volatile uint32_t *)(uintptr_t)0xfffffff0u = 1;\n";
    if (does == "loop") return "  for (volatile int32_t forever = 1; forever != 0;) {\n  }\n";
    if (does == "no C") return "  this is no C;\n";
    if (does == "off") return "  out0[2] += 1.0f;\n";
    return "";
  }
};

BYOC_PLUGIN(Stray, {.id = "test.stray",
                    .name = "Stray",
                    .vendor = "byoc",
                    .version = "1.0",
                    .license = "Apache-2.0",
                    .options = {{"does", byoc::OptionType::text, "nothing", "the mistake"}}});
