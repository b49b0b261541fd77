#include "sdk/library/compile/compiler.hpp"

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/library/compile/compilers.hpp"
#include "sdk/library/compile/machine_headers.hpp"
#include "sdk/target/target/source_target.hpp"

namespace byoc {
namespace {

class FunctionCompiler : public Compiler {
 public:
  FunctionCompiler(std::string name, CompileFunction function)
      : name_(std::move(name)), function_(std::move(function)) {}

  Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) override {
    const std::size_t before = diags.errors();
    auto object = function_(source, headers, diags);
    if (!object && diags.errors() == before)
      diags.error(source.name + suffix_of(source.language), name_,
                  "was not compiled, and the compile function does not say why", "no diagnostic",
                  "an object, or an error");
    return object;
  }
  Result<ObjectBytes> compile_checked(const Source& source, const HeaderMap& headers, const compile::SourceRules&,
                                      std::vector<compile::SourceFinding>&, Diagnostics& diags) override {
    return compile(source, headers, diags);
  }
  [[nodiscard]] std::string identity() const override { return name_; }
  [[nodiscard]] std::string flags() const override { return {}; }
  [[nodiscard]] std::vector<std::string> files_read() const override { return {}; }

 private:
  std::string name_;
  CompileFunction function_;
};

// The compiler for a target of sources. No source is handed to it.
Result<std::unique_ptr<Compiler>> make_no_compiler(const std::string& toolchain, Diagnostics& diags) {
  if (!toolchain.empty())
    return diags.error({}, "--toolchain", "nothing is compiled for a target of sources", toolchain,
                       "a target with a machine");
  const auto refuse = [](const Source& source, const HeaderMap&, Diagnostics& told) -> Result<ObjectBytes> {
    return told.error(source.name + suffix_of(source.language), {}, "is for a target of sources, and is not compiled");
  };
  return std::unique_ptr<Compiler>(std::make_unique<FunctionCompiler>("none", refuse));
}

}  // namespace

const char* suffix_of(const std::string& language) {
  return language == "c++" ? ".cpp" : language == "assembly" ? ".S" : ".c";
}

Result<std::unique_ptr<Compiler>> Compiler::create(const TargetSpec& target, const std::string& toolchain,
                                                   const CompileOptions& options, Diagnostics& diags) {
  auto made = make(target, toolchain, options, diags);
  if (!made) return failure;
  (*made)->recipe_ = {target, toolchain, options};
  (*made)->recipe_->options.probed = true;
  return made;
}

Result<std::unique_ptr<Compiler>> Compiler::make(const TargetSpec& target, const std::string& toolchain,
                                                 const CompileOptions& options, Diagnostics& diags) {
  if (makes_sources(target)) return make_no_compiler(toolchain, diags);
  const std::string name = toolchain.empty() ? target.default_toolchain : toolchain;
  if (options.bitcode && !options.launcher.empty())
    return diags.error({}, "--compiler-launcher", "with --lto nothing is compiled that could be kept", options.launcher,
                       "one of the two");
  if (name != "clang" && options.bitcode)
    return diags.error({}, "--lto", "link-time optimisation is for C that Clang compiles", name, "--toolchain clang");
  auto cache = compile::ObjectCache::open(options.cache, diags);
  if (!cache) return failure;
  const auto cached = [&](auto compiler, const std::string& program) -> Result<std::unique_ptr<Compiler>> {
    if (!compiler) return failure;
    return compile::make_caching_compiler(std::move(*compiler), std::move(*cache), target, options, program);
  };
  const auto external = [&](Toolchain described) {
    const std::string program = find_program(described.compile[0]);
    return cached(compile::make_external_compiler(target, options, std::move(described), diags), program);
  };
  const std::string of_clang = compile::resource_directory() + "/include/stddef.h";
  if (name == "clang" && !options.launcher.empty())
    return cached(compile::make_launched_clang(target, options, diags), of_clang);
  if (name == "clang") return cached(compile::make_clang_compiler(target, options, diags), of_clang);
  if (name == "gnu") return external(gnu_toolchain(target, options));
  if (!name.ends_with(".json"))
    return diags.error({}, target.name, "unknown toolchain", name, "clang | gnu | a description (.json)");
  auto text = read_text(name, diags);
  if (!text) return failure;
  auto parsed = parse_toolchain(*text, name, diags);
  if (!parsed) return failure;
  return external(std::move(*parsed));
}

Result<std::unique_ptr<Compiler>> Compiler::from_function(const TargetSpec& target, const std::string& name,
                                                          CompileFunction function, Diagnostics& diags) {
  auto compiler = std::make_unique<FunctionCompiler>(name, std::move(function));
  if (!compile::probe(*compiler, name, target, diags)) return failure;
  return std::unique_ptr<Compiler>(std::move(compiler));
}

}  // namespace byoc
