// Additions for reductions of quantised values: scales, and kernels that know them.
#pragma once

#include <optional>
#include <string_view>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// Refuses element types, scales and operators that no kernel computes. Null: quantised values that can be reduced, by a
// kernel with scales or, where the integers are only compared, by the kernel of plain ones.
[[nodiscard]] std::optional<codegen::Verdict> refuse_quantised_reduction(const codegen::Region&, const codegen::Node&);
[[nodiscard]] bool reduction_has_scales(const codegen::Region&, const codegen::Node&);

// For sums of `count` elements.
[[nodiscard]] Kernel quantised_reduction(const codegen::Region&, const codegen::Node&, std::int64_t count);
// "reduce_q8": what the kernel's header, parameter structure and declaration are named after.
[[nodiscard]] std::string_view quantised_reduction_form(const codegen::Region&);
// The parameters behind those of byoc_reduce_t; `count` elements make one result.
void add_reduction_scales(ParameterText&, const codegen::Region&, const codegen::Node&, std::int64_t count);

}  // namespace byoc::c
