#include "backends/c/effort.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_host.hpp"

namespace byoc::c {
namespace {

// A pool kernel that a convolution calls, too, is a convolution's; of a kernel that no step names nothing is said.
TEST(Effort, ofAKernelIsLightWhereAllItsUsersAre) {
  codegen::Region region;
  region.nodes.resize(4);
  region.nodes[0].op = "MaxPool";
  region.nodes[1].op = "Conv";
  region.nodes[2].op = "Softmax";
  region.nodes[3].op = "MaxPool";
  region.nodes[3].domain = "byoc";
  test::FakeHost to;
  EffortHost host(to);
  for (const char* symbol : {"pool", "conv", "mixed", "unused", "other"})
    host.source({.name = symbol, .symbol = symbol, .shared = true}, "text");
  host.source({.name = "steps"}, "text");
  host.step(region, {.nodes = {0}, .kernel = "pool"});
  host.step(region, {.nodes = {0, 2}, .kernel = "pool"});
  host.step(region, {.nodes = {1}, .kernel = "conv"});
  host.step(region, {.nodes = {0}, .kernel = "mixed"});
  host.step(region, {.nodes = {0, 1}, .kernel = "mixed"});
  host.step(region, {.nodes = {3}, .kernel = "other"});
  EXPECT_TRUE(to.sources.empty());
  host.finish();
  using codegen::Effort;
  std::map<std::string, Effort> found;
  for (const auto& s : to.sources) found[s.decl.name] = s.decl.effort;
  const std::map<std::string, Effort> expected = {{"pool", Effort::light}, {"conv", Effort::hot},
                                                  {"mixed", Effort::hot},  {"unused", Effort::usual},
                                                  {"other", Effort::hot},  {"steps", Effort::usual}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(to.steps.size(), 6u);
}

}  // namespace
}  // namespace byoc::c
