// Helpers of operators whose results come with a count.
#pragma once

#include <string>

#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

// The C expression of a result, "NULL" where it is not wanted.
[[nodiscard]] std::string wanted_output(StepBuilder&, const codegen::Node&, std::size_t output);
// The C expression of an operand, "NULL" where it is not given.
[[nodiscard]] std::string given_operand(StepBuilder&, const codegen::Node&, std::size_t input);

// Writes what `expression`, an int32_t, has found where the node wants a count. Where it does not, another number than
// `room` is an error, as is a larger one.
void take_count(StepBuilder&, const codegen::Node&, std::size_t count_output, const std::string& expression,
                std::int64_t room);

}  // namespace byoc::c
