// Rules for the names and numbers of artifacts and verdicts, for C++ codegens and plug-ins alike.
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

// The broken rule of the name of an artifact of this kind, BYOC_ARTIFACT_....
[[nodiscard]] std::optional<BrokenRule> broken_name(const std::string& name, std::uint32_t kind);
// The first rule that it breaks, in words that follow the name of who handed it over.
[[nodiscard]] std::optional<BrokenRule> broken_rule(const codegen::ConstantDecl& decl);
[[nodiscard]] std::optional<BrokenRule> broken_rule(const codegen::SourceDecl& decl);
[[nodiscard]] std::optional<BrokenRule> broken_rule(const codegen::ArtifactDecl& decl);
[[nodiscard]] std::optional<BrokenRule> broken_rule(const codegen::Verdict& verdict);

// "C source", "LLVM bitcode": a BYOC_ARTIFACT_... in words.
[[nodiscard]] std::string kind_name(std::uint32_t kind);

// Checks an arrangement of a constant of `source_bytes` bytes: it is valid, reads nothing beyond the constant, and
// makes no more than 2^40 bytes.
[[nodiscard]] std::optional<BrokenRule> check_arrangement(const codegen::Arrangement& how, std::uint64_t source_bytes);

}  // namespace byoc::plugin
