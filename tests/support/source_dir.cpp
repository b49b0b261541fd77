#include "tests/support/source_dir.hpp"

namespace byoc::test {

std::string source_dir() { return BYOC_SOURCE_DIR; }
std::string networks_dir() { return BYOC_NETWORKS_DIR; }

}  // namespace byoc::test
