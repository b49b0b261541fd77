// Values that are more than the bytes of numbers: strings, sequences, optionals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::evaluate {

// A tensor of strings. `texts` has as many elements as `dims` say.
[[nodiscard]] Tensor tensor_of(std::vector<std::int64_t> dims, std::vector<std::string> texts);
// A sequence of tensors of this element type.
[[nodiscard]] Tensor sequence_of(DType dtype, std::vector<Tensor> items);
// An optional that holds a tensor or a sequence, or nothing; `type` is that of what it may hold.
[[nodiscard]] Tensor optional_of(const ir::TensorType& type, std::optional<Tensor> content);

// The value of a constant of the graph. Strings are read from its bytes. The verifier has accepted it.
[[nodiscard]] Tensor value_of(const ir::TensorType& type, const Blob& bytes);
// The inverse of value_of(); nullopt for values that cannot be constants.
[[nodiscard]] std::optional<Blob> constant_bytes(const Tensor&);

// Bytes that a value takes; of a string with those that keep it.
[[nodiscard]] std::uint64_t memory_of(const Tensor&);

// True if a value is complete: it has the bytes or strings of all elements of its type. Its items are complete, too,
// and have its element type.
[[nodiscard]] bool is_whole(const Tensor&);
// True if a whole value has the type `stated`; anything that `stated` leaves open may differ.
[[nodiscard]] bool fits(const ir::TensorType& stated, const Tensor&);
// Converts a value to the stated container: into an optional with the value if an optional is stated.
[[nodiscard]] Tensor as_stated(const ir::TensorType& stated, Tensor value);

}  // namespace byoc::evaluate
