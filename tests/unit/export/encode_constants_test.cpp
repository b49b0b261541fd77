#include "sdk/export/encode_constants.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "sdk/library/object/object_facts.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array kForms{ConstantForm::incbin, ConstantForm::embed, ConstantForm::c, ConstantForm::llvm};

ConstantArtifact constant(const std::string& symbol, const std::string& bytes, std::uint32_t align) {
  ConstantArtifact a;
  a.symbol = symbol;
  a.bytes = Blob::own({std::as_bytes(std::span(bytes)).begin(), std::as_bytes(std::span(bytes)).end()});
  a.align = align;
  return a;
}

// A flash with sections of its own beside the usual one.
TargetSpec with_npu(const std::string& name) {
  TargetSpec t = target(name);
  t.pools.push_back({"npu_flash", PoolKind::flash, 0, {}, ".npu"});
  return t;
}

// Every byte value, zeros alone, an odd size, the same bytes twice, none, another region, a symbol for nobody else.
std::vector<ConstantArtifact> constants() {
  std::string all(256, '\0');
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i);
  std::vector<ConstantArtifact> out{constant("weights", all, 16),
                                    constant("zeros", std::string(64, '\0'), 4),
                                    constant("odd", "\"\\?/\n%@", 1),
                                    constant("again", all, 32),
                                    constant("nothing", "", 4),
                                    constant("commands", "npu stream", 64),
                                    constant("table", "seen here alone", 8),
                                    constant("twin", "seen here alone", 2)};
  out[5].region = "npu_flash";
  out[6].global = out[7].global = false;
  return out;
}

struct Written {
  std::vector<std::byte> bytes;
  ObjectFacts facts;
};

class EncodeConstants : public ::testing::Test {
 protected:
  Written written(const ConstantObject& object) {
    const std::string path = dir_->path() + "/c.o";
    const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    EXPECT_TRUE(object.write(fd));
    ::close(fd);
    Written out{test::file_bytes(path), {}};
    EXPECT_EQ(out.bytes.size(), object.size());
    auto facts = read_object_facts(out.bytes, "c.o", diags_);
    EXPECT_TRUE(facts) << text_of(diags_);
    if (facts) out.facts = *facts;
    return out;
  }

  // What was written last, with code of the target's compiler, without a warning: of an object that has no stack note
  // beside one that has it, or the other way round.
  void link(const TargetSpec& t) {
    if (find_program(t.gnu_command).empty()) return;
    std::ofstream(dir_->path() + "/m.c")
        << "extern const char weights[256], commands[10], again[256];\n"
           "int _start(void); int _start(void) { return weights[3] + commands[1] + again[2]; }\n";
    std::vector<std::string> argv{t.gnu_command};
    argv.insert(argv.end(), t.gnu_flags.begin(), t.gnu_flags.end());
    for (const std::string& a :
         {std::string("-nostdlib"), std::string("-static"), std::string("-Wl,--gc-sections,--fatal-warnings"),
          dir_->path() + "/m.c", dir_->path() + "/c.o", std::string("-o"), dir_->path() + "/m"})
      argv.push_back(a);
    auto result = run_process(argv, diags_);
    ASSERT_TRUE(result) << text_of(diags_);
    EXPECT_EQ(result->exit_code, 0) << result->errors;
    auto nm = run_process({"readelf", "-sW", dir_->path() + "/m"}, diags_);
    ASSERT_TRUE(nm);
    EXPECT_THAT(nm->output, HasSubstr(" commands\n"));
    EXPECT_THAT(nm->output, ::testing::Not(HasSubstr(" odd\n")));  // nobody uses it
  }

  std::string refused(const std::string& name, const ConstantEncoding& how, const EncodingTools& tools = {}) {
    Diagnostics diags;
    EXPECT_FALSE(encode_constants(with_npu(name), constants(), how, tools, diags));
    return text_of(diags);
  }

  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

using Symbols = std::map<std::string, std::pair<std::string, std::uint64_t>>;  // section and size

Symbols symbols_of(const ObjectFacts& facts) {
  Symbols out;
  for (const ObjectSymbol& s : facts.defined) {
    out[s.name] = {s.section, s.size};
    EXPECT_FALSE(s.function || s.weak || s.hidden) << s.name;
  }
  return out;
}

const ObjectSection* section_of(const ObjectFacts& facts, const std::string& name) {
  const auto found = std::find_if(facts.sections.begin(), facts.sections.end(),
                                  [&](const ObjectSection& s) { return s.name == name; });
  return found == facts.sections.end() ? nullptr : &*found;
}

// As byoc's own writer has it: symbols, sections, flags, alignment, bytes.
void compare(const ConstantObject& direct, const Written& expected, const ConstantObject& encoded,
             const Written& found) {
  EXPECT_EQ(symbols_of(found.facts), symbols_of(expected.facts));
  EXPECT_TRUE(found.facts.undefined.empty());
  EXPECT_EQ(found.facts.flags, expected.facts.flags);
  ASSERT_EQ(encoded.places().size(), direct.places().size());
  for (std::size_t i = 0; i < direct.places().size(); ++i) {
    const ConstantObject::Place &a = direct.places()[i], &b = encoded.places()[i];
    SCOPED_TRACE(a.symbol);
    EXPECT_EQ(a.section, b.section);
    EXPECT_EQ(a.shared, b.shared);
    const ObjectSection *mine = section_of(expected.facts, a.section), *theirs = section_of(found.facts, a.section);
    ASSERT_NE(theirs, nullptr);
    EXPECT_EQ(theirs->size, mine->size);
    EXPECT_EQ(theirs->align, mine->align);
    EXPECT_TRUE(theirs->allocated && !theirs->writable && !theirs->executable && !theirs->zeroed);
    ASSERT_LE(b.offset + b.size, found.bytes.size());
    EXPECT_EQ(std::memcmp(found.bytes.data() + b.offset, expected.bytes.data() + a.offset, a.size), 0);
  }
}

TEST_F(EncodeConstants, EveryFormGivesWhatByocWrites) {
  for (const char* name : {"cortex-m4f", "riscv32imc", "host", "aarch64-linux-gnu", "riscv64gc"}) {
    const TargetSpec t = with_npu(name);
    const auto direct = encode_constants(t, constants(), {}, {}, diags_);
    ASSERT_TRUE(direct) << text_of(diags_);
    const Written expected = written(*direct);
    for (const char* toolchain : {"clang", "gnu"}) {
      if (std::string(toolchain) == "gnu" && find_program(t.gnu_command).empty()) continue;
      for (const ConstantForm form : kForms) {
        if (form == ConstantForm::embed && std::string(toolchain) == "gnu") continue;  // the test below
        SCOPED_TRACE(std::string(name) + " " + toolchain + " " + std::to_string(static_cast<int>(form)));
        Diagnostics diags;
        const auto encoded =
            encode_constants(t, constants(), {.form = form}, {{.toolchain = toolchain, .debug_info = true}}, diags);
        ASSERT_TRUE(encoded) << text_of(diags);
        EXPECT_TRUE(diags.all().empty()) << text_of(diags);
        compare(*direct, expected, *encoded, written(*encoded));
        link(t);
      }
    }
  }
}

// Data is no text, whatever it begins with.
TEST_F(EncodeConstants, DataMayBeginWithAByteOrderMark) {
  const TargetSpec t = target("host");
  std::vector<ConstantArtifact> some;
  for (const std::string& mark :
       {std::string("\xfe\xff"), std::string("\xff\xfe"), std::string("\xff\xfe\0\0", 4),
        std::string("\0\0\xfe\xff", 4), std::string("\x2b\x2f\x76"), std::string("\xf7\x64\x4c"),
        std::string("\xdd\x73\x66\x73"), std::string("\x0e\xfe\xff"), std::string("\xfb\xee\x28"),
        std::string("\x84\x31\x95\x33"), std::string("\xef\xbb\xbf"), std::string(4, '\0')})
    some.push_back(constant("c" + std::to_string(some.size()), mark + "weights and more", 4));
  const auto direct = encode_constants(t, some, {}, {}, diags_);
  ASSERT_TRUE(direct) << text_of(diags_);
  const auto encoded = encode_constants(t, some, {.form = ConstantForm::embed}, {{.toolchain = "clang"}}, diags_);
  ASSERT_TRUE(encoded) << text_of(diags_);
  compare(*direct, written(*direct), *encoded, written(*encoded));
}

// What is far away in the medium code model is so in every form.
TEST_F(EncodeConstants, LargeConstantsOfX8664) {
  const TargetSpec t = for_constants(target("host"), 1, 0);
  std::vector<ConstantArtifact> some{constant("near", std::string(65536, 'n'), 4),
                                     constant("far", std::string(65537, 'f'), 4),
                                     constant("hidden", std::string(70000, 'h'), 32)};
  some[2].global = false;
  const auto direct = encode_constants(t, some, {}, {}, diags_);
  ASSERT_TRUE(direct) << text_of(diags_);
  EXPECT_EQ(direct->places()[1].section, ".lrodata.far");
  const Written expected = written(*direct);
  for (const char* toolchain : {"clang", "gnu"})
    for (const ConstantForm form : kForms) {
      if (std::string(toolchain) == "gnu" && (form == ConstantForm::embed || find_program("gcc").empty())) continue;
      SCOPED_TRACE(std::string(toolchain) + " " + std::to_string(static_cast<int>(form)));
      Diagnostics diags;
      const auto encoded = encode_constants(t, some, {.form = form}, {{.toolchain = toolchain}}, diags);
      ASSERT_TRUE(encoded) << text_of(diags);
      compare(*direct, expected, *encoded, written(*encoded));
    }
}

TEST_F(EncodeConstants, ACallbackCompilesToo) {
  if (find_program("gcc").empty()) GTEST_SKIP() << "gcc is not installed";
  const CompileFunction gcc = [](const Source& source, const HeaderMap&, Diagnostics& diags) -> Result<ObjectBytes> {
    auto object = test::assemble({"gcc", "-fPIC", "-w"}, source.text);
    if (!object) return diags.error(source.name, {}, "gcc failed");
    return *object;
  };
  for (const ConstantForm form : {ConstantForm::incbin, ConstantForm::c}) {
    const auto encoded = encode_constants(with_npu("host"), constants(), {.form = form}, {{"mine"}, gcc}, diags_);
    ASSERT_TRUE(encoded) << text_of(diags_);
    EXPECT_EQ(encoded->places()[0].section, ".rodata.weights");
  }
}

// The sources name files of a temporary folder, and what is in those is no part of a cache's key.
TEST_F(EncodeConstants, NoCacheKeepsThem) {
  EncodingTools tools;
  tools.choice.cache = dir_->path() + "/cache";
  for (const ConstantForm form : {ConstantForm::incbin, ConstantForm::embed, ConstantForm::c}) {
    ConstantEncoding how;
    how.form = form;
    EXPECT_TRUE(encode_constants(with_npu("cortex-m4f"), constants(), how, tools, diags_)) << text_of(diags_);
  }
  EXPECT_FALSE(std::filesystem::exists(tools.choice.cache));
}

TEST_F(EncodeConstants, ACompilerWithoutEmbedIsNamed) {
  Diagnostics none;
  const auto version = run_process({"arm-none-eabi-gcc", "-dumpversion"}, none);
  if (!version || std::stoi(version->output) >= 15) GTEST_SKIP() << "no arm-none-eabi-gcc older than 15";
  const std::string text = refused("cortex-m4f", {.form = ConstantForm::embed}, {{.toolchain = "gnu"}});
  EXPECT_THAT(text, HasSubstr("--constants-as"));
  EXPECT_THAT(text, HasSubstr("the compiler does not know #embed (found arm-none-eabi-gcc "));
  EXPECT_THAT(text, HasSubstr("expected Clang, GCC 15 or later; or elf, incbin, c, llvm)"));
}

TEST_F(EncodeConstants, AFolderThatNoSourceCanNameIsRefused) {
  const std::string folder = dir_->path() + "/a\"b";
  std::filesystem::create_directory(folder);
  ::setenv("TMPDIR", folder.c_str(), 1);
  const std::string text = refused("host", {.form = ConstantForm::incbin});
  ::unsetenv("TMPDIR");
  EXPECT_THAT(text, HasSubstr("a source cannot name a file in this folder"));
}

TEST_F(EncodeConstants, WhatIsNoConstantIsRefusedInEveryForm) {
  ConstantArtifact ram = constant("a", "x", 4);
  ram.region = "ram";
  for (const ConstantForm form : kForms) {
    Diagnostics diags;
    EXPECT_FALSE(encode_constants(target("host"), {ram}, {.form = form}, {}, diags));
    EXPECT_THAT(text_of(diags), HasSubstr("is not a flash pool"));
  }
}

// A function that gives back what it is given, as an assembler would have it; `lie` spoils the text.
PackImports assembler(const std::function<std::string(std::string)>& lie = {}) {
  return [lie](std::span<const PackedConstant> constants, const TargetSpec& t,
               Diagnostics& diags) -> Result<std::vector<std::byte>> {
    std::string text;
    std::string last;
    for (const PackedConstant& c : constants) {
      if (c.section != last) text += ".section " + c.section + ",\"a\",%progbits\n.balign " + std::to_string(c.align);
      last = c.section;
      text += std::string("\n") + (c.global ? ".globl " : ".local ") + c.symbol + "\n.type " + c.symbol +
              ", %object\n.size " + c.symbol + ", " + std::to_string(c.bytes.size()) + "\n.set " + c.symbol + ", " +
              c.section + "\n.byte ";
      for (std::size_t i = 0; i < c.bytes.size(); ++i)
        text += (i == 0 ? "" : ",") + std::to_string(static_cast<unsigned>(c.bytes[i]));
      text += "\n";
    }
    if (t.hosted) text += ".section .note.GNU-stack,\"\",%progbits\n";
    std::vector<std::string> command{t.gnu_command};
    command.insert(command.end(), t.gnu_flags.begin(), t.gnu_flags.end());
    auto object = test::assemble(command, lie ? lie(text) : text, ".s");
    if (!object) return diags.error({}, {}, "cannot be assembled");
    return *object;
  };
}

std::vector<ConstantArtifact> two() { return {constant("first", "0123456789", 4), constant("second", "abc", 8)}; }

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  for (; at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
  return text;
}

TEST_F(EncodeConstants, AFunctionMayMakeTheObject) {
  for (const char* name : {"cortex-m4f", "host"}) {
    if (find_program(target(name).gnu_command).empty()) continue;
    const auto direct = encode_constants(target(name), two(), {}, {}, diags_);
    const auto packed = encode_constants(target(name), two(), {.function = assembler()}, {}, diags_);
    ASSERT_TRUE(packed) << text_of(diags_);
    const Written expected = written(*direct);
    compare(*direct, expected, *packed, written(*packed));
  }
}

TEST_F(EncodeConstants, AFunctionThatLiesIsFound) {
  if (find_program("arm-none-eabi-gcc").empty()) GTEST_SKIP() << "arm-none-eabi-gcc is not installed";
  const std::vector<std::tuple<std::string, std::string, std::string>> lies{
      {".section .rodata.first,\"a\"", ".section .rodata.first,\"aw\"",
       "'first': the constant is in a writable section (found .rodata.first with flags WA, expected a read-only"},
      {".section .rodata.first,\"a\"", ".section .rodata.first,\"ax\"",
       "'first': the section has other flags (found AX, expected A)"},
      {".rodata.first", ".rodata.mine",
       "'first': the constant is in another section (found .rodata.mine, expected .rodata.first)"},
      {".balign 8", ".balign 4", "'second': the section is not aligned enough (found 4, expected 8)"},
      {".size first, 10", ".size first, 9", "'first': the symbol has another size (found 9 bytes, expected 10 bytes)"},
      {".type first, %object", ".type first, %function", "'first': the symbol is of another type (found 2"},
      {".globl first", ".local first", "'first': the symbol has another binding (found local, expected global)"},
      {".globl first", ".weak first", "'first': the symbol has another binding (found weak, expected global)"},
      {".globl first", ".globl first\n.hidden first", "'first': others cannot see the symbol"},
      {".byte 48,49", ".byte 48,50", "'first': the constant has other bytes (found a difference at byte 1"},
      {".byte 48,49,", ".byte 48,", "'first': the section has another size than the constant (found 9 bytes"},
      {".byte 48,49,50,51", ".word second", "'first': the linker would change the constant (found relocations"},
      {".set first, .rodata.first", ".set first, .rodata.first + 2",
       "'first': the constant is not where its section begins (found offset 2, expected offset 0)"},
      {".set first, .rodata.first", ".set first, 0", "'first': the constant is in no section"},
      {".globl first", ".globl more\n.set more, .rodata.first\n.globl first",
       "'more': is a global symbol that nobody asked for"},
      {".byte 48,49,50,51", ".word elsewhere", "'elsewhere': the constants refer to this symbol"},
      {",\"a\",%progbits", ",\"a\",%note", "'first': the section is of another type (found 7"}};
  for (const auto& [what, with, message] : lies) {
    SCOPED_TRACE(with);
    const auto lie = [&](const std::string& text) { return replaced(text, what, with); };
    Diagnostics diags;
    EXPECT_FALSE(encode_constants(target("cortex-m4"), two(), {.function = assembler(lie)}, {}, diags));
    EXPECT_THAT(text_of(diags), HasSubstr(message));
    EXPECT_THAT(text_of(diags), HasSubstr("the object of --pack-imports: error"));
  }
}

TEST_F(EncodeConstants, AFunctionThatFailsOrGivesSomethingElse) {
  const auto said = [&](const std::string& name, const PackImports& function) {
    Diagnostics diags;
    EXPECT_FALSE(encode_constants(target(name), two(), {.function = function}, {}, diags));
    return text_of(diags);
  };
  EXPECT_THAT(said("host", [](auto, const auto&, Diagnostics&) { return Result<std::vector<std::byte>>(failure); }),
              HasSubstr("the function failed without a word"));
  EXPECT_THAT(said("host",
                   [](auto, const auto&, Diagnostics& d) -> Result<std::vector<std::byte>> {
                     return d.error({}, {}, "no licence");
                   }),
              HasSubstr("no licence"));
  EXPECT_THAT(said("host", [](auto, const auto&, Diagnostics&) { return std::vector<std::byte>(10); }),
              HasSubstr("is not an object file"));
  if (find_program("arm-none-eabi-gcc").empty() || find_program("gcc").empty()) return;
  const auto of = [&](const char* other) {
    return [other](std::span<const PackedConstant> c, const TargetSpec&, Diagnostics& d) {
      return assembler()(c, target(other), d);
    };
  };
  EXPECT_THAT(said("cortex-m4f", of("host")), HasSubstr("does not fit target cortex-m4f"));
  EXPECT_THAT(
      said("host", assembler([](const std::string& text) { return replaced(text, ".section .note", ".section .x"); })),
      HasSubstr("the object does not say that it needs no executable stack (expected an empty section"));
  EXPECT_THAT(said("host", assembler([](const std::string&) { return std::string(); })),
              HasSubstr("'first': the object does not define this constant (found no global symbol, expected first)"));
}

// The way that firmware projects take, with objcopy and ld alone: objcopy gives no symbol a size.
TEST_F(EncodeConstants, ACommandMayMakeTheObject) {
  if (find_program("arm-none-eabi-objcopy").empty()) GTEST_SKIP() << "arm-none-eabi-objcopy is not installed";
  const std::string script = test::source_dir() + "/examples/cross-compile/objcopy/pack_imports.sh";
  const ConstantEncoding how{.command = "sh '" + script + "' {constants} {output}"};
  std::vector<ConstantArtifact> some = constants();
  std::erase_if(some, [](const ConstantArtifact& c) { return c.bytes.size() == 0; });  // objcopy refuses empty files
  for (const char* name : {"cortex-m4f", "cortex-m0plus"}) {
    const auto direct = encode_constants(with_npu(name), some, {}, {}, diags_);
    const auto packed = encode_constants(with_npu(name), some, how, {}, diags_);
    ASSERT_TRUE(packed) << text_of(diags_);
    const Written expected = written(*direct);
    compare(*direct, expected, *packed, written(*packed));
  }
}

TEST_F(EncodeConstants, ACommandThatFailsIsShown) {
  const auto said = [&](const std::string& command) { return refused("cortex-m4f", {.command = command}); };
  EXPECT_THAT(said("sh -c 'echo no room >&2; exit 3' {constants} {output}"),
              HasSubstr("'sh -c 'echo no room >&2; exit 3' {constants} {output}' failed: no room (found exit code 3"));
  EXPECT_THAT(said("false {constants} {output}"), HasSubstr("failed: it said nothing (found exit code 1"));
  EXPECT_THAT(said("true {constants} {output}"), HasSubstr("ended well and wrote no object"));
  EXPECT_THAT(said("no-such-tool {constants} {output}"), HasSubstr("the program is not there (found no-such-tool"));
  EXPECT_THAT(said("tool {constants}"),
              HasSubstr("does not say where the file goes (found tool {constants}, expected {output})"));
  EXPECT_THAT(said("tool {output}"), HasSubstr("expected {constants})"));
  EXPECT_THAT(said("tool '{output}"), HasSubstr("has a quote that is not closed"));
  EXPECT_THAT(said("  "), HasSubstr("the command is empty"));
  EXPECT_THAT(said("cp {constants} {output}"), HasSubstr("cp: error: is not an object file"));
}

}  // namespace
}  // namespace byoc
