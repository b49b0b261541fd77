// What this process is made of, by content.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sdk/base/support/loaded_code.hpp"

namespace byoc {
namespace {

TEST(LoadedCode, growsByWhatIsLoaded) {
  const auto before = identify_loaded_code();
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(identify_loaded_code(), before);
  for (const std::string& id : before) EXPECT_EQ(id.size(), 32U) << id;
  EXPECT_TRUE(std::binary_search(before.begin(), before.end(), identify_program()));
  // Of every system with glibc, and linked by nothing here.
  void* library = ::dlopen("libresolv.so.2", RTLD_NOW);
  if (library == nullptr) GTEST_SKIP() << ::dlerror();
  const auto after = identify_loaded_code();
  EXPECT_EQ(after.size(), before.size() + 1);
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  ::dlclose(library);
}

}  // namespace
}  // namespace byoc
