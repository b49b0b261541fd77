// Helpers for lowerings that read or write at the positions of an operand of indices.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

// Indices in C: constants become a table of int32_t.
struct Indices {
  std::string expression;
  std::string type;  // "int32_t"
  std::string name;  // of kernels for them: "i32"
};
[[nodiscard]] Indices indices(StepBuilder&, const codegen::Node&, std::size_t input);

// Refuses element types other than i32 and i64, and constants out of range: entry i may count from either end of
// length_of(i) elements.
[[nodiscard]] codegen::Verdict accepts_indices(const codegen::Region&, const codegen::Node&, std::size_t input,
                                               const std::function<std::int64_t(std::size_t)>& length_of);

// The kernel <what>_<bytes>_<indices>, made for the element size of a value.
[[nodiscard]] std::string moving_kernel(StepBuilder&, const std::string& what, DType element, const Indices&);

// GatherElements, ScatterElements: parameters of byoc_elements_t. Nothing, with the reason, where dims do not fit.
[[nodiscard]] std::optional<ParameterText> read_elements(const codegen::Region&, const codegen::Node&,
                                                         std::string& why);
// GatherND, ScatterND: parameters of byoc_tuples_t.
struct Tuples {
  std::int64_t batches = 1, batch_stride = 0, count = 1, width = 0, inner = 1;
  Dims length, stride;
  [[nodiscard]] ParameterText text() const;
};
[[nodiscard]] std::optional<Tuples> read_tuples(const codegen::Region&, const codegen::Node&, std::int64_t batch,
                                                std::string& why);

}  // namespace byoc::c
