#include "tests/support/source_dir.hpp"

namespace byoc::test {

std::string source_dir() { return BYOC_SOURCE_DIR; }

}  // namespace byoc::test
