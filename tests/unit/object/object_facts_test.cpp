#include "sdk/library/object/object_facts.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::assemble;
using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Command = std::vector<std::string>;

constexpr const char* kCode = R"(
enum small { a, b };
enum small state;
static int quiet;
const int table[3] = {1, 2, 3};
extern double other(double);
__attribute__((weak)) int maybe(void) { return 1; }
double twice(double x) { quiet = 1; return other(x) + quiet; }
)";

#define FACTS_OR_SKIP(name, ...)                                      \
  const auto name##_bytes = assemble(__VA_ARGS__);                    \
  if (!name##_bytes) GTEST_SKIP() << "the compiler is not installed"; \
  Diagnostics name##_diags;                                           \
  auto name = read_object_facts(*name##_bytes, "in.o", name##_diags); \
  ASSERT_TRUE(name) << text_of(name##_diags)

std::string refused(const ObjectFacts& facts, const std::string& name) {
  Diagnostics diags;
  EXPECT_FALSE(check_object(facts, target(name), "vendor", diags));
  EXPECT_TRUE(diags.has_errors());
  for (const Diagnostic& d : diags.all()) EXPECT_EQ(d.file, "vendor");
  return text_of(diags);
}

std::string accepted(const ObjectFacts& facts, const std::string& name) {
  Diagnostics diags;
  EXPECT_TRUE(check_object(facts, target(name), "vendor", diags)) << text_of(diags);
  return text_of(diags);
}

TEST(ObjectFacts, ReadSymbolsSectionsAndAttributes) {
  FACTS_OR_SKIP(facts, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfloat-abi=hard", "-fdata-sections", "-Os"},
                kCode);
  EXPECT_EQ(facts->type, ET_REL);
  EXPECT_EQ(facts->machine, EM_ARM);
  EXPECT_FALSE(facts->wide);
  EXPECT_FALSE(facts->big_endian);
  EXPECT_EQ(facts->arm.cpu_arch, 13u);
  EXPECT_EQ(facts->arm.cpu_arch_profile, static_cast<unsigned>('M'));
  EXPECT_EQ(facts->arm.vfp_args, 1u);
  EXPECT_EQ(facts->arm.enum_size, 1u);
  EXPECT_EQ(facts->arm.wchar_size, 4u);
  EXPECT_EQ(facts->arm.fp_arch, 6u);
  EXPECT_TRUE(facts->defines_functions);
  EXPECT_THAT(facts->undefined, ::testing::Contains("other"));
  std::map<std::string, ObjectSymbol> symbols;
  for (const ObjectSymbol& s : facts->defined) symbols[s.name] = s;
  ASSERT_EQ(symbols.size(), 4u);
  EXPECT_TRUE(symbols["maybe"].weak);
  EXPECT_TRUE(symbols["twice"].function);
  EXPECT_EQ(symbols["table"].size, 12u);
  EXPECT_EQ(symbols["table"].section, ".rodata.table");
  EXPECT_EQ(symbols["state"].section, ".bss.state");
  for (const ObjectSection& s : facts->sections) {
    EXPECT_TRUE(s.name != ".rodata.table" || (s.allocated && !s.writable && !s.executable && s.size == 12));
    EXPECT_TRUE(s.name != ".bss.state" || (s.zeroed && s.writable));
  }
}

TEST(ObjectFacts, RefuseWhatIsNoObject) {
  const auto error = [](const std::string& text) {
    Diagnostics diags;
    EXPECT_FALSE(read_object_facts(std::as_bytes(std::span(text)), "x.o", diags));
    return text_of(diags);
  };
  EXPECT_THAT(error(""), HasSubstr("x.o: error: is not an object file"));
  EXPECT_THAT(error("!<arch>\n"), HasSubstr("is not an object file"));
  EXPECT_THAT(error("\177ELF\1\1\1"), HasSubstr("is not a readable object file"));
}

// Every prefix and many single-byte damages of a real object: an answer or an error, never a crash.
TEST(ObjectFacts, SurviveDamage) {
  const auto bytes = assemble(Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-Os"}, kCode);
  if (!bytes) GTEST_SKIP() << "the compiler is not installed";
  for (std::size_t size = 0; size < bytes->size(); size += 7) {
    Diagnostics diags;
    (void)read_object_facts(std::span(*bytes).first(size), "cut.o", diags);
  }
  for (std::size_t at = 4; at < bytes->size(); at += 3) {
    std::vector<std::byte> damaged = *bytes;
    damaged[at] ^= std::byte{0xa5};
    Diagnostics diags;
    (void)read_object_facts(damaged, "damaged.o", diags);
  }
}

TEST(CheckObject, AcceptsTheTargetsOwnCompiler) {
  for (const TargetSpec& t : known_targets()) {
    SCOPED_TRACE(t.name);
    Command command{t.gnu_command};
    command.insert(command.end(), t.gnu_flags.begin(), t.gnu_flags.end());
    const auto bytes = assemble(command, kCode);
    if (!bytes) continue;
    Diagnostics diags;
    auto facts = read_object_facts(*bytes, "in.o", diags);
    ASSERT_TRUE(facts) << text_of(diags);
    EXPECT_EQ(accepted(*facts, t.name), "");
  }
}

// The core of the ESP8266, whose calls are not those of the ESP32's.
TEST(CheckObject, CallsOfXtensa) {
  FACTS_OR_SKIP(call0, (Command{"xtensa-lx106-elf-gcc", "-ffreestanding", "-mabi=call0"}), kCode);
  EXPECT_EQ(call0->machine, EM_XTENSA);
  EXPECT_EQ(call0->xtensa_abi, "call0");
  EXPECT_THAT(refused(*call0, "esp32"),
              HasSubstr("does not fit target esp32: calls (.xtensa.info) (found call0, expected windowed)"));
  EXPECT_THAT(refused(*call0, "cortex-m4f"), HasSubstr("machine (found xtensa, expected arm)"));
  ObjectFacts windowed = *call0;
  windowed.xtensa_abi = "windowed";
  accepted(windowed, "esp32s3");
  windowed.xtensa_abi.clear();  // it says nothing
  accepted(windowed, "esp32");
  windowed.flags |= 1;
  EXPECT_THAT(refused(windowed, "esp32"), HasSubstr("machine (e_flags) (found 0x1, expected 0x0)"));
  ObjectFacts big = *call0;
  big.big_endian = true;
  EXPECT_THAT(refused(big, "esp32"), HasSubstr("byte order (found big endian, expected little endian)"));
}

TEST(CheckObject, FloatConvention) {
  FACTS_OR_SKIP(hard, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfloat-abi=hard"}, kCode);
  FACTS_OR_SKIP(soft, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfloat-abi=soft"}, kCode);
  FACTS_OR_SKIP(softfp, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfloat-abi=softfp"}, kCode);
  accepted(*hard, "cortex-m4f");
  accepted(*soft, "cortex-m4");
  EXPECT_THAT(refused(*soft, "cortex-m4f"),
              HasSubstr("vendor: error: does not fit target cortex-m4f: float arguments (Tag_ABI_VFP_args) (found not "
                        "said, that is the soft convention, expected hard convention, in VFP registers)"));
  EXPECT_THAT(refused(*hard, "cortex-m4"), HasSubstr("found hard convention, in VFP registers, expected soft"));
  EXPECT_THAT(refused(*softfp, "cortex-m4"),
              HasSubstr("floating point unit (Tag_FP_arch) (found used, expected not there"));
  accepted(*softfp, "arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=softfp");
}

TEST(CheckObject, DataAloneMakesNoClaim) {
  FACTS_OR_SKIP(data, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfloat-abi=soft"},
                "const int table[2] = {1, 2};");
  accepted(*data, "cortex-m4f");
  FACTS_OR_SKIP(code, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4"},
                ".syntax unified\n.thumb\n.global f\n.type f, %function\nf: bx lr\n", ".s");
  accepted(*code, "cortex-m4");
  EXPECT_THAT(refused(*code, "cortex-m4f"), HasSubstr("not said, that is the soft convention"));
}

TEST(CheckObject, Architecture) {
  FACTS_OR_SKIP(arm, Command{"arm-none-eabi-gcc", "-march=armv5te", "-marm"}, kCode);
  const std::string text = refused(*arm, "cortex-m4");
  EXPECT_THAT(text, HasSubstr("CPU architecture (Tag_CPU_arch) (found v5TE, expected what cortex-m4 executes (v7em))"));
  EXPECT_THAT(text, HasSubstr("instruction set (Tag_ARM_ISA_use) (found ARM state"));
  FACTS_OR_SKIP(a9, Command{"arm-none-eabi-gcc", "-mcpu=cortex-a9", "-mthumb"}, kCode);
  EXPECT_THAT(refused(*a9, "cortex-m4"), HasSubstr("found v7-A"));
  FACTS_OR_SKIP(m0, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m0"}, kCode);
  FACTS_OR_SKIP(m4, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4"}, kCode);
  FACTS_OR_SKIP(m55, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m55", "-mfloat-abi=hard"}, kCode);
  accepted(*m0, "cortex-m4");
  EXPECT_THAT(refused(*m4, "cortex-m0plus"), HasSubstr("found v7E-M, expected what cortex-m0plus executes (v6m)"));
  EXPECT_THAT(refused(*m4, "cortex-m3"), HasSubstr("found v7E-M"));
  const std::string mve = refused(*m55, "cortex-m33");
  EXPECT_THAT(mve, HasSubstr("found v8.1-M.main"));
  EXPECT_THAT(mve, HasSubstr("vector extension (Tag_MVE_arch)"));
  EXPECT_THAT(mve, HasSubstr("Tag_ABI_HardFP_use) (found double precision, expected single precision"));
}

// What chips leave out of a core.
TEST(CheckObject, Extensions) {
  const std::string dsp = "#include <arm_acle.h>\nint f(int a, int b) { return __smlad(a, b, 0); }";
  FACTS_OR_SKIP(m33, (Command{"arm-none-eabi-gcc", "-mcpu=cortex-m33", "-mfloat-abi=soft"}), dsp);
  accepted(*m33, "cortex-m33-soft");
  EXPECT_THAT(refused(*m33, "cortex-m33-nodsp-soft"), HasSubstr("DSP extension (Tag_DSP_extension) (found used"));
  const std::string round = "float f(float x) { return __builtin_fmaxf(x, 1); }";
  FACTS_OR_SKIP(m7, (Command{"arm-none-eabi-gcc", "-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"}), round);
  accepted(*m7, "cortex-m7-sp");
  accepted(*m7, "cortex-m7");
  EXPECT_THAT(refused(*m7, "cortex-m4f"), HasSubstr("floating point unit (Tag_FP_arch) (found FPv5, expected FPv4)"));
  FACTS_OR_SKIP(m55, (Command{"arm-none-eabi-gcc", "-mcpu=cortex-m55", "-mfloat-abi=hard"}), kCode);
  EXPECT_THAT(refused(*m55, "cortex-m55+nomve"), HasSubstr("vector extension (Tag_MVE_arch) (found used"));
  EXPECT_THAT(refused(*m55, "cortex-m55+nomve.fp"),
              HasSubstr("found integer and floating point, expected integer only"));
  FACTS_OR_SKIP(integer, (Command{"arm-none-eabi-gcc", "-mcpu=cortex-m55+nofp", "-mfloat-abi=hard"}),
                "int f(void) { return 1; }");
  accepted(*integer, "cortex-m55+nofp");
  accepted(*integer, "cortex-m55+nomve.fp");
}

TEST(CheckObject, EnumsAndWideCharacters) {
  FACTS_OR_SKIP(wide, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-fno-short-enums"}, kCode);
  EXPECT_THAT(refused(*wide, "cortex-m4"),
              HasSubstr("error: does not fit target cortex-m4: enum size (Tag_ABI_enum_size) "
                        "(found 32-bit enums, expected short enums)"));
  FACTS_OR_SKIP(narrow, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-fshort-wchar"},
                "__WCHAR_TYPE__ f(void) { return 1; }");
  EXPECT_THAT(refused(*narrow, "cortex-m4"), HasSubstr("(found 2 bytes, expected 4 bytes)"));
}

TEST(CheckObject, MachineClassAndByteOrder) {
  FACTS_OR_SKIP(host, Command{"gcc"}, kCode);
  const std::string text = refused(*host, "cortex-m4f");
  EXPECT_THAT(text, HasSubstr("machine (found x86-64, expected arm)"));
  EXPECT_THAT(text, HasSubstr("ELF class (found ELF64, expected ELF32)"));
  FACTS_OR_SKIP(big, Command{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mbig-endian"}, kCode);
  EXPECT_THAT(refused(*big, "cortex-m4"), HasSubstr("byte order (found big endian, expected little endian)"));
  FACTS_OR_SKIP(rv64, Command{"riscv64-unknown-elf-gcc", "-march=rv64gc", "-mabi=lp64d"}, kCode);
  EXPECT_THAT(refused(*rv64, "riscv32imc"), HasSubstr("ELF class (found ELF64, expected ELF32)"));
  TargetSpec exotic = target("riscv64gc");
  exotic.triple = "mips64-unknown-elf";
  Diagnostics diags;
  EXPECT_FALSE(check_object(*rv64, exotic, "vendor", diags));
  EXPECT_THAT(text_of(diags), HasSubstr("cannot be checked (found mips64-unknown-elf"));
}

TEST(CheckObject, LinkedFilesAreRefused) {
  const auto program = assemble(Command{"gcc", "-shared", "-fPIC", "-x", "c"}, "int f(void) { return 1; }");
  Diagnostics diags;
  auto facts = read_object_facts(test::file_bytes("/proc/self/exe"), "exe", diags);
  ASSERT_TRUE(facts) << text_of(diags);
  EXPECT_THAT(refused(*facts, "host"), HasSubstr("file type (found shared object, expected relocatable)"));
}

TEST(CheckObject, RiscvAbiAndExtensions) {
  FACTS_OR_SKIP(soft, Command{"riscv64-unknown-elf-gcc", "-march=rv64gc", "-mabi=lp64"}, kCode);
  EXPECT_THAT(refused(*soft, "riscv64gc"), HasSubstr("float ABI (e_flags) (found soft, expected double)"));
  FACTS_OR_SKIP(atomic, Command{"riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32"}, kCode);
  EXPECT_THAT(refused(*atomic, "riscv32imc"), HasSubstr("extension a in rv32"));
  FACTS_OR_SKIP(plain, Command{"riscv64-unknown-elf-gcc", "-march=rv32i", "-mabi=ilp32"}, kCode);
  accepted(*plain, "riscv32imc");
  EXPECT_THAT(refused(*atomic, "riscv64-unknown-elf -march=rv32ima -mabi=ilp32"), HasSubstr("compressed code"));
  FACTS_OR_SKIP(clang, Command{"clang-19", "--target=riscv32-unknown-elf", "-march=rv32imc_zba", "-mabi=ilp32"}, kCode);
  EXPECT_THAT(refused(*clang, "riscv32imc"), HasSubstr("extension zba in rv32"));
  accepted(*clang, "riscv64-unknown-elf -march=rv32imc_zba -mabi=ilp32");
  FACTS_OR_SKIP(vector, Command{"clang-19", "--target=riscv64-unknown-elf", "-march=rv64gcv", "-mabi=lp64d"}, kCode);
  EXPECT_THAT(refused(*vector, "riscv64gc"), HasSubstr("extension v in rv64"));
}

}  // namespace
}  // namespace byoc
