// A plug-in that hands over the C file that its option `source` names for the one Relu or Add of a model: @STEP@ in it
// is the step's name, @HEADER@ the generated header.
#include <byoc/plugin.hpp>
#include <fstream>
#include <iterator>

class Verbatim final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region&, const Node& node) const override {
    return node.op == "Relu" || node.op == "Add" ? claim() : refuse(Reason::unsupported_op, "only Relu and Add");
  }

  bool compile(const Request& request, Host& host) override {
    const Region& region = request.regions[0];
    Step step;
    step.symbol = host.claim("step");
    step.nodes = {0};
    for (auto v : region.nodes[0].inputs) step.inputs.push_back({v});
    step.outputs = {{region.nodes[0].outputs[0]}};
    if (options.flag("workspace")) step.workspaces = {{64, 4, {}}};
    host.step(region, step);
    byoc::codegen::SourceDecl decl;
    decl.name = "vendor";
    decl.standard = "gnu11";
    std::string text = read(options.text("source"));
    replace(text, "@STEP@", step.symbol);
    replace(text, "@HEADER@", std::string(request.internal_header));
    host.source(decl, text);
    if (!options.text("header").empty()) host.header("vendor.h", read(options.text("header")));
    if (options.flag("link")) host.artifact({byoc::codegen::ArtifactKind::link_library, "vendor", {}}, {});
    return true;
  }

 private:
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void replace(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
  }
};

BYOC_PLUGIN(Verbatim, {.id = "test.verbatim",
                       .name = "Verbatim",
                       .vendor = "byoc",
                       .version = "1.0",
                       .license = "0BSD",
                       .options = {{"source", byoc::OptionType::text, "", "the C file"},
                                   {"header", byoc::OptionType::text, "", "a header for it, as vendor.h"},
                                   {"workspace", byoc::OptionType::boolean, "false", "the step has a workspace"},
                                   {"link", byoc::OptionType::boolean, "false", "names a link library"}}});
