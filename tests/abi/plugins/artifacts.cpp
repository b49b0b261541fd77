// A plug-in that hands Relu over in the form that its option `form` says: compiled by a compiler of its own, in its
// scratch folder, to bitcode, an object, or a library; or as C with a vendor's header and another language standard.
#include <byoc/plugin.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

class Artifacts final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region&, const Node& node) const override {
    return node.op == "Relu" ? claim() : refuse(Reason::unsupported_op, "only Relu");
  }

  bool compile(const Request& request, Host& host) override {
    folder_ = host.scratch_directory();
    std::string text;
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) {
        Step step;
        step.symbol = host.claim("relu");
        step.nodes = {n};
        step.kernel = "artifacts";
        step.inputs = {{region.nodes[n].inputs[0]}};
        step.outputs = {{region.nodes[n].outputs[0]}};
        symbols_.push_back(options.text("form") == "undefined" ? "nothing_" + std::to_string(symbols_.size())
                                                               : step.symbol);
        text += "int " + symbols_.back() + "(const float *in, float *out) {\n  for (int i = 0; i < " +
                std::to_string(region.values[region.nodes[n].outputs[0]].elements()) +
                "; ++i) out[i] = in[i] < 0 ? 0 : in[i];\n  return 0;\n}\n";
        host.step(region, step);
      }
    return emit(text, host);
  }

 private:
  bool emit(const std::string& text, Host& host) {
    const std::string& form = options.text("form");
    using byoc::codegen::ArtifactKind;
    if (form == "c11" || form == "bad-define") return emit_c(text, host);
    std::ofstream(folder_ + "/x.c") << text;
    const std::string clang = "cd " + folder_ + " && clang-19 -O1 -c x.c ";
    const std::string target = options.flag("for-host") ? "" : "--target=" + triple() + " ";
    if (form == "bitcode") {
      run(clang + target + "-emit-llvm -o x.bc");
      host.artifact({ArtifactKind::llvm_bitcode, host.claim("code"), symbols_}, read("x.bc"));
    } else if (form == "library") {
      run(clang + target + "-o a_name_that_is_longer_than_a_field.o && ar rc x.a a_name_that_is_longer_than_a_field.o");
      host.artifact({ArtifactKind::static_library, host.claim("code"), symbols_}, read("x.a"));
    } else {
      run(clang + target + "-o x.o");
      if (form == "broken") symbols_.push_back("promised");
      host.artifact(
          {ArtifactKind::object, host.claim("code"), form == "undefined" ? std::vector<std::string>() : symbols_},
          read("x.o"));
    }
    const std::string licence = "do as you like";
    const auto* bytes = reinterpret_cast<const std::byte*>(licence.data());
    host.artifact({ArtifactKind::licence, "0BSD", {}}, {bytes, bytes + licence.size()});
    host.artifact({ArtifactKind::link_library, "m", {}}, {});
    return true;
  }

  bool emit_c(const std::string& text, Host& host) {
    std::ofstream(folder_ + "/vendor.h") << "#define VENDOR_ALIGN _Alignof(max_align_t)\n";
    byoc::codegen::SourceDecl decl;
    decl.name = host.claim("code");
    decl.standard = "c11";
    decl.include_directories = {folder_};
    decl.defines = {"VENDOR_BUILD", "VENDOR_LEAST=4", "VENDOR_TWICE(x)=(2 * (x))"};
    if (options.text("form") == "bad-define") decl.defines = {"VENDOR-LEAST=4"};
    std::string source =
        "#include <stddef.h>\n#include <vendor.h>\n_Static_assert(VENDOR_ALIGN >= VENDOR_LEAST && "
        "VENDOR_TWICE(VENDOR_BUILD) == 2, \"c11\");\n";
    for (const std::string& s : symbols_) source += "int " + s + "(const float *in, float *out);\n";
    host.source(decl, source + text);
    return true;
  }

  std::string triple() const {
    return target.triple + (target.cpu.empty() || target.triple.starts_with("x86") ? "" : " -mcpu=" + target.cpu) +
           (target.float_abi.empty() ? "" : " -mfloat-abi=" + target.float_abi) +
           (target.fpu.empty() ? "" : " -mfpu=" + target.fpu) + (target.short_enums ? " -fshort-enums" : "") +
           (target.hosted ? " -fPIC" : " -ffreestanding");
  }
  static void run(const std::string& command) {
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  }
  std::vector<std::byte> read(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const auto* p = reinterpret_cast<const std::byte*>(bytes.data());
    return {p, p + bytes.size()};
  }

  std::string folder_;
  std::vector<std::string> symbols_;
};

BYOC_PLUGIN(Artifacts,
            {.id = "test.artifacts",
             .name = "Artifacts",
             .vendor = "byoc",
             .version = "1.0",
             .license = "0BSD",
             .options = {{"form",
                          byoc::OptionType::choice,
                          "object",
                          "what to hand over",
                          {"c11", "bad-define", "bitcode", "object", "library", "broken", "undefined"}},
                         {"for-host", byoc::OptionType::boolean, "false", "for this machine, whatever the target"}}});
