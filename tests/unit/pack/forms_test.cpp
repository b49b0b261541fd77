#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sdk/library/pack/bills/bill_parts.hpp"
#include "sdk/library/pack/forms/target_facts.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::forms {
namespace {

using testing::HasSubstr;

// What a compiler says of itself tells all known targets apart whose code differs, and so do CMSIS, Zephyr and Arduino
// those that they know. A package cannot have two of the others.
TEST(TargetFacts, KnownTargetsDiffer) {
  // Cores of one architecture are the same to a compiler; Zephyr and Arduino know no levels of x86-64 nor extensions of
  // RISC-V but floating point, Arduino no DSP extension, CMSIS no softfp. GCC has no macro for the FPU of cortex-m7-sp,
  // nor for the chip with an Xtensa core.
  const std::map<std::string, std::set<std::string>> alike{
      {"condition", {"cortex-m0", "cortex-m7-sp", "cortex-m52", "cortex-m85", "esp32s3"}},
      {"zephyr", {"x86-64-v2", "x86-64-v3", "x86-64-v4", "riscv32imc", "riscv64gcv"}},
      {"arduino", {"x86-64-v2", "x86-64-v3", "x86-64-v4", "cortex-m33-nodsp-soft"}},
      {"cmsis", {"cortex-m4-softfp"}}};
  for (const auto& [key, left_out] : alike) {
    std::map<std::string, std::string> seen;
    for (const TargetSpec& t : known_targets()) {
      if (left_out.contains(t.name)) continue;
      const auto facts = facts_of(t);
      const auto fact = facts.find(key);
      if (fact == facts.end()) continue;
      EXPECT_FALSE(fact->second.empty()) << t.name << " " << key;
      EXPECT_TRUE(seen.emplace(fact->second, t.name).second) << key << " of " << t.name << ": " << fact->second;
    }
  }
}

TEST(TargetFacts, WordsOfEachWorld) {
  Diagnostics diags;
  const auto m55 = resolve_target("cortex-m55", diags), m0 = resolve_target("cortex-m0plus", diags);
  ASSERT_TRUE(m55 && m0);
  EXPECT_EQ(facts_of(*m55).at("cmsis"), "Cortex-M55 DP_FPU FP_MVE DSP");
  EXPECT_EQ(facts_of(*m55).at("rust"), "thumbv8m.main-none-eabihf");
  EXPECT_EQ(facts_of(*m0).at("cmsis"), "Cortex-M0+ NO_FPU NO_MVE");
  EXPECT_EQ(facts_of(*m0).at("kconfig"), "CPU_CORTEX_M0PLUS && !FP_HARDABI");
  EXPECT_EQ(facts_of(*m0).at("rust"), "thumbv6m-none-eabi");
}

// Libraries with instructions that some chips leave out of a core are not for those.
TEST(TargetFacts, WhatChipsLeaveOut) {
  const auto fact = [](const char* target, const char* key) {
    Diagnostics diags;
    const auto t = resolve_target(target, diags);
    return t ? facts_of(*t).at(key) : "no target";
  };
  EXPECT_EQ(fact("cortex-m33-soft", "kconfig"), "CPU_CORTEX_M33 && !FP_HARDABI && ARMV8_M_DSP");
  EXPECT_EQ(fact("cortex-m33-nodsp-soft", "kconfig"), "CPU_CORTEX_M33 && !FP_HARDABI && !ARMV8_M_DSP");
  EXPECT_EQ(fact("cortex-m55", "kconfig"), "CPU_CORTEX_M55 && FP_HARDABI && ARMV8_1_M_MVEF");
  EXPECT_EQ(fact("cortex-m55+nomve.fp", "kconfig"),
            "CPU_CORTEX_M55 && FP_HARDABI && ARMV8_1_M_MVEI && !ARMV8_1_M_MVEF");
  EXPECT_EQ(fact("cortex-m55+nomve", "kconfig"), "CPU_CORTEX_M55 && FP_HARDABI && !ARMV8_1_M_MVEI && ARMV8_M_DSP");
  EXPECT_EQ(fact("cortex-m7-sp", "kconfig"), "CPU_CORTEX_M7 && FP_HARDABI && !CPU_HAS_FPU_DOUBLE_PRECISION");
  EXPECT_EQ(fact("cortex-m33-nodsp-soft", "cmsis"), "Cortex-M33 NO_FPU NO_MVE NO_DSP");
  EXPECT_THAT(fact("cortex-m33-soft", "condition"), HasSubstr("&& defined(__ARM_FEATURE_DSP)"));
  EXPECT_THAT(fact("cortex-m33-nodsp-soft", "condition"), HasSubstr("&& !defined(__ARM_FEATURE_DSP)"));
}

TEST(TargetFacts, SoftFloat) {
  Diagnostics diags;
  const auto soft = resolve_target("arm-none-eabi -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=softfp", diags);
  ASSERT_TRUE(soft);
  EXPECT_EQ(facts_of(*soft).at("arduino"), "cortex-m4/fpv4-sp-d16-softfp");
  EXPECT_THAT(facts_of(*soft).at("condition"), HasSubstr("!defined(__ARM_PCS_VFP)"));
  EXPECT_EQ(facts_of(*soft).at("rust"), "thumbv7em-none-eabi");
}

// RFC 9562: version and variant have their places; the text alone decides the rest.
TEST(Bills, Uuid) {
  EXPECT_EQ(bills::uuid_of("abc"), bills::uuid_of("abc"));
  EXPECT_NE(bills::uuid_of("abc"), bills::uuid_of("abd"));
  // SHA-256 of "abc" begins with ba7816bf 8f01 cfea 4141 40de5dae2223.
  EXPECT_EQ(bills::uuid_of("abc"), "ba7816bf-8f01-8fea-8141-40de5dae2223");
}

TEST(Bills, HashesOfTexts) {
  EXPECT_EQ(sha1_of("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace byoc::forms
