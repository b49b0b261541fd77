// Functions of <math.h>, which are in a library of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace byoc {

// True for the names of C99 that compilers call, of double and of float.
[[nodiscard]] bool is_math_function(std::string_view function);

// True if one of these functions, which a library wants of others, is one: it is to be linked with -lm.
[[nodiscard]] bool want_math_library(std::span<const std::string> undefined);

}  // namespace byoc
