// Checks whether a definition fits the prototype that byoc wrote. Internal to this folder.
#pragma once

#include <string>

namespace clang {
class ASTContext;
class FunctionDecl;
}  // namespace clang

namespace byoc::compile {

// `prototype` is "int32_t f(const float *in0, float *out0, void *ws0)" as the executor writes it. Types fit if calls
// do: "int" where it has the 32 bits of int32_t, any pointer for void *.
[[nodiscard]] bool fits(const clang::FunctionDecl& f, const std::string& prototype, const clang::ASTContext& context);

}  // namespace byoc::compile
