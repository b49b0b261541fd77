#include "sdk/library/object/constant_object.hpp"

#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <map>

#include "sdk/library/object/object_facts.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Blob bytes_of(const std::string& text) {
  std::vector<std::byte> out(text.size());
  std::memcpy(out.data(), text.data(), text.size());
  return Blob::own(std::move(out));
}

ConstantArtifact constant(const std::string& symbol, const std::string& text, std::uint32_t align = 4) {
  ConstantArtifact a;
  a.symbol = symbol;
  a.bytes = bytes_of(text);
  a.align = align;
  return a;
}

ConstantObject created(const TargetSpec& t, const std::vector<ConstantArtifact>& artifacts) {
  Diagnostics diags;
  auto object = ConstantObject::create(t, artifacts, diags);
  EXPECT_TRUE(object) << text_of(diags);
  return std::move(*object);
}

bool write_to(const std::string& path, const ConstantObject& object) {
  const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
  const bool ok = object.write(fd);
  return ::close(fd) == 0 && ok;
}

struct Scratch {
  Diagnostics diags;
  Result<TemporaryDirectory> dir = TemporaryDirectory::create(diags);
  [[nodiscard]] std::string path(const std::string& name) const { return dir->path() + "/" + name; }
};

TEST(ConstantObject, EveryTargetGetsItsOwnKindOfObject) {
  const Scratch scratch;
  for (const TargetSpec& t : known_targets()) {
    SCOPED_TRACE(t.name);
    ConstantArtifact local = constant("hidden_table", "xyz", 1);
    local.global = false;
    const ConstantObject object =
        created(t, {constant("weights", "0123456789", 16), local, constant("bias", "abcd", 8)});
    ASSERT_TRUE(write_to(scratch.path("c.o"), object));
    const auto bytes = test::file_bytes(scratch.path("c.o"));
    EXPECT_EQ(bytes.size(), object.size());
    Diagnostics diags;
    auto facts = read_object_facts(bytes, "c.o", diags);
    ASSERT_TRUE(facts) << text_of(diags);
    EXPECT_TRUE(check_object(*facts, t, "constants", diags)) << text_of(diags);
    EXPECT_FALSE(facts->defines_functions);
    ASSERT_EQ(facts->defined.size(), 2u);
    EXPECT_EQ(facts->defined[0].name, "weights");
    EXPECT_EQ(facts->defined[0].size, 10u);
    EXPECT_FALSE(facts->defined[0].function);
    EXPECT_EQ(facts->defined[0].section, ".rodata.weights");
    EXPECT_THAT(object.global_symbols(), ElementsAre("weights", "bias"));
    std::map<std::string, ObjectSection> sections;
    for (const ObjectSection& s : facts->sections) sections[s.name] = s;
    EXPECT_EQ(sections.count(".note.GNU-stack"), t.hosted ? 1u : 0u);
    for (const auto& [name, align] :
         {std::pair(".rodata.weights", 16u), std::pair(".rodata.bias", 8u), std::pair(".rodata.hidden_table", 1u)}) {
      ASSERT_EQ(sections.count(name), 1u) << name;
      EXPECT_EQ(sections[name].align, align);
      EXPECT_TRUE(sections[name].allocated && !sections[name].writable && !sections[name].executable);
    }
    for (const ConstantObject::Place& p : object.places()) EXPECT_EQ(p.offset % p.align, 0u);
    EXPECT_EQ(std::memcmp(bytes.data() + object.places()[0].offset, "0123456789", 10), 0);
    EXPECT_EQ(std::memcmp(bytes.data() + object.places()[2].offset, "abcd", 4), 0);
  }
}

// Where Clang and GCC see `extern const float table[4]`, they load it by aligned vectors there.
TEST(ConstantObject, LargeArraysAreAlignedAsTheAbiOfX8664Says) {
  for (const TargetSpec& t : known_targets()) {
    SCOPED_TRACE(t.name);
    const ConstantObject object =
        created(t, {constant("odd", "x", 1), constant("table", "0123456789abcdef", 4), constant("small", "0123", 4)});
    EXPECT_EQ(object.places()[1].align, t.triple.starts_with("x86_64") ? 16u : 4u);
    EXPECT_EQ(object.places()[2].align, 4u);
  }
}

// Compilers reach what is not larger than 64 KiB by 32-bit offsets, in the medium code model too.
TEST(ConstantObject, LargeOnesAreFarAwayInTheMediumCodeModel) {
  const Scratch scratch;
  TargetSpec t = for_constants(target("host"), 1, 0);
  t.pools.push_back({"own", PoolKind::flash, 0, {}, ".own"});
  ConstantArtifact own = constant("own", std::string(70001, 'o'));
  own.region = "own";
  const std::vector<ConstantArtifact> all{constant("near", std::string(65536, 'n')),
                                          constant("far", std::string(65537, 'f')), own};
  for (const auto& [spec, model] : {std::pair(t, "medium"), std::pair(target("host"), "small")}) {
    TargetSpec given = spec;
    given.pools = t.pools;
    const ConstantObject object = created(given, all);
    ASSERT_TRUE(write_to(scratch.path("c.o"), object));
    Diagnostics diags;
    auto read = run_process({"readelf", "-SW", scratch.path("c.o")}, diags);
    if (!read) GTEST_SKIP() << "readelf is not installed";
    const bool medium = model == std::string("medium");
    EXPECT_THAT(read->output, testing::ContainsRegex(" .rodata.near .* A  0"));
    EXPECT_THAT(read->output, testing::ContainsRegex(medium ? " .lrodata.far .* Al  0" : " .rodata.far .* A  0"));
    EXPECT_THAT(read->output, testing::ContainsRegex(medium ? " .own.own .* Al  0" : " .own.own .* A  0"));
    EXPECT_EQ(object.contents()[1].is_large(), medium);
  }
}

TEST(ConstantObject, HeaderFlagsSayTheAbi) {
  const Scratch scratch;
  for (const auto& [name, flags] :
       {std::pair("cortex-m4f", 0x05000400u), std::pair("cortex-m4", 0x05000200u), std::pair("riscv32imc", 0x1u),
        std::pair("riscv64gc", 0x5u), std::pair("host", 0u), std::pair("aarch64-linux-gnu", 0u)}) {
    ASSERT_TRUE(write_to(scratch.path("c.o"), created(target(name), {constant("c", "abcd")})));
    Diagnostics diags;
    auto facts = read_object_facts(test::file_bytes(scratch.path("c.o")), "c.o", diags);
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->flags, flags) << name;
  }
}

TEST(ConstantObject, LinksWithTheTargetsLinkerWithoutWarnings) {
  const Scratch scratch;
  for (const TargetSpec& t : known_targets()) {
    SCOPED_TRACE(t.name);
    if (find_program(t.gnu_command).empty()) continue;
    ASSERT_TRUE(write_to(scratch.path("c.o"),
                         created(t, {constant("kept", "0123456789abcdef", 16), constant("dropped", "zz")})));
    std::ofstream(scratch.path("m.c"))
        << "extern const char kept[16]; int _start(void); int _start(void) { return kept[3]; }\n";
    std::vector<std::string> argv{t.gnu_command};
    argv.insert(argv.end(), t.gnu_flags.begin(), t.gnu_flags.end());
    for (const std::string& a :
         {std::string("-nostdlib"), std::string("-static"), std::string("-Wl,--gc-sections,--fatal-warnings"),
          scratch.path("m.c"), scratch.path("c.o"), std::string("-o"), scratch.path("m")})
      argv.push_back(a);
    Diagnostics diags;
    auto result = run_process(argv, diags);
    ASSERT_TRUE(result) << text_of(diags);
    ASSERT_EQ(result->exit_code, 0) << result->errors;
    auto nm = run_process({"readelf", "-sW", scratch.path("m")}, diags);
    ASSERT_TRUE(nm);
    EXPECT_THAT(nm->output, HasSubstr(" kept\n"));
    EXPECT_THAT(nm->output, ::testing::Not(HasSubstr("dropped")));
  }
}

// The bytes that a program reads are the bytes that were given.
TEST(ConstantObject, RunsOnTheHost) {
  const Scratch scratch;
  if (find_program("gcc").empty()) GTEST_SKIP() << "gcc is not installed";
  ASSERT_TRUE(write_to(
      scratch.path("c.o"),
      created(target("host"), {constant("a", "hello", 64), constant("b", "world!", 2), constant("c", "hello", 8)})));
  std::ofstream(scratch.path("m.c")) << R"(#include <stdint.h>
#include <string.h>
extern const char a[5], b[6], c[5];
int main(void) { return memcmp(a, "hello", 5) || memcmp(b, "world!", 6) || a != c || (uintptr_t)a % 64; }
)";
  Diagnostics diags;
  auto built = run_process(
      {"gcc", "-Wall", "-Werror", "-w", scratch.path("m.c"), scratch.path("c.o"), "-o", scratch.path("m")}, diags);
  ASSERT_TRUE(built);
  ASSERT_EQ(built->exit_code, 0) << built->errors;
  auto run = run_process({scratch.path("m")}, diags);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->exit_code, 0);
}

TEST(ConstantObject, IdenticalContentsAreStoredOnceInARegion) {
  TargetSpec t = target("cortex-m4");
  t.pools.push_back({"npu_flash", PoolKind::flash, 1024, {}, ".npu"});
  ConstantArtifact elsewhere = constant("d", "same", 4);
  elsewhere.region = "npu_flash";
  const ConstantObject object =
      created(t, {constant("a", "same", 4), constant("b", "diff", 4), constant("c", "same", 32), elsewhere});
  const auto& p = object.places();
  EXPECT_EQ(p[0].offset, p[2].offset);
  EXPECT_TRUE(p[2].shared);
  EXPECT_FALSE(p[0].shared);
  EXPECT_EQ(p[0].align, 32u);
  EXPECT_EQ(p[2].section, ".rodata.a");
  EXPECT_NE(p[3].offset, p[0].offset);
  EXPECT_EQ(p[3].section, ".npu.d");
  EXPECT_NE(p[1].offset, p[0].offset);
}

TEST(ConstantObject, WhatOnlyStartsAlikeStaysApart) {
  std::vector<std::byte> one(20000), other(20000), start(20000);
  other[19999] = std::byte{1};
  start[0] = std::byte{1};
  const codegen::Arrangement backwards{.element_size = 4, .axes = {{2, 1}}, .loops = {{5000, 0, 1}}};
  const Blob source = Blob::own(std::vector<std::byte>(8));
  std::vector<ConstantArtifact> artifacts(6);
  const Blob blobs[] = {Blob::own(one),
                        Blob::own(other),
                        Blob::own(start),
                        Blob::own(other),
                        Blob::arrange(source, backwards),
                        Blob::arrange(source, backwards)};
  for (std::size_t i = 0; i < 6; ++i) {
    artifacts[i].symbol = "c" + std::to_string(i);
    artifacts[i].bytes = blobs[i];
  }
  Diagnostics diags;
  const auto object = ConstantObject::create(target("cortex-m4f"), artifacts, diags);
  ASSERT_TRUE(object);
  std::vector<std::size_t> contents;
  for (const ConstantObject::Place& p : object->places()) contents.push_back(p.content);
  EXPECT_EQ(contents, (std::vector<std::size_t>{0, 1, 2, 1, 0, 0}));
}

TEST(ConstantObject, RefusesWhatCannotBe) {
  const auto refused = [](const TargetSpec& t, const std::vector<ConstantArtifact>& artifacts) {
    Diagnostics diags;
    EXPECT_FALSE(ConstantObject::create(t, artifacts, diags));
    return text_of(diags);
  };
  const TargetSpec t = target("cortex-m4");
  EXPECT_THAT(refused(t, {constant("a", "x"), constant("a", "y")}), HasSubstr("two constants have this symbol"));
  EXPECT_THAT(refused(t, {constant("", "x")}), HasSubstr("has no symbol"));
  EXPECT_THAT(refused(t, {constant("a", "x", 3)}), HasSubstr("found 3, expected 1, 2, 4"));
  EXPECT_THAT(refused(t, {constant("a", "x", 0)}), HasSubstr("not a power of two"));
  ConstantArtifact ram = constant("a", "x");
  ram.region = "ram";
  EXPECT_THAT(refused(t, {ram}), HasSubstr("is not a flash pool of cortex-m4 (found ram, expected flash)"));
  TargetSpec big = t;
  big.endianness = "big";
  EXPECT_THAT(refused(big, {constant("a", "x")}), HasSubstr("found big, expected little"));
  TargetSpec mips = t;
  mips.triple = "mips-unknown-elf";
  EXPECT_THAT(refused(mips, {constant("a", "x")}), HasSubstr("found mips-unknown-elf"));
  std::vector<ConstantArtifact> many;
  for (int i = 0; i < 65001; ++i) many.push_back(constant("c" + std::to_string(i), std::to_string(i)));
  EXPECT_THAT(refused(t, many), HasSubstr("too many constants"));
}

TEST(ConstantObject, WhatIsWrittenIsIdentifiedByTheWay) {
  const Scratch scratch;
  ConstantObject object = created(target("host"), {constant("a", "first"), constant("b", "second")});
  EXPECT_FALSE(object.identity(0));
  ASSERT_TRUE(write_to(scratch.path("plain.o"), object));
  EXPECT_FALSE(object.identity(0));
  object.identify_when_written();
  const ConstantObject copy = object;
  ASSERT_TRUE(write_to(scratch.path("c.o"), object));
  EXPECT_EQ(copy.identity(0), identify(std::as_bytes(std::span("first", 5))));
  EXPECT_EQ(copy.identity(1), identify(std::as_bytes(std::span("second", 6))));
  EXPECT_EQ(test::file_bytes(scratch.path("c.o")), test::file_bytes(scratch.path("plain.o")));
}

TEST(ConstantObject, AFullDiskIsReported) {
  const int fd = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (fd < 0) GTEST_SKIP() << "there is no /dev/full";
  errno = 0;
  EXPECT_FALSE(created(target("host"), {constant("a", "x")}).write(fd));
  EXPECT_EQ(errno, ENOSPC);
  ::close(fd);
}

long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// 2 x 64 MiB of mapped constants, the same size so that they are hashed and compared too.
TEST(ConstantObject, MemoryDoesNotDependOnTheSizeOfTheConstants) {
  const Scratch scratch;
  constexpr std::uint64_t kHalf = std::uint64_t{64} << 20;
  {
    const int fd = ::open(scratch.path("model").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    ASSERT_EQ(::ftruncate(fd, static_cast<off_t>(2 * kHalf + 100)), 0);
    ASSERT_EQ(::pwrite(fd, "mark", 4, static_cast<off_t>(kHalf + 50)), 4);
    ::close(fd);
  }
  Diagnostics diags;
  auto file = MappedFile::open(scratch.path("model"), diags);
  ASSERT_TRUE(file);
  std::vector<ConstantArtifact> artifacts(3);
  for (std::size_t i = 0; i < 3; ++i) artifacts[i].symbol = "w" + std::to_string(i);
  artifacts[0].bytes = Blob::map(*file, 0, kHalf);
  artifacts[1].bytes = Blob::map(*file, kHalf + 50, kHalf);
  artifacts[2].bytes = Blob::map(*file, kHalf + 50, kHalf);
  const long before = peak_kilobytes();
  const ConstantObject object = created(target("host"), artifacts);
  ASSERT_TRUE(write_to(scratch.path("c.o"), object));
  EXPECT_LT(peak_kilobytes() - before, 16 * 1024);
  EXPECT_TRUE(object.places()[2].shared);
  EXPECT_FALSE(object.places()[1].shared);
  std::ifstream in(scratch.path("c.o"), std::ios::binary);
  in.seekg(static_cast<std::streamoff>(object.places()[1].offset));
  char mark[4];
  in.read(mark, 4);
  EXPECT_EQ(std::string(mark, 4), "mark");
  in.seekg(0, std::ios::end);
  EXPECT_EQ(static_cast<std::uint64_t>(in.tellg()), object.size());
}

TEST(ConstantObject, AFileThatBecameShorterIsReported) {
  const Scratch scratch;
  std::ofstream(scratch.path("model")) << std::string(8192, 'x');
  Diagnostics diags;
  auto file = MappedFile::open(scratch.path("model"), diags);
  std::vector<ConstantArtifact> artifacts(2);
  artifacts[0].symbol = "a";
  artifacts[1].symbol = "b";
  artifacts[0].bytes = Blob::map(*file, 0, 4096);
  artifacts[1].bytes = Blob::map(*file, 4096, 4096);
  ASSERT_EQ(::truncate(scratch.path("model").c_str(), 100), 0);
  EXPECT_FALSE(ConstantObject::create(target("host"), artifacts, diags));
  EXPECT_THAT(text_of(diags), HasSubstr("the constant cannot be read"));
}

}  // namespace
}  // namespace byoc
