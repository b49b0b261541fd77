// Functions of one element of int8 or shifted uint8, which kernels look up in a table.
#pragma once

#include <cstdint>
#include <functional>

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Adds y = function(x) for every integer of x, both int8; results outside of int8 saturate.
void look_up(OperatorImport&, ir::ValueId x, ir::ValueId y, const std::function<std::int64_t(std::int64_t)>& function);

// As look_up(), with a function of real numbers: in float32, rounded half away from zero, as upstream fills its tables.
void look_up_real(OperatorImport&, ir::ValueId x, ir::ValueId y, const std::function<float(float)>& function);

}  // namespace byoc::tflite
