#include "sdk/compile/compiler.hpp"

#include <atomic>
#include <optional>
#include <thread>

#include "sdk/compile/clang_compiler.hpp"

namespace byoc {

std::vector<std::string> language_flags(const CompileOptions& options) {
  // One section per function and object lets --gc-sections drop what a firmware does not call.
  std::vector<std::string> flags{"-std=" + options.standard, "-ffunction-sections", "-fdata-sections",
                                 "-ffp-contract=off", "-fno-math-errno"};
  if (options.warnings)
    for (const char* f : {"-Wall", "-Wextra", "-Wpedantic"}) flags.emplace_back(f);
  else
    flags.emplace_back("-w");
  if (options.warnings_as_errors) flags.emplace_back("-Werror");
  for (const std::string& d : options.defines) flags.push_back("-D" + d);
  if (!options.sanitize.empty()) {
    flags.push_back("-fsanitize=" + options.sanitize);
    flags.emplace_back("-fno-sanitize-recover=all");
  }
  return flags;
}

namespace compile {

std::string package_hint(const TargetSpec& target, const char* which) {
  const bool compiler = std::string(which) == "compiler";
  if (target.gnu_command.starts_with("arm-none-eabi"))
    return compiler ? "the package gcc-arm-none-eabi" : "the package libnewlib-arm-none-eabi";
  if (target.gnu_command.starts_with("riscv64-unknown-elf"))
    return compiler ? "the package gcc-riscv64-unknown-elf" : "the package picolibc-riscv64-unknown-elf";
  if (target.gnu_command.starts_with("aarch64-linux-gnu"))
    return compiler ? "the package gcc-aarch64-linux-gnu" : "the package libc6-dev-arm64-cross";
  if (target.gnu_command == "gcc") return compiler ? "the package gcc" : "the package libc6-dev";
  return compiler ? target.gnu_command + " on the PATH" : "C library headers in include_dirs of the target";
}

}  // namespace compile

Result<std::unique_ptr<Compiler>> Compiler::create(const TargetSpec& target, const std::string& toolchain,
                                                   const CompileOptions& options, Diagnostics& diags) {
  const std::string name = toolchain.empty() ? target.default_toolchain : toolchain;
  if (name == "clang") return compile::make_clang_compiler(target, options, diags);
  if (name == "gnu") return compile::make_gnu_compiler(target, options, diags);
  return diags.error({}, target.name, "unknown toolchain", name, "clang | gnu");
}

Result<std::vector<ObjectBytes>> Compiler::compile_all(std::span<const Source> sources, const HeaderMap& headers,
                                                       Diagnostics& diags) {
  struct Outcome {
    std::optional<ObjectBytes> object;
    Diagnostics diags;
  };
  std::vector<Outcome> outcomes(sources.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++) {
      auto object = compile(sources[i], headers, outcomes[i].diags);
      if (object) outcomes[i].object = std::move(*object);
    }
  };
  std::vector<std::thread> others;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cores, sources.size()); ++i) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();

  std::vector<ObjectBytes> objects;
  for (Outcome& o : outcomes) {
    for (const Diagnostic& d : o.diags.all()) diags.add(d);
    if (o.object) objects.push_back(std::move(*o.object));
  }
  if (objects.size() != sources.size()) return failure;
  return objects;
}

}  // namespace byoc
