// C compilers that are run as processes, by description: any command that makes ELF objects from C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct CompileOptions;
struct Source;

// The commands that make an object of one source. In the words of `compile`, {source} and {object} stand for files in
// the working folder of the command, {directory} for that folder, {name} for the source's name without ".c", {opt} for
// "0" | "1" | "2" | "3" | "s" | "z" and {standard} for "c99" and the like. A word that is just {flags} stands for as
// many as are needed: definitions, folders of headers, debug information.
struct Toolchain {
  std::string name;                                  // in diagnostics and the manifest: "armclang"
  std::vector<std::string> compile;                  // the program, and its arguments
  std::vector<std::string> version = {"--version"};  // arguments that make the program print its version first
  std::string include = "-I{}";                      // a folder of headers for both forms of #include
  std::string quote_include = "-iquote{}";           // one for #include "..." alone
  std::string define = "-D{}";
  std::string debug = "-g";
  bool has_gnu_options = false;             // those of GCC and Clang, with -MD among them; no description says so
  std::vector<std::string> variables = {};  // "NAME=VALUE" of its environment, its launcher's too; of no description
};

// A description as docs/formats.md has it. Errors: no JSON; an unknown field or one of another type; no name; no
// command; a command without {source}, {object} or {flags}; an unknown word in braces.
[[nodiscard]] Result<Toolchain> parse_toolchain(std::string_view json, const std::string& file, Diagnostics&);

// The language options that Clang and GCC understand alike.
[[nodiscard]] std::vector<std::string> language_flags(const CompileOptions&);

// The source's own flags and its language's standard, for Clang and GCC alike.
[[nodiscard]] std::vector<std::string> flags_of_source(const Source&);

// The flags of a target's GNU compiler that depend on the target.
[[nodiscard]] std::vector<std::string> gnu_target_flags(const TargetSpec&);

// The GNU compiler of a target, with its flags and the language options that Clang is given, too.
[[nodiscard]] Toolchain gnu_toolchain(const TargetSpec&, const CompileOptions&);

}  // namespace byoc
