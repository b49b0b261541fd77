#include "sdk/library/pack/archive.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::assemble;
using test::target;
using test::text_of;
using ::testing::HasSubstr;

std::vector<std::byte> object(const std::string& text) {
  auto bytes = assemble({"gcc", "-O1", "-fno-asynchronous-unwind-tables"}, text);
  return bytes ? *bytes : std::vector<std::byte>();
}

ConstantObject constants(const std::string& symbol, Blob bytes) {
  Diagnostics diags;
  ConstantArtifact a;
  a.symbol = symbol;
  a.bytes = std::move(bytes);
  auto made = ConstantObject::create(target("host"), {a}, diags);
  EXPECT_TRUE(made) << text_of(diags);
  return std::move(*made);
}

Blob text_blob(const std::string& text) {
  std::vector<std::byte> out(text.size());
  std::memcpy(out.data(), text.data(), text.size());
  return Blob::own(std::move(out));
}

void write_archive(const std::string& path, const Archive& archive) {
  const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
  EXPECT_TRUE(archive.write(fd));
  ::close(fd);
}

std::vector<ArchiveMember> three_members() {
  std::vector<ArchiveMember> m;
  m.push_back(
      {"main.o",
       object(
           "extern const char table[5]; int twice(int); int use(void); int use(void) { return twice(table[0]); }\n")});
  m.push_back({"a_member_with_a_long_name.o", object("int twice(int); int twice(int x) { return 2 * x; }\n")});
  m.push_back({"constants.o", constants("table", text_blob("hello"))});
  return m;
}

std::string refused(std::vector<ArchiveMember> members) {
  Diagnostics diags;
  EXPECT_FALSE(Archive::create(std::move(members), diags));
  return text_of(diags);
}

class ArchiveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_program("gcc").empty()) GTEST_SKIP() << "gcc is not installed";
  }
  std::string path(const std::string& name) { return dir_->path() + "/" + name; }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(ArchiveTest, LinksAndRuns) {
  auto archive = Archive::create(three_members(), diags_);
  ASSERT_TRUE(archive) << text_of(diags_);
  write_archive(path("lib.a"), *archive);
  EXPECT_EQ(test::file_bytes(path("lib.a")).size(), archive->size());
  std::ofstream(path("m.c")) << "int use(void); int main(void) { return use() == 2 * 'h' ? 0 : 1; }\n";
  auto built = run_process({"gcc", path("m.c"), path("lib.a"), "-Wl,--fatal-warnings", "-o", path("m")}, diags_);
  ASSERT_TRUE(built);
  ASSERT_EQ(built->exit_code, 0) << built->errors;
  auto run = run_process({path("m")}, diags_);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->exit_code, 0);
}

// GNU ar, run with its deterministic flag over the same members, writes the same file.
TEST_F(ArchiveTest, IsWhatGnuArWrites) {
  auto archive = Archive::create(three_members(), diags_);
  ASSERT_TRUE(archive);
  write_archive(path("ours.a"), *archive);
  const auto bytes = test::file_bytes(path("ours.a"));
  std::vector<std::string> argv{"ar", "rcsD", path("theirs.a")};
  const std::vector<ArchiveMember> members = three_members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::uint64_t end = i + 1 < members.size() ? archive->offset(i + 1) - 60 : archive->size();
    std::ofstream out(path(members[i].name), std::ios::binary);
    const auto size = std::holds_alternative<std::vector<std::byte>>(members[i].content)
                          ? std::get<0>(members[i].content).size()
                          : std::get<1>(members[i].content).size();
    ASSERT_LE(archive->offset(i) + size, end);
    out.write(reinterpret_cast<const char*>(bytes.data() + archive->offset(i)), static_cast<std::streamsize>(size));
    argv.push_back(path(members[i].name));
  }
  auto made = run_process(argv, diags_);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->exit_code, 0) << made->errors;
  EXPECT_EQ(bytes, test::file_bytes(path("theirs.a")));
}

TEST_F(ArchiveTest, IsTheSameEveryTime) {
  auto a = Archive::create(three_members(), diags_), b = Archive::create(three_members(), diags_);
  write_archive(path("a.a"), *a);
  write_archive(path("b.a"), *b);
  EXPECT_EQ(test::file_bytes(path("a.a")), test::file_bytes(path("b.a")));
}

TEST_F(ArchiveTest, AnEmptyOneIsAnArchiveToo) {
  auto a = Archive::create({}, diags_);
  ASSERT_TRUE(a);
  write_archive(path("e.a"), *a);
  EXPECT_EQ(a->size(), 8u);
}

TEST_F(ArchiveTest, RefusesDuplicatesAndBadNames) {
  std::vector<ArchiveMember> m = three_members();
  m[1].name = "main.o";
  EXPECT_THAT(refused(std::move(m)), HasSubstr("'main.o': two archive members have this name"));
  m = three_members();
  m.push_back({"again.o", object("int twice(int); int twice(int x) { return x; }\n")});
  EXPECT_THAT(refused(std::move(m)),
              HasSubstr("'twice': is defined twice (found a_member_with_a_long_name.o and again.o, expected one"));
  m = three_members();
  m.push_back({"again.o", constants("use", text_blob("x"))});
  EXPECT_THAT(refused(std::move(m)), HasSubstr("'use': is defined twice (found main.o and again.o"));
  for (const std::string name : {"", "a/b.o", "a\nb.o"}) {
    m = three_members();
    m[0].name = name;
    EXPECT_THAT(refused(std::move(m)), HasSubstr("cannot be the name of an archive member")) << name;
  }
  m = three_members();
  m[0].content = std::vector<std::byte>(10);
  EXPECT_THAT(refused(std::move(m)), HasSubstr("main.o: error: is not an object file"));
}

TEST_F(ArchiveTest, AWeakDefinitionBesideAStrongOneIsFine) {
  std::vector<ArchiveMember> m = three_members();
  m.push_back({"weak.o", object("int twice(int); __attribute__((weak)) int twice(int x) { return x; }\n")});
  EXPECT_TRUE(Archive::create(std::move(m), diags_)) << text_of(diags_);
}

TEST_F(ArchiveTest, CommonSymbolsMayStandInSeveralMembers) {
  std::vector<ArchiveMember> m = three_members();
  for (const char* name : {"one.o", "two.o"})
    m.push_back({name, object("__attribute__((common)) int shared_by_all;\n")});
  EXPECT_TRUE(Archive::create(std::move(m), diags_)) << text_of(diags_);
}

TEST_F(ArchiveTest, A64BitSymbolTableLinksToo) {
  auto archive = Archive::create(three_members(), diags_, /*narrow_limit=*/100);
  ASSERT_TRUE(archive) << text_of(diags_);
  write_archive(path("lib.a"), *archive);
  const auto bytes = test::file_bytes(path("lib.a"));
  ASSERT_EQ(bytes.size(), archive->size());
  EXPECT_EQ(std::memcmp(bytes.data(), "!<arch>\n/SYM64/ ", 16), 0);
  std::ofstream(path("m.c")) << "int use(void); int main(void) { return use() == 2 * 'h' ? 0 : 1; }\n";
  auto built = run_process({"gcc", path("m.c"), path("lib.a"), "-o", path("m")}, diags_);
  ASSERT_TRUE(built);
  ASSERT_EQ(built->exit_code, 0) << built->errors;
}

// Laid out only: no byte of the constant is read.
TEST_F(ArchiveTest, MoreThan4GiB) {
  constexpr std::uint64_t kSize = (std::uint64_t{4} << 30) + 4096;
  std::ofstream(path("model")).close();
  ASSERT_EQ(::truncate(path("model").c_str(), static_cast<off_t>(kSize)), 0);
  auto file = MappedFile::open(path("model"), diags_);
  ASSERT_TRUE(file);
  std::vector<ArchiveMember> m;
  m.push_back({"big.o", constants("big", Blob::map(*file, 0, kSize))});
  m.push_back({"small.o", object("int small(void); int small(void) { return 7; }\n")});
  auto archive = Archive::create(std::move(m), diags_);
  ASSERT_TRUE(archive) << text_of(diags_);
  EXPECT_GT(archive->offset(1), kSize);
}

}  // namespace
}  // namespace byoc
