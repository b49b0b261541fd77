// Functions of one element, known by evaluating them on every integer there is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::optimise {

// A tensor of type `type` with these integers. integers_of() gives the elements of an integer tensor; none for any
// other type.
[[nodiscard]] evaluate::Tensor tensor_of(ir::TensorType type, const std::vector<std::int64_t>& values);
// The elements of an integer tensor; none of another.
[[nodiscard]] std::vector<std::int64_t> integers_of(const evaluate::Tensor& tensor);
[[nodiscard]] evaluate::Tensor constant_of(const ir::Graph& graph, ir::ValueId v);

// Every integer of the element type in order, as a line with the quantisation of `type`.
[[nodiscard]] evaluate::Tensor every_integer(const ir::TensorType& type);
// The results of a node of one result on such a line; nothing where the node reads something else that is no constant,
// or cannot be evaluated.
[[nodiscard]] std::optional<evaluate::Tensor> results_on(const ir::Graph& graph, const ir::Node& node,
                                                         const evaluate::Tensor& x);

}  // namespace byoc::optimise
