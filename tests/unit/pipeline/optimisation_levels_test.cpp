#include "sdk/pipeline/optimisation_levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::string text_of(const OptimisationLevels& levels) { return levels.hot + " " + levels.light + " " + levels.glue; }

TEST(OptimisationLevels, suitTheObjective) {
  EXPECT_EQ(text_of(optimisation_levels(Objective::speed, "", "clang")), "3 3 s");
  EXPECT_EQ(text_of(optimisation_levels(Objective::size, "", "clang")), "s s s");
  EXPECT_EQ(text_of(optimisation_levels(Objective::balanced, "", "clang")), "2 s s");
  EXPECT_EQ(text_of(optimisation_levels(Objective::balanced, "", "gnu")), "2 2 s");
}

TEST(OptimisationLevels, areTheUsersWhereTheyAreSaid) {
  EXPECT_EQ(text_of(optimisation_levels(Objective::speed, "1", "clang")), "1 1 1");
  EXPECT_EQ(text_of(optimisation_levels(Objective::balanced, "3", "clang")), "3 3 3");
  EXPECT_EQ(text_of(optimisation_levels(Objective::balanced, "0", "clang")), "1 1 0");
}

// A pool kernel that a convolution calls, too, is a convolution's.
TEST(OptimisationLevels, aKernelIsLightWhereAllItsUsersAre) {
  ir::Graph graph;
  graph.nodes.resize(3);
  graph.nodes[0].op = "MaxPool";
  graph.nodes[1].op = "Conv";
  graph.nodes[2].op = "Softmax";
  plugin::Compilation compilation;
  for (const char* symbol : {"pool", "conv", "mixed", "unused"}) {
    plugin::SourceArtifact source;
    source.decl.symbol = symbol;
    source.decl.shared = true;
    compilation.sources.push_back(source);
  }
  const auto step = [&](const char* kernel, ir::NodeId node) {
    plugin::Step s;
    s.decl.kernel = kernel;
    s.nodes = {node};
    compilation.steps.push_back(s);
  };
  step("pool", 0);
  step("pool", 2);
  step("conv", 1);
  step("mixed", 0);
  step("mixed", 1);
  EXPECT_THAT(kernel_levels({"2", "s", "s"}, graph, compilation),
              ElementsAre(Pair("conv", "2"), Pair("mixed", "2"), Pair("pool", "s"), Pair("unused", "2")));
}

}  // namespace
}  // namespace byoc
