// Executors are found by their names.
#include <gtest/gtest.h>

#include "byoc/options.hpp"
#include "sdk/export/executors.hpp"

namespace byoc::executor {
namespace {

TEST(Executors, areFoundByTheirNames) {
  Diagnostics diags;
  for (const Executor* e : executors()) EXPECT_EQ(*find_executor(e->name(), diags), e);
  EXPECT_EQ(executors()[0]->name(), ExportRequest().executor);
  EXPECT_TRUE(diags.all().empty());
}

TEST(Executors, anUnknownOneIsAnErrorThatListsThoseThatThereAre) {
  Diagnostics diags;
  EXPECT_FALSE(find_executor("stackvm", diags));
  EXPECT_NE(to_string(diags.all().at(0)).find("'--executor': there is no such executor (found 'stackvm', expected aot"),
            std::string::npos)
      << to_string(diags.all()[0]);
}

}  // namespace
}  // namespace byoc::executor
