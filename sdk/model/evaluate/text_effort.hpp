// The effort of operators with strings. Internal to this folder.
#pragma once

#include "sdk/model/evaluate/effort.hpp"

namespace byoc::evaluate {

// The operands of a node, as far as they are known.
struct NodeSizes {
  const ir::Graph& graph;
  const ir::Node& node;
  std::span<const Tensor* const> operands;

  [[nodiscard]] const Tensor* given(std::size_t input) const {
    return input < operands.size() ? operands[input] : nullptr;
  }
  // Null: its dims are not known.
  [[nodiscard]] const ir::TensorType* type(std::size_t input) const;
  [[nodiscard]] double elements(std::size_t input) const { return elements_of(type(input)); }
  [[nodiscard]] double dim(std::size_t input, std::size_t axis) const;
  // The elements of an i32 or i64 operand; empty where they are not known.
  [[nodiscard]] std::vector<std::int64_t> numbers(std::size_t input) const;
  // Elements of the first result, as the graph states it; 0: it does not.
  [[nodiscard]] double results() const;
  [[nodiscard]] static double elements_of(const ir::TensorType* type);
};

// Nothing for nodes without strings.
[[nodiscard]] Effort text_effort(const NodeSizes& node);

}  // namespace byoc::evaluate
