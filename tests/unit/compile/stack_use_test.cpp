// Frames and calls of functions, read from what compilers and assemblers make.
#include "sdk/library/object/stack_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sdk/library/compile/compiler.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::HasSubstr;

std::vector<FunctionStack> functions_of(const std::string& name, const std::string& language, const std::string& text,
                                        const std::string& level = "2") {
  const TargetSpec t = target(name);
  Diagnostics diags;
  auto compiler = Compiler::create(t, "clang", {.opt_level = level}, diags);
  auto object =
      compiler ? (*compiler)->compile({.name = "code", .text = text, .language = language}, {}, diags) : failure;
  const auto reader = StackReader::create(t);
  if (!object || reader == nullptr) {
    ADD_FAILURE() << text_of(diags);
    return {};
  }
  auto read = reader->read(*object, "code", diags);
  EXPECT_TRUE(read) << text_of(diags);
  return read ? std::move(*read) : std::vector<FunctionStack>();
}

FunctionStack function(const std::vector<FunctionStack>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const FunctionStack& f) { return f.name == name; });
  if (found != all.end()) return *found;
  ADD_FAILURE() << "no function " << name;
  return {};
}

std::string callees(const FunctionStack& f) {
  std::string out;
  for (const StackCall& c : f.calls) out += (out.empty() ? "" : " ") + c.name + (c.local ? "*" : "");
  return out;
}

std::string thumb(const std::string& name, const std::string& body) {
  return "  .syntax unified\n  .thumb\n  .section .text." + name + ",\"ax\"\n  .globl " + name + "\n  .type " + name +
         ", %function\n" + name + ":\n" + body + "  .size " + name + ", . - " + name + "\n";
}

std::string riscv(const std::string& name, const std::string& body) {
  return "  .section .text." + name + ",\"ax\"\n  .globl " + name + "\n  .type " + name + ", @function\n" + name +
         ":\n" + body + "  .size " + name + ", . - " + name + "\n";
}

TEST(StackUse, countsWhatThumbCodePushesAndSubtracts) {
  const auto all = functions_of("cortex-m4f", "assembly",
                                thumb("pushes",
                                      "  push {r4, r5, lr}\n  vpush {d8, d9}\n  sub sp, #20\n  bl memcpy\n"
                                      "  add sp, #20\n  vpop {d8, d9}\n  pop {r4, r5, pc}\n") +
                                    thumb("wide",
                                          "  push.w {r4-r11, lr}\n  sub.w sp, sp, #1024\n"
                                          "  str r0, [sp, #-8]!\n  ldr r0, [sp], #8\n"
                                          "  add.w sp, sp, #1024\n  pop.w {r4-r11, pc}\n") +
                                    thumb("nothing", "  bx lr\n") + thumb("jumps", "  b.w wide\n"));
  EXPECT_EQ(function(all, "pushes").bytes, 12U + 16U + 20U);
  EXPECT_EQ(callees(function(all, "pushes")), "memcpy");
  EXPECT_EQ(function(all, "wide").bytes, 36U + 1024U + 8U);
  EXPECT_EQ(function(all, "nothing").bytes, 0U);
  EXPECT_EQ(callees(function(all, "jumps")), "wide*");
  for (const FunctionStack& f : all) EXPECT_EQ(f.unknown, "") << f.name;
}

TEST(StackUse, followsRegistersThatMoveTheStackPointer) {
  const auto arm = functions_of(
      "cortex-m55", "assembly",
      thumb("aligned",
            "  push {r4, r6, r7, lr}\n  add r7, sp, #8\n  sub.w r4, sp, #176\n  bfc r4, #0, #4\n"
            "  mov sp, r4\n  sub.w r4, r7, #8\n  mov sp, r4\n  pop {r4, r6, r7, pc}\n") +
          thumb("large", "  movw r12, #0x1000\n  movt r12, #1\n  sub.w sp, sp, r12\n  add.w sp, sp, r12\n  bx lr\n") +
          thumb("literal", "  ldr r3, 1f\n  add sp, r3\n  bx lr\n  .p2align 2\n1: .long -2000\n"));
  EXPECT_EQ(function(arm, "aligned").bytes, 16U + 176U + 15U);
  EXPECT_EQ(function(arm, "literal").bytes, 2000U);
  EXPECT_EQ(function(arm, "large").bytes, 0x11000U);
  const auto risc = functions_of("riscv32imc", "assembly",
                                 riscv("large",
                                       "  addi sp, sp, -32\n  lui t0, 2\n  addi t0, t0, -64\n  sub sp, sp, t0\n"
                                       "  add sp, sp, t0\n  addi sp, sp, 32\n  ret\n") +
                                     riscv("aligned",
                                           "  addi sp, sp, -64\n  addi s0, sp, 64\n  andi sp, sp, -16\n"
                                           "  addi sp, s0, -64\n  addi sp, sp, 64\n  ret\n"));
  EXPECT_EQ(function(risc, "large").bytes, 32U + 8192U - 64U);
  EXPECT_EQ(function(risc, "aligned").bytes, 64U + 15U);
  for (const auto* all : {&arm, &risc})
    for (const FunctionStack& f : *all) EXPECT_EQ(f.unknown, "") << f.name;
}

TEST(StackUse, followsAddressesInRegisters) {
  const auto arm = functions_of(
      "cortex-m4f", "assembly",
      thumb("chooses",
            "  push {r7, lr}\n  movw lr, #:lower16:one\n  movt lr, #:upper16:one\n  ldr r7, 1f\n"
            "  cmp r0, #0\n  it eq\n  moveq r7, lr\n  blx r7\n  pop {r7, pc}\n  .p2align 2\n1: .long two\n") +
          thumb("returns", "  push {r4, lr}\n  pop {r4}\n  pop {r3}\n  bx r3\n"));
  EXPECT_EQ(function(arm, "chooses").unknown, "");
  EXPECT_TRUE(function(arm, "chooses").by_pointer);
  EXPECT_THAT(callees(function(arm, "chooses")), HasSubstr("one"));
  EXPECT_THAT(callees(function(arm, "chooses")), HasSubstr("two"));
  EXPECT_EQ(function(arm, "returns").unknown, "");
  EXPECT_FALSE(function(arm, "returns").by_pointer);
  const auto risc = functions_of("riscv32imc", "assembly",
                                 riscv("far",
                                       "  addi sp, sp, -16\n  lui a5, %hi(one)\n  addi a5, a5, %lo(one)\n"
                                       "  jalr a5\n  addi sp, sp, 16\n  ret\n"));
  EXPECT_EQ(function(risc, "far").unknown, "");
  EXPECT_TRUE(function(risc, "far").by_pointer);
  EXPECT_THAT(callees(function(risc, "far")), HasSubstr("one"));
}

TEST(StackUse, saysWhyAFrameIsNotKnown) {
  const auto arm =
      functions_of("cortex-m4f", "assembly",
                   thumb("pointer", "  push {r4, lr}\n  blx r3\n  pop {r4, pc}\n") + thumb("tail", "  bx r3\n") +
                       thumb("number", "  sub.w sp, sp, r0\n  add.w sp, sp, r0\n  bx lr\n") +
                       thumb("loop", "1:\n  push {r4}\n  subs r0, #1\n  bne 1b\n  bx lr\n"));
  const auto risc =
      functions_of("riscv32imc", "assembly",
                   riscv("pointer", "  addi sp, sp, -16\n  jalr a5\n  addi sp, sp, 16\n  ret\n") +
                       riscv("tail", "  jr a5\n") + riscv("number", "  sub sp, sp, a0\n  add sp, sp, a0\n  ret\n") +
                       riscv("loop", "1:\n  addi sp, sp, -16\n  addi a0, a0, -1\n  bnez a0, 1b\n  ret\n"));
  for (const auto* all : {&arm, &risc}) {
    EXPECT_EQ(function(*all, "pointer").unknown, "calls by a pointer");
    EXPECT_EQ(function(*all, "tail").unknown, "calls by a pointer");
    EXPECT_THAT(function(*all, "number").unknown, HasSubstr("that only a run knows"));
    EXPECT_THAT(function(*all, "loop").unknown, HasSubstr("in a loop"));
  }
}

constexpr const char* kCode = R"(
int twice(int x);
int take(unsigned char *p, int n);
static __attribute__((noinline)) int large(int n) {
  unsigned char a[300];
  return take(a, n);
}
int choose(int n) {
  switch (n) {
    case 0: return twice(3);
    case 1: return large(n);
    case 2: return 11 * n;
    case 3: return twice(n) + 1;
    case 4: return large(7) - n;
    case 5: return 17;
    default: return 0;
  }
}
)";

TEST(StackUse, readsWhatClangMakes) {
  for (const char* name : {"cortex-m0plus", "cortex-m4f", "cortex-m55", "riscv32imc", "riscv32imafc"})
    for (const char* level : {"0", "2", "s"}) {
      SCOPED_TRACE(std::string(name) + " -O" + level);
      const auto all = functions_of(name, "c", kCode, level);
      EXPECT_EQ(function(all, "choose").unknown, "");
      EXPECT_GE(function(all, "large").bytes, 300U);
      EXPECT_LE(function(all, "large").bytes, 400U);
      EXPECT_LE(function(all, "choose").bytes, 64U);
      EXPECT_THAT(callees(function(all, "choose")), HasSubstr("large*"));
      EXPECT_THAT(callees(function(all, "choose")), HasSubstr("twice"));
    }
}

TEST(StackUse, isOfSomeTargetsAndOfObjects) {
  EXPECT_EQ(StackReader::create(target("host")), nullptr);
  Diagnostics diags;
  EXPECT_FALSE(StackReader::create(target("cortex-m4f"))->read({}, "nothing.o", diags));
  EXPECT_THAT(text_of(diags), HasSubstr("nothing.o: error: is not a readable object file"));
}

}  // namespace
}  // namespace byoc
