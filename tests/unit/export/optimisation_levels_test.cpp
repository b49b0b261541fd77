#include "sdk/export/optimisation_levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::string text_of_levels(const OptimisationLevels& levels) {
  return levels.hot + " " + levels.light + " " + levels.glue;
}

TEST(OptimisationLevels, suitTheObjective) {
  EXPECT_EQ(text_of_levels(optimisation_levels(Objective::speed, "", "clang")), "3 3 s");
  EXPECT_EQ(text_of_levels(optimisation_levels(Objective::size, "", "clang")), "s s s");
  EXPECT_EQ(text_of_levels(optimisation_levels(Objective::balanced, "", "clang")), "2 s s");
  EXPECT_EQ(text_of_levels(optimisation_levels(Objective::balanced, "", "gnu")), "2 2 s");
}

TEST(OptimisationLevels, areTheUsersWhereTheyAreSaid) {
  EXPECT_EQ(text_of_levels(optimisation_levels(Objective::speed, "1", "clang")), "1 1 1");
  EXPECT_EQ(text_of_levels(optimisation_levels(Objective::balanced, "3", "clang")), "3 3 3");
  EXPECT_EQ(text_of_levels(optimisation_levels(Objective::balanced, "0", "clang")), "1 1 0");
}

TEST(OptimisationLevels, followWhatCodegensState) {
  using codegen::Effort;
  const OptimisationLevels balanced = optimisation_levels(Objective::balanced, "", "clang");
  EXPECT_EQ(level_of(balanced, Effort::usual, Effort::hot), "2");
  EXPECT_EQ(level_of(balanced, Effort::usual, Effort::glue), "s");
  EXPECT_EQ(level_of(balanced, Effort::hot, Effort::glue), "2");
  EXPECT_EQ(level_of({"hot", "light", "glue"}, Effort::light, Effort::hot), "light");
  EXPECT_EQ(level_of({"hot", "light", "glue"}, Effort::glue, Effort::hot), "glue");
}

TEST(OptimisationLevels, ofKernelsAreHotWhereNothingIsStated) {
  plugin::Compilation compilation;
  const auto share = [&](const char* symbol, codegen::Effort effort) {
    plugin::SourceArtifact source;
    source.decl.symbol = symbol;
    source.decl.shared = true;
    source.decl.effort = effort;
    compilation.sources.push_back(source);
  };
  share("pool", codegen::Effort::light);
  share("conv", codegen::Effort::hot);
  share("part", codegen::Effort::usual);
  plugin::OtherArtifact module;
  module.decl.symbol = "module";
  module.decl.shared = true;
  module.decl.effort = codegen::Effort::light;
  compilation.others.push_back(module);
  EXPECT_THAT(kernel_levels({"2", "s", "s"}, compilation),
              ElementsAre(Pair("conv", "2"), Pair("module", "s"), Pair("part", "2"), Pair("pool", "s")));
}

}  // namespace
}  // namespace byoc
