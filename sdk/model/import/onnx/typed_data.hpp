// The typed data fields of a TensorProto: float_data, int32_data, int64_data, double_data, uint64_data.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/types.hpp"

namespace byoc::onnx_import {

// The field of TensorProto in which typed data of this type is stored.
[[nodiscard]] std::uint32_t typed_data_field(DType);

// Typed data as it is found: nothing, bytes of the message that already are the tensor's bytes, or decoded ones.
struct TypedData {
  bool present = false;
  std::span<const std::byte> in_place;  // used when `decoded` is empty
  std::vector<std::byte> decoded;
  std::string problem;  // not empty: damaged, or a value that its type cannot hold
};

// Reads field `typed_data_field(dtype)` of a TensorProto message, packed or not. At most `limit` bytes are produced;
// more is a problem.
[[nodiscard]] TypedData read_typed_data(std::span<const std::byte> tensor_message, DType dtype, std::uint64_t limit);

}  // namespace byoc::onnx_import
