#include "sdk/library/compile/compilers.hpp"
#include "sdk/library/object/object_facts.hpp"

namespace byoc::compile {

std::string package_hint(const TargetSpec& target, const char* which) {
  const bool compiler = std::string(which) == "compiler";
  if (target.gnu_command.starts_with("arm-none-eabi"))
    return compiler ? "the package gcc-arm-none-eabi" : "the package libnewlib-arm-none-eabi";
  if (target.gnu_command.starts_with("riscv64-unknown-elf"))
    return compiler ? "the package gcc-riscv64-unknown-elf" : "the package picolibc-riscv64-unknown-elf";
  if (target.gnu_command.starts_with("aarch64-linux-gnu"))
    return compiler ? "the package gcc-aarch64-linux-gnu" : "the package libc6-dev-arm64-cross";
  if (target.gnu_command.starts_with("arm-linux-gnueabihf"))
    return compiler ? "the package gcc-arm-linux-gnueabihf" : "the package libc6-dev-armhf-cross";
  if (target.gnu_command.starts_with("i686-linux-gnu"))
    return compiler ? "the package gcc-i686-linux-gnu" : "the package libc6-dev-i386-cross";
  if (target.gnu_command == "gcc") return compiler ? "the package gcc" : "the package libc6-dev";
  return compiler ? target.gnu_command + " on the PATH" : "C library headers in include_dirs of the target";
}

// A compiler's name promises nothing: arm-none-eabi-gcc makes objects for every Arm core and float convention. So a
// small file is compiled, with an enum and a float argument in it, and the object is asked what it is.
Result<void> probe(Compiler& compiler, const std::string& name, const TargetSpec& target, Diagnostics& diags) {
  const Source source{.name = "probe",
                      .text =
                          "enum probe_kind { probe_one };\n"
                          "double probe(enum probe_kind kind, double x);\n"
                          "double probe(enum probe_kind kind, double x) { return kind == probe_one ? x : 2 * x; }\n"};
  auto object = compiler.compile(source, {}, diags);
  if (!object) return failure;
  auto facts = read_object_facts(*object, name, diags);
  if (!facts) return failure;
  return check_object(*facts, target, name, diags);
}

}  // namespace byoc::compile
