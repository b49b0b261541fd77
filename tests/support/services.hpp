// Services of tests, beside those of the layers (tests/support/main.cpp).
#pragma once

#include <vector>

#include "sdk/base/support/helper_program.hpp"

namespace byoc::test {

// Defined by a program that has some.
[[nodiscard]] std::vector<Service> services();

}  // namespace byoc::test
