// Objects that say one thing and are another, or that firmware cannot have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/library/object/foreign_code.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::assemble;
using test::target;
using test::text_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Command = std::vector<std::string>;

const Command kArm{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"};
const Command kRiscv{"riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32"};

Command with(Command command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

#define OBJECT_OR_SKIP(name, ...)          \
  const auto name = assemble(__VA_ARGS__); \
  if (!name) GTEST_SKIP() << "the compiler is not installed"

std::string said_of(const std::vector<std::byte>& object, const std::string& name, bool is_good = false) {
  Diagnostics diags;
  const auto facts = read_object_facts(object, "in.o", diags);
  EXPECT_TRUE(facts) << text_of(diags);
  const bool fits = facts && check_object(*facts, target(name), "in.o", diags);
  EXPECT_EQ(fits, is_good) << text_of(diags);
  return text_of(diags);
}

TEST(HostileObject, HoldsNothingButGimple) {
  constexpr const char* kCode = "int f(int x) { return x + 1; }\n";
  OBJECT_OR_SKIP(slim, with(kArm, {"-flto", "-fno-fat-lto-objects"}), kCode);
  EXPECT_THAT(said_of(*slim, "cortex-m4f"), HasSubstr("holds GIMPLE for GCC's link-time optimisation and no code"));
  OBJECT_OR_SKIP(fat, with(kArm, {"-flto", "-ffat-lto-objects"}), kCode);
  EXPECT_THAT(said_of(*fat, "cortex-m4f", true), HasSubstr("warning: '.gnu.lto_"));
}

TEST(HostileObject, SaysTwiceWhatItIsFor) {
  // What Clang makes of .arch in the middle of a file.
  OBJECT_OR_SKIP(arm, {"clang-19", "--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4"},
                 "__asm__(\".fpu neon\\n.arch armv8-a\\n.global aa\\naa: vadd.f32 q0,q1,q2\\n bx lr\\n\");");
  const std::string text = said_of(*arm, "cortex-m4f");
  EXPECT_THAT(text, HasSubstr("'.ARM.attributes': says more than once what it is for"));
  EXPECT_THAT(text, HasSubstr("vector extension (Tag_Advanced_SIMD_arch) (found Neon, expected not there"));
}

TEST(HostileObject, HasHalfPrecisionOfAnotherFormat) {
  constexpr const char* kCode = "__fp16 f(__fp16 x) { return x; }\n";
  OBJECT_OR_SKIP(other, with(kArm, {"-mfp16-format=alternative"}), kCode);
  EXPECT_THAT(said_of(*other, "cortex-m4f"),
              HasSubstr("half precision (Tag_ABI_FP_16bit_format) (found the alternative format of Arm's"));
  OBJECT_OR_SKIP(ieee, with(kArm, {"-mfp16-format=ieee"}), kCode);
  EXPECT_EQ(said_of(*ieee, "cortex-m4f", true), "");
}

TEST(HostileObject, WantsToRunBeforeMain) {
  constexpr const char* kCode = "int ready;\n__attribute__((constructor)) void begin(void) { ready = 1; }\n";
  OBJECT_OR_SKIP(arm, kArm, kCode);
  EXPECT_THAT(said_of(*arm, "cortex-m4f"), HasSubstr("'.init_array': has code run before main()"));
  OBJECT_OR_SKIP(old, kArm, "__attribute__((section(\".ctors.1\"), used)) static void *const at = 0;\n");
  EXPECT_THAT(said_of(*old, "cortex-m4f"), HasSubstr("'.ctors.1': has code run before main()"));
  OBJECT_OR_SKIP(host, {"gcc", "-fPIC"}, kCode);
  EXPECT_EQ(said_of(*host, "host", true), "");
}

TEST(HostileObject, HasVariablesOfThreads) {
  OBJECT_OR_SKIP(defined, kRiscv, "__thread int mine = 3;\nint f(void) { return mine; }\n");
  EXPECT_THAT(said_of(*defined, "riscv32imc"), HasSubstr("'.tdata': is memory of threads, which bare metal has not"));
  OBJECT_OR_SKIP(used, with(kRiscv, {"-ftls-model=local-exec"}),
                 "extern __thread int errno_of;\nint f(void) { return errno_of; }\n");
  EXPECT_THAT(said_of(*used, "riscv32imc", true), HasSubstr("warning: 'errno_of': is a variable of the thread"));
}

TEST(HostileObject, WritesItsOwnCode) {
  constexpr const char* kText = ".section .fast,\"awx\"\n.global f\nf: nop\n";
  OBJECT_OR_SKIP(arm, with(kArm, {"-mthumb"}), std::string(".syntax unified\n.thumb\n") + kText, ".s");
  EXPECT_THAT(said_of(*arm, "cortex-m4f"),
              HasSubstr("'.fast': is code that can be written, on bare metal (found flags WAX"));
  OBJECT_OR_SKIP(host, {"gcc"}, kText, ".s");
  EXPECT_THAT(said_of(*host, "host", true), HasSubstr("warning: '.fast': is code that can be written"));
}

ForeignCode code_of(const std::vector<std::byte>& object, const std::string& name) {
  Diagnostics diags;
  const auto reader = CodeReader::create(target(name));
  EXPECT_NE(reader, nullptr) << name;
  if (reader == nullptr) return {};
  auto found = reader->read(object, "in.o", diags);
  EXPECT_TRUE(found) << text_of(diags);
  return found ? *found : ForeignCode();
}

TEST(ForeignCode, RiscvExtensions) {
  constexpr const char* kAdd = "int amo(int *p) { return __atomic_fetch_add(p, 1, 5); }\n";
  for (const char* none : {"", "-mno-riscv-attribute"}) {
    Command command{"riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32", "-O2"};
    if (*none != 0) command.emplace_back(none);
    OBJECT_OR_SKIP(atomic, command, kAdd);
    const ForeignCode found = code_of(*atomic, "riscv32imc");
    EXPECT_EQ(found.section, ".text");
    EXPECT_THAT(found.text, StartsWith("amoadd.w"));
    EXPECT_NE(found.count, 0u);
  }
  OBJECT_OR_SKIP(own, with(kRiscv, {"-O2"}), "int f(int *p) { return p[3] / p[1]; }\n");
  EXPECT_EQ(code_of(*own, "riscv32imc").count, 0u);
}

TEST(ForeignCode, RiscvInstructionsThatNobodyKnows) {
  OBJECT_OR_SKIP(vendor, kRiscv, ".global f\nf: .insn r 0x0b, 0, 0, a0, a1, a2\n ret\n", ".s");
  const ForeignCode found = code_of(*vendor, "riscv32imc");
  EXPECT_EQ(found.count, 0u);
  EXPECT_EQ(found.unknown, 1u);
  EXPECT_EQ(found.unknown_place, ".text at offset 0");
  // Data among code is marked as such.
  OBJECT_OR_SKIP(data, kRiscv, ".global f\nf: ret\n.word 0x1234560b\ng: ret\n", ".s");
  EXPECT_EQ(code_of(*data, "riscv32imc").unknown, 0u);
}

struct Level {
  const char* flag;
  const char* code;
  const char* needs;
};

TEST(ForeignCode, X86Levels) {
  constexpr const char* kLoop =
      "void f(float *a, const float *b) { for (int i = 0; i < 1024; ++i) a[i] = a[i] * b[i] + 1; }\n";
  constexpr const char* kIntegers =
      "void f(int *a, const int *b) { for (int i = 0; i < 1024; ++i) a[i] = a[i] + b[i]; }\n";
  constexpr const char* kCount = "int f(unsigned long long x) { return __builtin_popcountll(x); }\n";
  for (const Level& l : {Level{"-mavx512f", kLoop, "avx512f"}, Level{"-mavx", kLoop, "avx"},
                         Level{"-mavx2", kIntegers, "avx"}, Level{"-mpopcnt", kCount, "popcnt"}}) {
    SCOPED_TRACE(l.flag);
    OBJECT_OR_SKIP(object, Command({"gcc", "-O3", "-mprefer-vector-width=512", l.flag}), l.code);
    const ForeignCode found = code_of(*object, "host");
    EXPECT_NE(found.count, 0u);
    EXPECT_EQ(found.needs, l.needs) << found.text;
    EXPECT_FALSE(found.asks_for_more);
  }
  OBJECT_OR_SKIP(own, {"gcc", "-O3"}, std::string(kLoop));
  EXPECT_EQ(code_of(*own, "host").count, 0u);
  OBJECT_OR_SKIP(fma, {"gcc", "-O3", "-march=haswell"}, std::string(kLoop));
  EXPECT_NE(code_of(*fma, "host").count, 0u);
  const ForeignCode allowed = code_of(*fma, "x86_64-linux-gnu -march=haswell");
  EXPECT_EQ(allowed.count, 0u) << allowed.text << " " << allowed.needs;
  OBJECT_OR_SKIP(wide, {"gcc", "-O3", "-march=skylake-avx512", "-mprefer-vector-width=512"}, std::string(kLoop));
  EXPECT_EQ(code_of(*wide, "x86_64-linux-gnu -march=skylake-avx512").count, 0u);
  EXPECT_EQ(code_of(*wide, "x86_64-linux-gnu -march=haswell").needs, "avx512f");
}

TEST(ForeignCode, WhatAsksTheCpuIsSeen) {
  OBJECT_OR_SKIP(asks, {"gcc", "-O2"},
                 "__attribute__((target(\"avx512f\"))) float g(float *x);\n"
                 "int f(void) { return __builtin_cpu_supports(\"avx512f\"); }\n");
  EXPECT_TRUE(code_of(*asks, "host").asks_for_more);
  OBJECT_OR_SKIP(cpuid, {"gcc", "-O2"},
                 "#include <cpuid.h>\nint f(void) { unsigned a, b, c, d; __cpuid(7, a, b, c, d); return (int)b; }\n");
  EXPECT_TRUE(code_of(*cpuid, "host").asks_for_more);
}

TEST(ForeignCode, Aarch64Extensions) {
  OBJECT_OR_SKIP(sve, {"aarch64-linux-gnu-gcc", "-O3", "-march=armv8.2-a+sve"},
                 "void f(float *a, const float *b) { for (int i = 0; i < 1024; ++i) a[i] += b[i]; }\n");
  EXPECT_NE(code_of(*sve, "aarch64-linux-gnu").count, 0u);
  OBJECT_OR_SKIP(dot, {"aarch64-linux-gnu-gcc"},
                 ".arch armv8.2-a+dotprod\n.global f\nf: sdot v0.4s, v1.16b, v2.16b\n ret\n", ".s");
  const ForeignCode found = code_of(*dot, "aarch64-linux-gnu");
  EXPECT_EQ(found.count, 1u);
  EXPECT_THAT(found.text, StartsWith("sdot"));
  EXPECT_EQ(code_of(*dot, "aarch64-linux-gnu -mcpu=cortex-a76").count, 0u);
  OBJECT_OR_SKIP(own, {"aarch64-linux-gnu-gcc", "-O3"},
                 "int f(int *p, int n) { return __atomic_fetch_add(p, n, 5); }\n");
  EXPECT_EQ(code_of(*own, "aarch64-linux-gnu").count, 0u);
}

// Every compiler's code for every target is of that target.
TEST(ForeignCode, OwnCodeIsNotForeign) {
  constexpr const char* kCode =
      "double g(double);\nint table[4];\n"
      "int f(const signed char *a, const signed char *b, int n) { int s = 0; for (int i = 0; i < n; ++i) s += a[i] * "
      "b[i];\n"
      "  switch (n) { case 0: return table[0]; case 1: return 7; case 2: return (int)g(s); case 3: return s / n;\n"
      "  case 4: return s * 3; case 5: return s ^ n; default: return s; } }\n"
      "float h(float x) { return x * 2.5f + (float)g(x); }\n";
  for (const TargetSpec& t : known_targets()) {
    const auto reader = CodeReader::create(t);
    if (reader == nullptr) continue;
    Command command{t.gnu_command, "-O3"};
    const auto object = assemble(with(command, t.gnu_flags), kCode);
    if (!object) continue;
    const ForeignCode found = code_of(*object, t.name);
    EXPECT_EQ(found.count, 0u) << t.name << " " << found.text;
    EXPECT_EQ(found.unknown, 0u) << t.name << " " << found.unknown_place;
  }
}

TEST(ForeignCode, DamagedObjectsAreNoCrash) {
  OBJECT_OR_SKIP(object, {"gcc", "-O2"}, "int f(int x) { return x * 3; }\n");
  const auto reader = CodeReader::create(target("host"));
  ASSERT_NE(reader, nullptr);
  for (std::size_t size = 0; size < object->size(); size += 7) {
    Diagnostics diags;
    (void)bool(reader->read(std::span(*object).first(size), "cut.o", diags));
    auto damaged = *object;
    damaged[size] ^= std::byte{0xff};
    (void)bool(reader->read(damaged, "damaged.o", diags));
  }
}

}  // namespace
}  // namespace byoc
