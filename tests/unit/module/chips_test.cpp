#include "sdk/target/target/chips.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sdk/target/target/chip_start.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

using ::testing::HasSubstr;

TEST(Chips, haveNamesOfTheirOwnAndACoreThatThereIs) {
  std::set<std::string> names;
  for (const TargetSpec& t : known_targets()) names.insert(t.name);
  for (const Chip& c : chips()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_TRUE(std::ranges::any_of(known_targets(), [&](const TargetSpec& t) { return t.name == c.target; }))
        << c.name;
    EXPECT_GT(c.ram, 0U) << c.name;
    EXPECT_GT(c.mhz, 0U) << c.name;
    EXPECT_EQ(find_chip(c.name), &c) << c.name;
  }
}

TEST(Chips, startInFlashTheyHaveOrSayWhyNot) {
  for (const Chip& c : chips()) {
    const ChipStart& start = chip_start(c);
    if (!start.obstacle.empty()) continue;
    EXPECT_GT(c.flash, 0U) << c.name;
    EXPECT_GT(start.ram, 0U) << c.name;
    EXPECT_TRUE(start.flash + c.flash <= start.ram) << c.name << ": the memories overlap";
  }
}

TEST(Chips, startByTheRowOfTheirFamily) {
  EXPECT_EQ(chip_start(*find_chip("nucleo-f446re")).flash, 0x08000000U);
  EXPECT_EQ(chip_start(*find_chip("nucleo-h743zi")).ram, 0x24000000U);
  EXPECT_EQ(chip_start(*find_chip("efr32mg21")).flash, 0U);
  EXPECT_EQ(chip_start(*find_chip("efr32mg24")).flash, 0x08000000U);
  EXPECT_FALSE(chip_start(*find_chip("nano-33-ble")).obstacle.empty()) << "the board, not its chip";
  EXPECT_TRUE(chip_start(*find_chip("nrf52840")).obstacle.empty());
  EXPECT_FALSE(chip_start(*find_chip("xmc4500")).obstacle.empty()) << "no row is for it";
}

TEST(Chips, areTheTargetOfTheirCoreWithTheirMemories) {
  Diagnostics diags;
  const auto chip = resolve_target("stm32f446re", diags), core = resolve_target("cortex-m4f", diags);
  ASSERT_TRUE(chip && core);
  EXPECT_EQ(chip->name, "stm32f446re");
  EXPECT_EQ(chip->isa, core->isa);
  EXPECT_EQ(chip->gnu_flags, core->gnu_flags);
  ASSERT_EQ(chip->pools.size(), 2U);
  EXPECT_EQ(chip->pools[0].size, 128U * 1024);
  EXPECT_EQ(chip->pools[1].size, 512U * 1024);
  EXPECT_TRUE(known_target("stm32f446re", "m.json", diags)) << "a manifest says it";
}

TEST(Chips, areFoundInAnyCaseAndByPartNumbers) {
  for (const char* name : {"STM32F446RE", "stm32f446ret6", "STM32F446RET6TR"}) {
    const Chip* chip = find_chip(name);
    ASSERT_NE(chip, nullptr) << name;
    EXPECT_EQ(chip->name, "stm32f446re");
  }
  for (const char* name : {"stm32f446", "stm32f446re-x", "nano-33-blex", ""})
    EXPECT_EQ(find_chip(name), nullptr) << name;
}

TEST(Chips, ofABoardHaveTheBoardsFlash) {
  const Chip *pico = find_chip("pico"), *chip = find_chip("rp2040");
  ASSERT_TRUE(pico && chip);
  EXPECT_EQ(pico->chip, "rp2040");
  EXPECT_EQ(pico->ram, chip->ram);
  EXPECT_EQ(pico->flash, 2048U * 1024);
  EXPECT_EQ(chip->flash, 0U);
}

TEST(Chips, theNearestIsNamedWhereThereIsNone) {
  Diagnostics diags;
  EXPECT_FALSE(resolve_target("stm32f446rd", diags));
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("stm32f446re"));
}

}  // namespace
}  // namespace byoc
