// Outputs as .npy files: NEP 1, https://numpy.org/neps/nep-0001-npy-format.html
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"

namespace byoc {

// A file of version 1. Types that numpy does not have are as the package ml_dtypes writes them: a byte or two for each
// element, without a type.
[[nodiscard]] std::vector<std::byte> npy_file(const IoTensor& tensor, std::span<const std::byte> bytes);

}  // namespace byoc
