// Small pieces of C text.
#pragma once

#include <string>
#include <string_view>

#include "byoc/types.hpp"

namespace byoc::executor {

[[nodiscard]] std::string_view c_type(DType);  // "int8_t"; bool is uint8_t, f16 its bits
[[nodiscard]] std::string c_float(float);      // reads back to the same bits
[[nodiscard]] std::string upper_case(std::string_view);

}  // namespace byoc::executor
