#include "sdk/library/object/math_functions.hpp"

#include <algorithm>
#include <array>

namespace byoc {
namespace {

constexpr std::array<std::string_view, 49> kMath{
    "acos",  "acosh", "asin",   "asinh", "atan",  "atan2",  "atanh", "cbrt",      "ceil",   "copysign",
    "cos",   "cosh",  "erf",    "erfc",  "exp",   "exp2",   "expm1", "fabs",      "fdim",   "floor",
    "fma",   "fmax",  "fmin",   "fmod",  "frexp", "hypot",  "ldexp", "lgamma",    "llrint", "log",
    "log10", "log1p", "log2",   "logb",  "lrint", "lround", "modf",  "nearbyint", "pow",    "remainder",
    "rint",  "round", "scalbn", "sin",   "sinh",  "sqrt",   "tan",   "tanh",      "tgamma"};

bool is_of_double(std::string_view name) { return std::ranges::find(kMath, name) != kMath.end(); }

}  // namespace

bool is_math_function(std::string_view function) {
  return is_of_double(function) || (function.ends_with('f') && is_of_double(function.substr(0, function.size() - 1)));
}

bool want_math_library(std::span<const std::string> undefined) {
  return std::ranges::any_of(undefined, is_math_function);
}

}  // namespace byoc
