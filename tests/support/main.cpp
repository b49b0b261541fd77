// main() of programs with GoogleTest, which are their own helper program: with the services of what they link.
#include <gtest/gtest.h>

#include <vector>

#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/mapping_guard.hpp"
#include "sdk/base/support/want_of_memory.hpp"
#include "tests/support/services.hpp"

// Services of layers that a program does not link are null.
namespace byoc {
namespace compile {
extern const Service kService [[gnu::weak]];
}
namespace plugin {
extern const Service kService [[gnu::weak]];
}
namespace runtime {
extern const Service kRunService [[gnu::weak]];
}
namespace remote {
extern const Service kClientService [[gnu::weak]];
extern const Service kModelService [[gnu::weak]];
extern const Service kConfinementService [[gnu::weak]];
}  // namespace remote
namespace api {
extern const Service kGraphLibraryService [[gnu::weak]];
}
}  // namespace byoc

[[gnu::weak]] std::vector<byoc::Service> byoc::test::services() { return {}; }

int main(int argc, char** argv) {
  std::vector<byoc::Service> services = byoc::test::services();
  for (const byoc::Service* service :
       {&byoc::compile::kService, &byoc::plugin::kService, &byoc::runtime::kRunService, &byoc::remote::kClientService,
        &byoc::remote::kModelService, &byoc::remote::kConfinementService, &byoc::api::kGraphLibraryService})
    if (service != nullptr) services.push_back(*service);
  if (const auto code = byoc::helper_main(argc, argv, services)) return *code;
  byoc::may_end_for_want_of_memory();
  byoc::guard_mappings();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
