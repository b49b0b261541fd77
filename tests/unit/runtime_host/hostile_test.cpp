// Libraries that somebody made to do harm, or that were damaged: refused, and nothing appears beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "byoc/byoc.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/library/object/carried_sections.hpp"
#include "sdk/library/pack/archive.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::HasSubstr;

class Hostile : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return dir_->path() + "/" + name; }
  std::string refused(const std::string& name) {
    Diagnostics diags;
    const std::size_t before = entries();
    EXPECT_FALSE(load_module(path(name), {}, diags));
    EXPECT_EQ(entries(), before);
    return text_of(diags);
  }
  [[nodiscard]] std::size_t entries() const {
    const std::filesystem::recursive_directory_iterator all(dir_->path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  // A tar of what `command` puts into the folder t.
  std::string tar(const std::string& command, const std::string& metadata) {
    std::filesystem::remove_all(path("t"));
    write("t/metadata.json", metadata);
    EXPECT_EQ(run_process({"sh", "-c", "cd t && " + command}, diags_, {.directory = dir_->path()})->exit_code, 0);
    return refused("m.tar");
  }
  static std::string metadata(const std::string& own) {
    return R"({"version": 7, "modules": {"m": {"x_byoc": )" + own + "}}}";
  }
  // An object for the host that carries these bytes as a section of this name.
  std::vector<std::byte> carrying(const std::string& section, const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    auto object = write_carried_sections(target("host"), {{section, bytes}}, diags_);
    EXPECT_TRUE(object) << text_of(diags_);
    return *object;
  }
  void write_object(const std::string& name, const std::vector<std::byte>& bytes) {
    write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

constexpr const char* kPack = "tar -cf ../m.tar --format=ustar *";

TEST_F(Hostile, ArchivesOfOthers) {
  EXPECT_THAT(tar(kPack, "{\"version\": 7, \"modules\": {\"add\": {}}}"),
              HasSubstr("m.tar: error: 'add': the archive was written by another tool (found no x_byoc"));
  EXPECT_THAT(tar(kPack, metadata(R"({"target_spec": {"name": "cortex-m4f"}})")),
              HasSubstr("nothing in the archive can be loaded: it was exported for a device (found cortex-m4f"));
  EXPECT_THAT(tar(kPack, "{\"version\": 7}"), HasSubstr("has no model that byoc exported"));
  EXPECT_THAT(tar(kPack, "{"), HasSubstr("is not as byoc writes it"));
  EXPECT_THAT(tar(kPack, metadata(R"({"loader": 7})")), HasSubstr("is not as byoc writes it"));
  EXPECT_THAT(tar("rm metadata.json && touch a && tar -cf ../m.tar a", ""), HasSubstr("has no metadata.json"));
}

TEST_F(Hostile, ArchivesThatReachOutside) {
  const std::string outside = metadata(R"({"loader": "../evil.o"})");
  EXPECT_THAT(tar(kPack, outside), HasSubstr("'../evil.o': the archive has no file of this name"));
  EXPECT_THAT(tar("touch ../evil.o && tar -cPf ../m.tar metadata.json ../evil.o", outside),
              HasSubstr("'../evil.o': an entry leaves the archive"));
  EXPECT_THAT(tar("ln -s /etc/passwd a.o && tar -cf ../m.tar *", metadata(R"({"loader": "a.o"})")),
              HasSubstr("'a.o': an entry is neither a file nor a folder"));
  EXPECT_THAT(tar("mkfifo a.o && tar -cf ../m.tar *", metadata(R"({"loader": "a.o"})")),
              HasSubstr("'a.o': an entry is neither a file nor a folder"));
  // A sparse file says that it has a gigabyte.
  EXPECT_THAT(tar("truncate -s 1G a.o && tar -cSf ../m.tar *", metadata(R"({"loader": "a.o"})")),
              HasSubstr("'a.o': an entry is larger than the archive"));
  EXPECT_THAT(tar("echo text > a.o && tar -cf ../m.tar *", metadata(R"({"loader": "a.o"})")),
              HasSubstr("m.tar: error: is not "));
}

TEST_F(Hostile, ObjectsThatCarryWhatIsWrong) {
  write_object("tree.o", carrying(".byoc.tree.m", "BYOCTREE, or so it says"));
  EXPECT_THAT(refused("tree.o"), HasSubstr("tree.o: error: 'import tree': does not begin as it should"));
  write_object("object.o", carrying(".byoc.object.m.1", "no object"));
  EXPECT_THAT(refused("object.o"), HasSubstr("object.o: error: is not an object file"));
  write_object("neither.o", carrying(".rodata.m", "data"));
  EXPECT_THAT(refused("neither.o"), HasSubstr("neither.o: error: has no import tree"));
  // Two of one name.
  auto archive =
      Archive::create({{"a.o", carrying(".byoc.tree.m", "1")}, {"b.o", carrying(".byoc.tree.m", "2")}}, diags_);
  ASSERT_TRUE(archive) << text_of(diags_);
  OutputSet files(diags_);
  ASSERT_TRUE(files.add(path("two.a"), [&](int fd) { return archive->write(fd); }) && files.commit());
  EXPECT_THAT(refused("two.a"), HasSubstr("two.a(b.o): error: 'm': two libraries of this name are carried"));
}

TEST_F(Hostile, StaticLibraries) {
  write("cut.a", "!<arch>\nx");
  EXPECT_THAT(refused("cut.a"), HasSubstr("cut.a: error: is a damaged static library"));
  write("empty.a", "!<arch>\n");
  EXPECT_THAT(refused("empty.a"), HasSubstr("empty.a: error: is an empty static library"));
  write("thin.a", "!<thin>\n");
  EXPECT_THAT(refused("thin.a"), HasSubstr("thin.a: error: is a thin archive"));
  write("script.o", "INPUT(/etc/passwd)");
  EXPECT_THAT(refused("script.o"), HasSubstr("script.o: error: is nothing that can be loaded (found other bytes"));
  write("model.a", "    TFL3 and so on");
  EXPECT_THAT(refused("model.a"), HasSubstr("(found a TFLite model, for byoc export, byoc run or byoc inspect"));
}

}  // namespace
}  // namespace byoc
