// What the names and numbers may be that come with artifacts and verdicts, whichever way they come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "byoc/codegen.hpp"

namespace byoc::plugin {

// A language standard of C sources; "" is the usual one.
[[nodiscard]] bool is_standard(const std::string& name);

struct BrokenRule {
  std::string what, found, expected;
};

// Of the name of an artifact of this kind, BYOC_ARTIFACT_....
[[nodiscard]] std::optional<BrokenRule> broken_name(const std::string& name, std::uint32_t kind);
// The first rule that it breaks, in words that follow the name of who handed it over.
[[nodiscard]] std::optional<BrokenRule> broken_rule(const codegen::ConstantDecl& decl);
[[nodiscard]] std::optional<BrokenRule> broken_rule(const codegen::SourceDecl& decl);
[[nodiscard]] std::optional<BrokenRule> broken_rule(const codegen::ArtifactDecl& decl);
[[nodiscard]] std::optional<BrokenRule> broken_rule(const codegen::Verdict& verdict);

// "C source", "LLVM bitcode": a BYOC_ARTIFACT_... in words.
[[nodiscard]] std::string kind_name(std::uint32_t kind);

// Of an arrangement of a constant of so many bytes: it is one, reads nothing beyond the constant, and makes no more
// than 2^40 bytes.
[[nodiscard]] std::optional<BrokenRule> check_arrangement(const codegen::Arrangement& how, std::uint64_t source_bytes);

}  // namespace byoc::plugin
