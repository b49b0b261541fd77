// A plug-in that says where its memory may be: -x of Neg is stored privately in one of `private-pools`, and Relu goes
// through a workspace of `bytes` in one of `workspace-pools`. With `memory` its code fails unless both lie there: the
// upper eight bits of their addresses.
#include <byoc/plugin.hpp>
#include <map>

class Pools final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (node.op != "Neg" && node.op != "Relu") return refuse(Reason::unsupported_op, "only Neg and Relu");
    return model.values[node.outputs[0]].dtype == byoc::DType::f32 ? claim()
                                                                   : refuse(Reason::unsupported_dtype, "only float");
  }

  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "code");
    for (const Region& region : request.regions) {
      std::map<byoc::codegen::ValueId, std::uint32_t> own;
      for (const Node& node : region.nodes)
        if (node.op == "Neg")
          negate(region, node, host, file, own);
        else
          relu(region, node, file, own);
    }
    if (keeps()) keep(host, file);
    file.finish();
    return true;
  }

 private:
  using Own = std::map<byoc::codegen::ValueId, std::uint32_t>;

  void negate(const Region& region, const Node& node, Host& host, byoc::CFile& file, Own& own) const {
    const auto out = node.outputs[0];
    const Value& value = region.values[out];
    Step step = step_of(region, node, own);
    const bool shown = std::find(region.outputs.begin(), region.outputs.end(), out) != region.outputs.end();
    if (!shown) {
      own[out] = host.private_value({value.bytes(), 8, list("private-pools"), options.text("private-name")});
      byoc::codegen::PrivateLayout layout{own[out], 0, std::vector<std::int64_t>(value.dims.size(), 4)};
      for (std::size_t d = value.dims.size(); d-- > 1;) layout.strides[d - 1] = layout.strides[d] * value.dims[d];
      host.stored_privately(region, out, layout);
      step.outputs = {{byoc::codegen::kNoValue, own[out]}};
    }
    step.nodes = {static_cast<byoc::codegen::NodeId>(&node - region.nodes.data())};
    const std::string n = std::to_string(value.elements());
    file.add(region, step,
             (shown ? "" : check("out0")) + "  for (int i = 0; i < " + n +
                 "; ++i) ((float *)out0)[i] = -((const float *)in0)[i];\n");
  }

  // An instance in `instance-pools`: it counts the runs of a Relu, and fails one where the device that the program was
  // to hand over is not `device-handle`.
  bool keeps() const { return !options.text("instance-pools").empty() || !options.text("device").empty(); }

  void keep(Host& host, byoc::CFile& file) const {
    const std::string init = host.claim("start");
    const auto bytes = static_cast<std::uint64_t>(options.integer("instance-bytes"));
    host.instance(
        {.bytes = bytes, .align = 8, .init = init, .pools = list("instance-pools"), .device = options.text("device")});
    file.append("int32_t " + init + "(void *instance) {\n" + check("instance") +
                "  ((uint64_t *)instance)[1] = 0;\n  return 0;\n}\n");
  }

  void relu(const Region& region, const Node& node, byoc::CFile& file, const Own& own) const {
    Step step = step_of(region, node, own);
    const std::uint64_t wanted = static_cast<std::uint64_t>(options.integer("bytes"));
    const Value& value = region.values[node.outputs[0]];
    step.workspaces = {{std::max(value.bytes(), wanted), 16, list("workspace-pools")}};
    step.uses_instance = keeps();
    std::string kept;
    if (keeps()) kept = check("instance") + "  ((uint64_t *)instance)[1]++;\n";
    if (!options.text("device-handle").empty())
      kept += "  if (*(void **)instance != (void *)" + options.text("device-handle") + ") return 78;\n";
    const std::string loop = "  for (int i = 0; i < " + std::to_string(value.elements()) + "; ++i) ";
    file.add(region, step,
             check("ws0") + kept + loop + "((float *)ws0)[i] = ((const float *)in0)[i];\n" + loop +
                 "((float *)out0)[i] = ((float *)ws0)[i] < 0.0f ? 0.0f : ((float *)ws0)[i];\n");
  }

  static Step step_of(const Region& region, const Node& node, const Own& own) {
    Step step;
    const auto in = node.inputs[0];
    const auto at = own.find(in);
    step.inputs = {at == own.end() ? byoc::codegen::Operand{in}
                                   : byoc::codegen::Operand{byoc::codegen::kNoValue, at->second}};
    step.outputs = {{node.outputs[0]}};
    step.nodes = {static_cast<byoc::codegen::NodeId>(&node - region.nodes.data())};
    return step;
  }

  std::string check(const std::string& pointer) const {
    if (options.text("memory").empty()) return {};
    return "  if ((uintptr_t)" + pointer + " >> 24 != " + options.text("memory") + ") return 77;\n";
  }

  // "a,b" as a list.
  std::vector<std::string> list(const std::string& option) const {
    std::vector<std::string> out;
    std::string text = options.text(option);
    for (std::size_t at = 0; !text.empty(); text.erase(0, at == std::string::npos ? at : at + 1)) {
      at = text.find(',');
      out.push_back(text.substr(0, at));
    }
    return out;
  }
};

#ifndef POOLS_ID
#define POOLS_ID "test.pools"
#endif

BYOC_PLUGIN(Pools, {.id = POOLS_ID,
                    .name = "Pools",
                    .vendor = "byoc",
                    .version = "1.0",
                    .license = "0BSD",
                    .options = {{"workspace-pools", byoc::OptionType::text, "", "where workspaces may be"},
                                {"private-pools", byoc::OptionType::text, "", "where private values may be"},
                                {"private-name", byoc::OptionType::text, "", "what private values are called"},
                                {"instance-pools", byoc::OptionType::text, "", "where the instance may be"},
                                {"instance-bytes", byoc::OptionType::integer, "16", "its size"},
                                {"device", byoc::OptionType::text, "", "a device that the program hands over"},
                                {"device-handle", byoc::OptionType::text, "", "what it has to be, as 0x1234"},
                                {"bytes", byoc::OptionType::integer, "0", "least size of a workspace"},
                                {"memory", byoc::OptionType::text, "", "where they have to be, as 0x30"}}});
