// hello: a codegen for Relu and Add on floats. It claims those nodes and emits a C function for each.
#include <byoc/plugin.hpp>

class Hello final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  // Asked for every node of the model: can you compile it, and if not, why?
  Verdict verdict(const Region& model, const Node& node) const override {
    const bool relu = node.domain.empty() && node.op == "Relu";
    const bool add = node.domain.empty() && node.op == "Add";
    if (!relu && !add) return refuse(Reason::unsupported_op, "hello knows Relu and Add, not " + node.op);
    if (add && !options.flag("add")) return refuse(Reason::option, "the option 'add' is false");
    if (node.text("activation", "none") != "none")
      return refuse(Reason::unsupported_attribute, "hello does not fuse activations");
    const Value& out = model.values[node.outputs[0]];
    for (auto id : node.inputs) {
      const Value& in = model.values[id];
      if (in.dtype != byoc::DType::f32)
        return refuse(Reason::unsupported_dtype, "found " + std::string(to_string(in.dtype)) + ", expected f32");
      if (in.dims != out.dims) return refuse(Reason::unsupported_shape, "hello does not broadcast");
    }
    return claim();
  }

  // All the nodes that hello was granted, in regions. A step is a C function that the generated <model>_run calls.
  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "hello");
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) emit(region, n, host, file);
    file.finish();
    return true;
  }

 private:
  static void emit(const Region& region, byoc::codegen::NodeId n, Host& host, byoc::CFile& file) {
    const Node& node = region.nodes[n];
    Step step;
    step.symbol = host.claim("hello_" + node.op);
    step.nodes = {n};
    step.kernel = "hello";
    step.outputs = {{node.outputs[0]}};
    std::vector<std::string> operand;  // what the C code calls each input
    for (auto id : node.inputs) {
      if (region.values[id].is_constant) {
        operand.push_back(byoc::constant_symbol(host, region, id, "hello_constant"));
        continue;
      }
      operand.push_back("in" + std::to_string(step.inputs.size()));
      // Every element is read before it is written: the output may take the place of an input that nobody needs later.
      step.overlays.push_back({0, static_cast<std::uint32_t>(step.inputs.size())});
      step.inputs.push_back({id});
    }
    const std::string value = node.op == "Add" ? operand[0] + "[i] + " + operand[1] + "[i]"
                                               : operand[0] + "[i] < 0.0f ? 0.0f : " + operand[0] + "[i]";
    const std::string count = std::to_string(region.values[node.outputs[0]].elements());
    file.add(region, step, "  for (int32_t i = 0; i < " + count + "; ++i) out0[i] = " + value + ";\n");
  }
};

BYOC_PLUGIN(Hello, {.id = "org.example.hello",
                    .name = "Hello",
                    .vendor = "Example",
                    .version = "1.0",
                    .license = "Apache-2.0",
                    .options = {{"add", byoc::OptionType::boolean, "true", "claim Add as well"}}});
