// Which elements of its operands an element of an operator's result is made of, as far as layouts and patches ask.
#pragma once

#include "byoc/codegen.hpp"

namespace byoc::c {

// Of the elements at the same place alone, after broadcasting.
[[nodiscard]] bool is_elementwise(const codegen::Node&);

// Of those in a window that slides over the image, each channel by itself.
[[nodiscard]] bool is_pool(const codegen::Node&);

}  // namespace byoc::c
