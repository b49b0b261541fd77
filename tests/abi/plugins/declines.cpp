// A codegen with a pattern of MatMul and Add that it refuses wherever it matches: for option `reason` as operators that
// it does not have, or, as it should, for another reason.
#include <byoc/plugin.hpp>

namespace {

class Declines final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;
  [[nodiscard]] Verdict verdict(const Region&, const Node& node) const override {
    if (node.op == "Relu") return claim();
    const bool unknown = options.text("reason") == "op" || (node.op != "MatMul" && node.op != "Add");
    return refuse(unknown ? Reason::unsupported_op : Reason::unsupported_shape, "not this one");
  }
  bool compile(const Request&, Host& host) override {
    host.log("nothing");
    return true;
  }
};

}  // namespace

BYOC_PLUGIN(Declines, {.id = "test.declines",
                       .name = "Declines",
                       .vendor = "byoc",
                       .version = "1",
                       .license = "Apache-2.0",
                       .options = {{"reason", byoc::OptionType::choice, "op", "why", {"op", "shape"}}},
                       .patterns = {{"dense", {{"", "MatMul", {-1, -1}}, {"", "Add", {0, -1}}}}}});
