// C source text to object code for one target.
//
// Two toolchains: "clang", in this process, and "gnu", the target's GNU compiler as a process. Both get the same
// language, the same optimisation level and no floating-point contraction, so that what a kernel computes does not
// depend on the choice. A kernel that wants a fused multiply-add writes fmaf(). Others are described (toolchain.hpp) or
// are functions of the caller's.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "byoc/options.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/library/compile/check/source_check.hpp"

namespace byoc {

// {name as the sources include it, text}
using HeaderMap = std::map<std::string, std::string>;
using ObjectBytes = std::vector<std::byte>;

struct CompileOptions {
  std::string opt_level = "2";  // "0" | "1" | "2" | "3" | "s" | "z"
  bool warnings = true;         // -Wall -Wextra -Wpedantic
  bool warnings_as_errors = true;
  std::string standard = "c99";           // -std=
  std::vector<std::string> defines = {};  // "NAME" or "NAME=VALUE"
  std::string sanitize = {};              // "address,undefined": what is found ends the program; "" for none
  bool debug_info = false;                // -g
  std::string launcher = {};              // program in front of a compiler's command: "ccache"; "" for none
  bool bitcode = false;                   // LLVM bitcode that nothing has optimised yet, instead of objects; Clang only
  std::string cache = {};                 // folder of objects of earlier compilations, which are made once; "" for none
  WorkerLimits limits = {};               // of compiling one input of somebody else's, in a worker
  bool probed = false;                    // nobody has to see whether an external compiler makes objects of the target
  unsigned jobs = 0;                      // CompilerChoice::jobs
};

// `options` with what is chosen.
[[nodiscard]] inline CompileOptions with(const CompilerChoice& choice, CompileOptions options) {
  options.launcher = choice.launcher;
  options.debug_info = choice.debug_info;
  options.bitcode = choice.lto;
  options.cache = choice.cache;
  options.jobs = choice.jobs;
  return options;
}

// The suffix of a file of this language: ".c", ".cpp", ".S".
[[nodiscard]] const char* suffix_of(const std::string& language);

// One file. `name` is its stem and names it in diagnostics, with the language's suffix: "conv" -> "conv.c".
struct Source {
  std::string name = {};
  std::string text = {};
  std::string opt_level = {};                         // "" takes that of CompileOptions
  std::string directory = {};                         // where #include "..." looks beside the given headers; "" nowhere
  std::string standard = {};                          // "" takes that of CompileOptions
  std::vector<std::string> include_directories = {};  // further folders of headers, for #include <...> and "..."
  std::string language = "c";                         // "c", "c++", "assembly"
  std::vector<std::string> flags = {};                // what its user wants besides
  std::string codegen = {};  // who handed it over; compiled in a worker then, and named in diagnostics. "": ours
  const compile::SourceRules* rules = nullptr;  // checked against, if it has a codegen; may be null
  bool isolate = false;                         // compiled in a worker without a codegen, too
  std::string label = {};                       // in diagnostics of one that is isolated; "": the name
};

// A source's object, and what the check found in it.
struct CompiledSource {
  ObjectBytes object;
  std::vector<compile::SourceFinding> findings = {};
};

// Makes an object of one source with the caller's own means; called by several threads at once. It honours what the
// source says of itself; a Source without an opt_level is to be optimised as with -O2.
using CompileFunction = std::function<Result<ObjectBytes>(const Source&, const HeaderMap&, Diagnostics&)>;

class Compiler {
 public:
  virtual ~Compiler() = default;

  // `toolchain` is "clang", "gnu", the path of a description ("armclang.json") or "" for the target's default. External
  // ones are probed: they compile a small file and what comes out must be of `target`. Errors: unknown toolchain,
  // compiler or C library headers not installed (the package is named), those of parse_toolchain, a compiler that makes
  // other objects than the target asks for, a launcher that is not there or with bitcode, bitcode of another than
  // Clang, a cache that cannot be made.
  static Result<std::unique_ptr<Compiler>> create(const TargetSpec& target, const std::string& toolchain,
                                                  const CompileOptions& options, Diagnostics&);
  // `function` as a compiler, probed like a program. `name` is its identity().
  static Result<std::unique_ptr<Compiler>> from_function(const TargetSpec& target, const std::string& name,
                                                         CompileFunction function, Diagnostics&);

  // An ELF relocatable, or bitcode. The compiler's errors become errors with file "NAME.c:LINE:COLUMN", its warnings
  // warnings. May be called from several threads at once, each with Diagnostics of its own.
  virtual Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) = 0;

  // Compiles, and Clang also checks the source: its findings go to `findings`. With GNU's compiler, the source is
  // parsed a second time for that.
  virtual Result<ObjectBytes> compile_checked(const Source& source, const HeaderMap& headers,
                                              const compile::SourceRules& rules,
                                              std::vector<compile::SourceFinding>& findings, Diagnostics& diags) = 0;

  // Compiles all of them, in order, on as many threads and, for codegens' sources, in as many workers as `jobs` says;
  // 0: the usable cores of this process (sdk/base/support/cores.hpp). Diagnostics are in the order of the sources;
  // those about codegens' sources name the codegen. If a worker dies or exceeds `limits` with one source, that is an
  // error of that source; the remaining sources of its share are compiled all the same. A process that is a worker
  // itself (sdk/base/support/worker.hpp) starts no others, and a compiler that is a function of the caller's is asked
  // here.
  Result<std::vector<CompiledSource>> compile_all(std::span<const Source> sources, const HeaderMap& headers,
                                                  Diagnostics& diags, const WorkerLimits& limits = {},
                                                  unsigned jobs = 0);

  // "clang 19.1.7", "arm-none-eabi-gcc 12.2.1"
  [[nodiscard]] virtual std::string identity() const = 0;
  // Everything on the command line that can change an object, except the optimisation level of a source.
  [[nodiscard]] virtual std::string flags() const = 0;
  // Every file of the machine that was read so far in this process (C library and compiler headers), sorted.
  [[nodiscard]] virtual std::vector<std::string> files_read() const = 0;
  // files_read(), and the files that the workers of compile_all() read: headers of codegens' sources.
  [[nodiscard]] std::vector<std::string> all_files_read() const;

 private:
  // The arguments of create(), so that a worker can make it again.
  struct Recipe {
    TargetSpec target;
    std::string toolchain;
    CompileOptions options;
  };
  friend class ForeignSources;
  static Result<std::unique_ptr<Compiler>> make(const TargetSpec& target, const std::string& toolchain,
                                                const CompileOptions& options, Diagnostics&);
  std::optional<Recipe> recipe_;
  std::set<std::string> read_by_workers_;
};

}  // namespace byoc
