// A look at C source before it is compiled: does it keep what codegens promise (docs/plugin-abi.md, A8 to A13)?
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sdk/base/support/message.hpp"

namespace clang {
class ASTConsumer;
class CompilerInstance;
}  // namespace clang

namespace byoc::compile {

// The rules for a source: prototypes of its entry points, and the allowed floating point.
struct SourceRules {
  std::map<std::string, std::string> prototypes;  // entry points: "f" -> "int32_t f(const float *in0, float *out0)"
  std::string target;                             // its name, for messages
  bool no_float = false;                          // single precision is done in software, and nothing asks for it
  bool no_double = false;                         // double precision is
};

struct SourceFinding {
  enum class Kind : std::uint32_t { prototype, writable, heap, stdio, floating_point, constructor, external };
  Kind kind = Kind::prototype;
  std::string place;   // "conv.c:3:5"
  std::string symbol;  // the function or object that it is about
  std::string message;
  std::string found;
  std::string expected;
  bool in_header = false;  // external: declared in a header, as functions of libraries are
};

void put(MessageWriter& out, const SourceFinding& finding);
[[nodiscard]] SourceFinding get_finding(MessageReader& in);

// Looks at what the compiler instance parses and adds what it finds, each thing once. Externals are functions and
// objects that the source neither defines nor takes from the C library; whether anybody else defines them is for the
// caller to find out. The caller owns the result. `rules` and `findings` must outlive it.
[[nodiscard]] clang::ASTConsumer* make_source_check(clang::CompilerInstance& instance, const SourceRules& rules,
                                                    std::vector<SourceFinding>& findings);

}  // namespace byoc::compile
