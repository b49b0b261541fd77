// Constants of which a file has only what is not 0.
#pragma once

#include <tflite_schema/schema_generated.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc::tflite {

// The error in a sparse tensor.
struct SparseFault {
  std::string message, found, expected;
};

// Fills `dense`, zeros of the type's size, with the elements at `stored`. The levels of the traversal are the dims and
// then blocks of some of them, each stored whole or as the indices that are there (TACO's formats; schema.fbs of
// TFLite, SparsityParameters). Elements have whole bytes.
[[nodiscard]] std::optional<SparseFault> fill_in(const schema::SparsityParameters& how, const ir::TensorType& type,
                                                 std::span<const std::byte> stored, std::vector<std::byte>& dense);

}  // namespace byoc::tflite
