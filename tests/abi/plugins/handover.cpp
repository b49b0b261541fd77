// A codegen of Relu that hands over one thing wrongly: option `fault`.
#include <byoc/plugin.hpp>

namespace {

using namespace byoc::codegen;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

class Handover final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  [[nodiscard]] Verdict verdict(const Region&, const Node& node) const override {
    return node.op == "Relu" ? claim() : refuse(Reason::unsupported_op, "only Relu");
  }

  bool compile(const Request& request, Host& host) override {
    fault_ = options.text("fault");
    byoc::CFile file(request, host, "handover");
    if (is("unknown header")) file.include("\"nowhere.h\"");
    for (const Region& region : request.regions)
      for (NodeId n = 0; n < region.nodes.size(); ++n) add(file, region, n, host);
    if (is("library twice"))
      for (int i = 0; i < 2; ++i)
        host.artifact({.kind = ArtifactKind::static_library, .name = "acme"}, bytes_of("!<arch>\n"));
    if (is("bad object")) host.artifact({.kind = ArtifactKind::object, .name = "acme"}, bytes_of("no object"));
    if (is("bad library"))
      host.artifact({.kind = ArtifactKind::static_library, .name = "acme"}, bytes_of("no archive"));
    if (is("bad bitcode"))
      host.artifact({.kind = ArtifactKind::llvm_bitcode, .name = "acme"}, bytes_of("BC\xc0\xde nothing"));
    if (is("header twice"))
      for (const char* text : {"#define A\n", "#define B\n"}) host.header("acme.h", text);
    if (is("public symbol"))
      file.append("int32_t " + std::string(request.prefix) + "_run(void);\nint32_t " + std::string(request.prefix) +
                  "_run(void) { return 0; }\n");
    if (is("undefined function"))
      file.append("void acme_missing(void);\nvoid " + host.claim("user") + "(void);\nvoid " +
                  std::string(request.prefix) + "_user(void) { acme_missing(); }\n");
    if (!is("no source")) file.finish();
    if (is("source twice"))
      for (int i = 0; i < 2; ++i) host.source({.name = "twice"}, "typedef int twice_t;\n");
    return true;
  }

 private:
  bool is(const char* fault) const { return fault_ == fault; }

  void add(byoc::CFile& file, const Region& region, NodeId n, Host& host) {
    const Node& node = region.nodes[n];
    Step step;
    step.symbol = host.claim("relu");
    step.nodes = {n};
    step.inputs = {{node.inputs[0]}};
    step.outputs = {{node.outputs[0]}};
    if (is("extra operand")) step.inputs.push_back({99});
    if (is("wrong operand")) step.inputs = {{region.outputs.back()}};
    if (is("no outputs")) step.outputs.clear();
    if (is("no step")) return;
    if (is("workspace")) step.workspaces = {{std::uint64_t{1} << 40, 4, {}}};
    if (is("large workspace")) step.workspaces = {{1 << 24, 4, {}}};
    if (is("not claimed")) step.symbol = "acme_relu_" + std::to_string(n);
    if (is("private")) step.inputs.push_back({kNoValue, host.private_value({16, 3, {}})});
    if (is("constant twice"))
      for (int i = 0; i < 2; ++i) host.constant({.symbol = twice(host)}, bytes_of("four"));
    if (is("no source")) return host.step(region, step);
    std::string body = "  for (int32_t i = 0; i < " + std::to_string(region.values[node.outputs[0]].elements()) +
                       "; ++i) out0[i] = in0[i] < 0.0f ? 0.0f : in0[i];\n";
    if (is("no outputs")) body.clear();
    if (!step.workspaces.empty()) body += "  (void)ws0;\n";
    if (is("bad C")) body += "  nonsense;\n";
    file.add(region, step, body);
  }

  const std::string& twice(Host& host) {
    if (twice_.empty()) twice_ = host.claim("c");
    return twice_;
  }

  std::string fault_;
  std::string twice_;
};

}  // namespace

BYOC_PLUGIN(Handover, {.id = "test.handover",
                       .name = "Handover",
                       .vendor = "byoc",
                       .version = "1",
                       .license = "Apache-2.0",
                       .options = {{"fault", byoc::OptionType::text, "", "what is wrong"}}});
