// Constants as C, for compilers to encode. All three give the same symbols in the same sections.
#pragma once

#include <string>

#include "sdk/library/object/constant_object.hpp"

namespace byoc {

// Every byte as a number.
[[nodiscard]] std::string constants_as_c(const ConstantObject&);

// The bytes of content i are the file "<folder>/<i>.bin"; `folder` has no quotes, backslashes or control characters.
// #embed of C23:
[[nodiscard]] std::string constants_as_embed(const ConstantObject&, const std::string& folder);
// .incbin in assembly at file scope, as GNU's assembler and LLVM's read it:
[[nodiscard]] std::string constants_as_incbin(const ConstantObject&, const std::string& folder);

}  // namespace byoc
