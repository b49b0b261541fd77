#include "sdk/library/pack/companions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sdk/base/support/file.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::text_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Companions, AreNamedAfterTheLibrary) {
  const Companions one = companions_of("build/m4.a", "kws", false);
  EXPECT_EQ(one.header, "build/m4.h");
  EXPECT_EQ(one.manifest, "build/m4.json");
  EXPECT_EQ(one.example, "build/m4_example_main.c");
  EXPECT_EQ(companions_of("models.so", "kws", true).header, "models_kws.h");
  EXPECT_EQ(companion("a.b/net.v2.o", ".spdx.json"), "a.b/net.v2.spdx.json");
  EXPECT_FALSE(has_several_models(std::vector<std::string>{"kws", ""}));
  EXPECT_TRUE(has_several_models(std::vector<std::string>{"kws", "vww"}));
}

class Owner : public ::testing::Test {
 protected:
  std::string path(const std::string& name) { return dir_->path() + "/" + name; }
  void put(const std::string& name, const std::string& text = "text") { std::ofstream(path(name)) << text; }
  std::string refused(const std::string& out) {
    Diagnostics diags;
    const Companions all = companions_of(path(out), "kws", false);
    EXPECT_TRUE(check_owner(path(out), all, true, diags));
    return check_owner(path(out), all, false, diags) ? "" : text_of(diags);
  }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(Owner, NothingIsThere) {
  put("kws.a");
  EXPECT_EQ(refused("kws.a"), "");
}

TEST_F(Owner, TheManifestSaysWhose) {
  put("kws.h");
  put("kws.json", R"({"format": 1, "byoc": "1", "library": "kws.a"})");
  EXPECT_EQ(refused("kws.a"), "");
  EXPECT_THAT(
      refused("kws.so"),
      HasSubstr("kws.json: error: belongs to another library than 'kws.so', and is left as it is (found 'kws.a', "
                "expected another name or folder for the library, or --force to replace the file)"));
}

TEST_F(Owner, FilesThatNothingIsSaidOf) {
  for (const char* name : {"kws.h", "kws_example_main.c"}) {
    put(name);
    EXPECT_THAT(refused("kws.a"), HasSubstr(std::string(name) +
                                            ": error: may be somebody else's, and is left as it is (found no manifest "
                                            "that says that it is of 'kws.a'"));
    std::filesystem::remove(path(name));
  }
  for (const char* text : {"", "{", "[]", R"({"library": "kws.a"})", R"({"byoc": "1", "library": 7})"}) {
    put("kws.json", text);
    EXPECT_THAT(refused("kws.a"), HasSubstr("kws.json: error: may be somebody else's")) << text;
  }
}

// The header of a table of functions has no manifest, unless a library of its name has one.
TEST_F(Owner, OfAHeaderAlone) {
  const auto check = [&](bool force) {
    Diagnostics diags;
    return check_owner_of(path("all.a"), path("sys.h"), force, diags) ? "" : text_of(diags);
  };
  put("sys.h");
  EXPECT_EQ(check(false), "");
  put("sys.json", R"({"byoc": "1", "library": "sys.o"})");
  EXPECT_THAT(check(false), HasSubstr("sys.h: error: belongs to another library than 'all.a'"));
  EXPECT_EQ(check(true), "");
}

TEST(Manifest, SaysToWhichLibraryItBelongs) {
  const std::string text = write_manifest({.byoc = "1"}, "new.a");
  EXPECT_THAT(text, StartsWith("{\n  \"format\": 1,\n  \"byoc\": \"1\",\n  \"library\": \"new.a\",\n"));
  EXPECT_EQ(manifest_library(text), "new.a");
  EXPECT_EQ(manifest_library(write_manifest({})), "");
}

}  // namespace
}  // namespace byoc
