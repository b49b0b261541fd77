// Which kernels layers take: by objective, with code that is there once however many layers take it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backends/c/costs/cost_table.hpp"
#include "backends/layers/kernel_choice.hpp"

namespace byoc::c {

using namespace layers;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

KernelOption option(const char* kernel, double instructions, std::uint64_t constants, std::uint64_t code,
                    std::uint64_t workspace = 0) {
  KernelOption o;
  o.kernel = kernel;
  o.instructions = instructions;
  o.constants = constants;
  o.code_bytes = code;
  o.workspace = workspace;
  return o;
}

LayerOptions conv(double scale = 1) {
  return {{option("conv", 1000 * scale, 500, 1000), option("wide", 900 * scale, 1000, 1000),
           option("small", 1800 * scale, 500, 600)},
          100};
}

LayerOptions dense() { return {{option("dense", 100, 100, 700), option("small", 260, 100, 600)}, 100}; }

std::vector<std::size_t> choose(std::vector<LayerOptions> layers, Objective objective, std::uint64_t budget = 0) {
  return choose_kernels(std::move(layers), objective, budget);
}

TEST(KernelChoice, speedTakesTheFewestInstructions) {
  EXPECT_THAT(choose({conv(), dense()}, Objective::speed), ElementsAre(1, 0));
}

TEST(KernelChoice, speedTakesTheSmallerOfEquals) {
  EXPECT_THAT(choose({{{option("a", 10, 8, 8), option("b", 10, 4, 8)}, 0}}, Objective::speed), ElementsAre(1));
}

TEST(KernelChoice, sizeSharesCode) {
  // Alone, the dense kernel is larger than nothing but the small one; with the convolution that is there anyway.
  EXPECT_THAT(choose({conv(), dense()}, Objective::size), ElementsAre(2, 1));
  EXPECT_THAT(choose({{{option("dense", 100, 100, 500), option("small", 200, 100, 600)}, 0}}, Objective::size),
              ElementsAre(0));
}

TEST(KernelChoice, sizeKeepsItsBoundOfInstructions) {
  const LayerOptions slow{{option("fast", 1000, 0, 1000), option("tiny", 2600, 0, 10)}, 0};
  EXPECT_THAT(choose({slow}, Objective::size), ElementsAre(0));
  // Beside a layer that takes most of the time anyway, the sum is within it.
  const LayerOptions other{{option("other", 5000, 0, 100)}, 0};
  EXPECT_THAT(choose({slow, other}, Objective::size), ElementsAre(1, 0));
}

TEST(KernelChoice, balancedPaysThreePercentOfFlashForOneOfTime) {
  const auto with = [](double instructions, std::uint64_t constants) {
    return choose({{{option("a", 1000, 9000, 1000), option("b", instructions, constants, 1000)}, 0}},
                  Objective::balanced);
  };
  EXPECT_THAT(with(990, 9250), ElementsAre(1));   // 1 % of time for 2.5 % of flash
  EXPECT_THAT(with(990, 9350), ElementsAre(0));   // for 3.5 %
  EXPECT_THAT(with(1010, 8650), ElementsAre(1));  // the other way round
  EXPECT_THAT(with(1010, 8750), ElementsAre(0));
}

TEST(KernelChoice, codeOfManyLayersPays) {
  const LayerOptions few{{option("general", 150, 10, 100), option("special", 100, 10, 400)}, 0};
  std::vector<LayerOptions> layers{few, {{option("rest", 200, 10, 100)}, 0}};
  EXPECT_THAT(choose(layers, Objective::balanced), ElementsAre(0, 0));
  for (int i = 0; i < 4; ++i) layers.push_back(few);
  EXPECT_THAT(choose(layers, Objective::balanced), ElementsAre(1, 0, 1, 1, 1, 1));
}

TEST(KernelChoice, formsOfAKernelShareNoCode) {
  KernelOption onnx = option("conv", 10, 0, 100);
  onnx.suffix = "_onnx";
  const LayerOptions plain{{option("conv", 10, 0, 100)}, 0};
  const LayerOptions layer{{onnx, option("other", 11, 0, 10)}, 0};
  EXPECT_THAT(choose({plain, layer}, Objective::size), ElementsAre(0, 1));
}

TEST(KernelChoice, aBudgetLeavesOutWhatDoesNotFit) {
  const LayerOptions layer{{option("fast", 10, 0, 10, 500), option("lean", 20, 0, 10, 50)}, 100};
  EXPECT_THAT(choose({layer}, Objective::speed, 600), ElementsAre(0));
  EXPECT_THAT(choose({layer}, Objective::speed, 599), ElementsAre(1));
  EXPECT_THAT(choose({layer}, Objective::speed, 10), ElementsAre(1)) << "the leanest stays";
}

TEST(KernelChoice, manyKernelsAreLeftOutOneByOne) {
  std::vector<LayerOptions> layers;
  static std::set<std::string> names;
  for (int i = 0; i < 14; ++i)
    layers.push_back(
        {{option(names.insert("own" + std::to_string(i)).first->c_str(), 10, 0, 1000), option("shared", 12, 0, 1000)},
         0});
  EXPECT_THAT(choose(layers, Objective::size), testing::Each(1));
  EXPECT_THAT(choose(layers, Objective::speed), testing::Each(0));
}

TEST(KernelChoice, theRemarkSaysWhatElseThereWas) {
  LayerOptions layer = conv();
  layer.options[0].work = {.starts = 4, .results = 64, .products = 4096};
  layer.options[0].way = "staged";
  EXPECT_EQ(
      remark_on(layer, 0),
      "staged: starts 4, results 64, products 4096; wide: 900 instructions, 1000 bytes of constants, 1000 of code; "
      "small: 1800 instructions, 500 bytes of constants, 600 of code");
}

TEST(CostTable, everyMachineHasEveryObjective) {
  // Each row of a kernel at one objective has its like at the others, but for those that not all of them consider.
  std::map<std::pair<std::string, Machine>, std::set<Objective>> objectives;
  for (const KernelCost& c : cost_table()) {
    objectives[{std::string(c.kernel) + "/" + std::string(c.way), c.machine}].insert(c.objective);
    EXPECT_GT(c.code_bytes, 0U) << c.kernel;
    EXPECT_GT(c.call + c.start + c.row + c.copied + c.result + c.product, 0) << c.kernel << " " << c.way;
  }
  EXPECT_GT(objectives.size(), 50U);
  for (const auto& [row, found] : objectives) {
    const bool for_some = row.first.find("dsp_taps") != std::string::npos ||
                          row.first.find("twin_line") != std::string::npos ||
                          row.first.find("twin_block") != std::string::npos ||
                          row.first.find("pool_s8_small") != std::string::npos || row.first.starts_with("add_s8/");
    if (!for_some) {
      EXPECT_EQ(found.size(), 3U) << row.first;
    }
  }
}

TEST(CostTable, constantsTakeTimeToComeOutOfFlash) {
  TargetSpec t;
  t.cpu = "cortex-m4";
  t.isa = {"thumb", "dsp"};
  t.pools = {{"ram", PoolKind::ram, 0, {"latency-9"}, ""}, {"flash", PoolKind::flash, 0, {}, ""}};
  KernelOption o = option("conv_s8_dsp_twin", 0, 0, 0);
  o.work = {.starts = 10, .products = 1000};
  o.reads = 800;
  const auto cycles = [&] {
    add_costs(o, t, Objective::speed);
    return o.cycles;
  };
  const double without = cycles();
  EXPECT_GT(without, 0);
  t.pools.back().attributes = {"latency-5", "bandwidth-8"};
  EXPECT_DOUBLE_EQ(cycles(), without + 500);
  t.pools.back().attributes = {"latency-1"};
  EXPECT_DOUBLE_EQ(cycles(), without + 200) << "a word at a time";
}

TEST(CostTable, cyclesAreThoseOfTheCore) {
  TargetSpec t;
  t.isa = {"thumb", "dsp"};
  const auto cycles = [&](std::string_view cpu) {
    t.cpu = cpu;
    KernelOption o = option("conv_s8_dsp_twin", 0, 0, 0);
    o.work = {.starts = 10, .products = 1000};
    add_costs(o, t, Objective::speed);
    return o.cycles;
  };
  EXPECT_LT(cycles("cortex-m7"), cycles("cortex-m33"));
  EXPECT_LT(cycles("cortex-m33"), cycles("cortex-m4"));
  EXPECT_EQ(cycles("cortex-m35p"), cycles("cortex-m4")) << "the best that is known of a core with the DSP extension";
  t.isa = {"thumb", "dsp", "mve"};
  EXPECT_EQ(cycles("cortex-m52"), 0) << "nothing is known of it";
}

TEST(CostTable, everyCoreHasCyclesAtEveryObjective) {
  std::map<std::string_view, std::set<Objective>> objectives;
  for (const CoreCost& c : cycle_table()) {
    objectives[c.cpu].insert(c.cost.objective);
    EXPECT_GT(c.cost.call + c.cost.start + c.cost.row + c.cost.copied + c.cost.result + c.cost.product, 0)
        << c.cpu << " " << c.cost.kernel << " " << c.cost.way;
  }
  for (const auto& [cpu, found] : objectives) EXPECT_EQ(found.size(), 3U) << cpu;
}

TEST(CostTable, machines) {
  TargetSpec t;
  t.isa = {"thumb", "dsp", "mve"};
  EXPECT_EQ(machine_of(t), Machine::armv8_1m);
  t.isa = {"thumb", "dsp"};
  EXPECT_EQ(machine_of(t), Machine::armv7em);
  t.isa = {"thumb", "hwdiv"};
  EXPECT_EQ(machine_of(t), Machine::armv7m);
  t.isa = {"thumb"};
  EXPECT_EQ(machine_of(t), Machine::armv6m);
  EXPECT_TRUE(is_measured(t));
  t.isa = {};
  EXPECT_EQ(machine_of(t), Machine::armv7m);
  EXPECT_FALSE(is_measured(t)) << "another CPU: its layers have no estimate";
  t.triple = "riscv32-unknown-unknown-elf";
  EXPECT_EQ(machine_of(t), Machine::rv32);
}

}  // namespace
}  // namespace byoc::c
