// Archives of devices, which anybody may have written.
#include "sdk/library/pack/model_library_package.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sdk/base/support/process.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::HasSubstr;

class ModelLibraryPackage : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::string file = dir_->path() + "/t/" + name;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << text;
  }
  static std::string manifest() {
    return R"({"format": 1, "model": "m", "prefix": "m", "target": {"name": "cortex-m4f"}, "inputs": [], "outputs": [], "steps": [],
      "workspace": {"bytes": 16, "align": 8, "lower_bound": 16}, "instance": {"bytes": 0, "align": 1}, "weight_bytes": 0,
      "constants": [], "link_libraries": ["acme"]})";
  }
  static std::string metadata(const std::string& own) {
    return R"({"version": 7, "modules": {"m": {"x_byoc": {"target_spec": )" + write_target(target("cortex-m4f")) +
           ", \"manifest\": " + manifest() + ", " + own + "}}}}";
  }
  // What is in the folder t as an archive.
  Result<Package> read() {
    const std::string file = dir_->path() + "/m.tar";
    EXPECT_EQ(
        run_process({"sh", "-c", "cd t && tar -cf ../m.tar --format=ustar *"}, diags_, {.directory = dir_->path()})
            ->exit_code,
        0);
    return read_model_library_package(file, {}, diags_);
  }
  std::string refused(const std::string& text) {
    write("metadata.json", text);
    diags_ = {};
    EXPECT_FALSE(read());
    return text_of(diags_);
  }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

constexpr const char* kSources =
    R"("sources": [{"file": "codegen/host/src/m_lib0.c", "module": "m", "opt_level": "s"},
                   {"file": "codegen/host/src/m_lib1.c", "module": "k"}])";

TEST_F(ModelLibraryPackage, HasItsSourcesWithWhatTheyNeed) {
  write("metadata.json", metadata(kSources));
  write("codegen/host/src/m_lib0.c", "root");
  write("codegen/host/src/m_lib1.c", "kernel");
  write("codegen/host/src/m_lib2.c", "what only other tools call");
  write("codegen/host/include/m.h", "header");
  const auto package = read();
  ASSERT_TRUE(package) << text_of(diags_);
  EXPECT_EQ(package->target.name, "cortex-m4f");
  EXPECT_EQ(package->prefix, "m");
  EXPECT_EQ(package->header, "header");
  EXPECT_THAT(package->link_libraries, ::testing::ElementsAre("acme"));
  ASSERT_EQ(package->tree.modules.size(), 2U);
  const Module& root = package->tree.modules[0];
  EXPECT_EQ(root.name, "m");
  EXPECT_EQ(root.opt_level(), "s");
  EXPECT_EQ(root.bytes.size(), 4U);
  EXPECT_THAT(root.imports, ::testing::ElementsAre(1U));
  EXPECT_THAT(root.origin, HasSubstr("m.tar(codegen/host/src/m_lib0.c)"));
}

TEST_F(ModelLibraryPackage, IsNotTrusted) {
  write("codegen/host/src/m_lib0.c", "root");
  const auto source = [](const std::string& file, const std::string& more) {
    return metadata(R"("sources": [{"file": ")" + file + "\", " + more + "}]");
  };
  EXPECT_THAT(refused(source("codegen/host/src/m_lib0.c", R"("module": "../m")")),
              HasSubstr("m.tar: error: 'module': has text that it cannot have (found '../m'"));
  EXPECT_THAT(refused(source("codegen/host/src/m_lib0.c", R"("module": "m", "opt_level": "fast")")),
              HasSubstr("'opt_level': has text that it cannot have (found 'fast', expected 0, 1, 2, 3, s or z"));
  EXPECT_THAT(refused(source("../m.c", R"("module": "m")")),
              HasSubstr("'../m.c': the archive has no file of this name"));
  EXPECT_THAT(refused(metadata(R"("sources": 7)")), HasSubstr("metadata.json': is not as byoc writes it"));
  EXPECT_THAT(refused(metadata(R"("objects": [])")), HasSubstr("m.tar: error: 'm': has neither sources nor objects"));
  std::string other = metadata(kSources);
  other.replace(other.find("arm-none-eabi-gcc"), 17, "/tmp/evil-gcc\\\" x");
  EXPECT_THAT(refused(other), HasSubstr("m.tar: error: "));
  EXPECT_THAT(refused(R"({"modules": {}})"), HasSubstr("m.tar: error: has no model"));
  EXPECT_THAT(refused(R"({"modules": {"a": {}, "b": {}}})"), HasSubstr("holds several models"));
  EXPECT_THAT(refused(R"({"modules": {"a": {}}})"), HasSubstr("'a': the archive was written by another tool"));
}

TEST_F(ModelLibraryPackage, HeadersStayInside) {
  write("codegen/host/src/m_lib0.c", "root");
  write("codegen/host/src/m_lib1.c", "kernel");
  write("codegen/host/include/-m.h", "header");
  EXPECT_THAT(refused(metadata(kSources)), HasSubstr("'headers': has text that it cannot have (found '-m.h'"));
}

}  // namespace
}  // namespace byoc
