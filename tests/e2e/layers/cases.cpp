#include "tests/e2e/layers/cases.hpp"

#include <ostream>

namespace byoc::test {

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

}  // namespace byoc::test
