// Helpers of the operators of TensorFlow Lite Micro's signal library.
#pragma once

#include <string_view>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {

// An attribute that must be there, in this range.
[[nodiscard]] Result<std::int64_t> setting(const Call&, std::string_view name, std::int64_t low, std::int64_t high);
[[nodiscard]] Result<void> want_type(const Call&, std::size_t input, DType);
[[nodiscard]] Result<void> want_elements(const Call&, std::size_t input, std::int64_t count);
// A result of one truth, or of one i32.
[[nodiscard]] Result<Tensor> truth(const Call&, bool, std::size_t output);
[[nodiscard]] Result<Tensor> whole(const Call&, std::int32_t, Dims, std::size_t output);

}  // namespace byoc::evaluate
