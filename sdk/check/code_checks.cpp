// Checks of the code that it hands over.
#include "sdk/check/context.hpp"

namespace byoc::check {

std::vector<Unit> code_units() { return {}; }

}  // namespace byoc::check
