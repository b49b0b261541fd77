// A plug-in, of the id ID, that takes the operator OP and hands over the same table as its likes, with an alignment and
// in a memory of its own choice, for a step that reads it.
#include <byoc/plugin.hpp>

class Constants final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region&, const Node& node) const override {
    return node.op == OP ? claim() : refuse(Reason::unsupported_op, "only " OP);
  }

  bool compile(const Request& request, Host& host) override {
    const Region& region = request.regions[0];
    byoc::CFile file(request, host, "constants");
    byoc::codegen::ConstantDecl decl;
    decl.symbol = host.claim("table_of_" OP);
    decl.align = ALIGN;
    decl.region = options.text("region");
    decl.element = byoc::DType::f32;
    const std::vector<float> table(64, 1.5f);
    host.constant(decl, std::as_bytes(std::span(table)));
    Step step;
    step.symbol = host.claim("constants");
    step.nodes = {0};
    step.inputs = {{region.nodes[0].inputs[0]}};
    step.outputs = {{region.nodes[0].outputs[0]}};
    file.add(region, step, "  for (int i = 0; i < 16; ++i) out0[i] = in0[i] * " + decl.symbol + "[i];\n");
    file.finish();
    return true;
  }
};

BYOC_PLUGIN(Constants, {.id = ID,
                        .name = "Constants",
                        .vendor = "byoc",
                        .version = "1.0",
                        .license = "0BSD",
                        .options = {{"region", byoc::OptionType::text, "flash", "the memory of its table"}}});
