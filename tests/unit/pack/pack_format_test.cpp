#include "sdk/library/pack/pack_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::text_of;
using ::testing::HasSubstr;

TEST(PackFormat, ByTheNameOfTheOutput) {
  Diagnostics diags;
  EXPECT_EQ(*pack_format("out/kws.a", diags), PackFormat::archive);
  EXPECT_EQ(*pack_format("kws.o", diags), PackFormat::relocatable);
  EXPECT_EQ(*pack_format("kws.tar", diags), PackFormat::tar);
  EXPECT_EQ(*pack_format("kws.so", diags), PackFormat::shared);
  for (const char* folder : {"out.d/kws", "out/", "out.d/", "/", ".."})
    EXPECT_EQ(*pack_format(folder, diags), PackFormat::folder) << folder;
}

TEST(PackFormat, AnyOtherIsRefused) {
  const auto refused = [](const std::string& path) {
    Diagnostics diags;
    return pack_format(path, diags) ? std::string() : text_of(diags);
  };
  EXPECT_THAT(refused(""), HasSubstr("the output has no name"));
  EXPECT_THAT(refused("kws.zip"), HasSubstr("unknown suffix (found .zip, expected .a, .o, .so, .tar or a folder"));
  EXPECT_THAT(refused(".a"), HasSubstr("no name before its suffix (found .a"));
}

}  // namespace
}  // namespace byoc
