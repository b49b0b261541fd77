// Elements of tensors as numbers, for people.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "byoc/interface.hpp"

namespace byoc {

// All elements as they are stored, whatever their type; bools as their bytes.
[[nodiscard]] std::vector<double> numbers_of(const IoTensor& tensor, std::span<const std::byte> bytes);

// True if the elements are integers that stand for real numbers, by one scale.
[[nodiscard]] bool has_scale(const IoTensor& tensor);
// The real value of an element: scale * (element - zero point); the element itself where there is no scale.
[[nodiscard]] double real_value(const IoTensor& tensor, double element);

}  // namespace byoc
