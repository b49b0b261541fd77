// Kernels that compute positions in floating point.
#pragma once

#include <string>

#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

// "double" for f64; all other types are computed in float.
[[nodiscard]] inline std::string weight_type(DType t) { return t == DType::f64 ? "double" : "float"; }

// A kernel of <file>.c for elements of `t` (BYOC_X, BYOC_WEIGHT); integers drop the fraction of what is stored.
[[nodiscard]] inline Kernel sampling_kernel(const std::string& file, DType t) {
  Kernel kernel{file + ".c", "byoc_" + file + "_" + std::string(to_string(t)), {}};
  define_element(kernel, "BYOC_X", t);
  define_arithmetic(kernel, t);
  kernel.defines["BYOC_WEIGHT"] = weight_type(t);
  if (is_integer_type(t)) kernel.defines["BYOC_X_STORE(v)"] = "byoc_saturatef(v)";
  return kernel;
}

}  // namespace byoc::c
