// The real models: everything in them arrives.
#include <gtest/gtest.h>

#include <map>

#include "sdk/import/tflite/tflite.hpp"
#include "sdk/ir/text.hpp"
#include "sdk/ir/verify.hpp"
#include "tests/support/shared_models.hpp"

namespace byoc {
namespace {

struct Expected {
  const char* name;
  std::map<std::string, int> operators;
  const char* input;
  const char* output;
};

class SharedModel : public testing::TestWithParam<Expected> {};

TEST_P(SharedModel, isImported) {
  const auto path = test::shared_model(std::string(GetParam().name) + ".tflite");
  if (!path) GTEST_SKIP() << test::kNoSharedModels;
  Diagnostics diags;
  auto g = import_tflite(*path, diags);
  ASSERT_TRUE(g) << to_string(diags.all()[0]);
  EXPECT_TRUE(ir::verify(*g, diags)) << to_string(diags.all()[0]);
  EXPECT_TRUE(diags.all().empty());
  EXPECT_EQ(g->name, GetParam().name);
  EXPECT_EQ(g->requant, Requant::tflite);
  std::map<std::string, int> found;
  for (const ir::Node& n : g->nodes) ++found[n.op];
  EXPECT_EQ(found, GetParam().operators);
  ASSERT_EQ(g->inputs.size(), 1u);
  ASSERT_EQ(g->outputs.size(), 1u);
  EXPECT_EQ(to_string(g->values[g->inputs[0]].type, *g), GetParam().input);
  EXPECT_EQ(to_string(g->values[g->outputs[0]].type, *g), GetParam().output);
  for (const ir::Value& v : g->values)
    EXPECT_TRUE(!v.constant || v.source_index < 0 || v.constant->bytes.file()) << v.name << " is not mapped";
  const std::string text = ir::print(*g);
  auto again = ir::parse(text, "printed", diags);
  ASSERT_TRUE(again) << to_string(diags.all()[0]);
  EXPECT_EQ(ir::print(*again), text);
}

using Operators = std::map<std::string, int>;
const Operators kKws = {{"AveragePool", 1}, {"Conv", 9}, {"FullyConnected", 1}, {"Reshape", 1}, {"Softmax", 1}};
const Operators kAd = {{"FullyConnected", 10}};
const Operators kResnet = {{"Add", 3},     {"AveragePool", 1}, {"Conv", 9}, {"FullyConnected", 1},
                           {"Reshape", 1}, {"Softmax", 1}};

INSTANTIATE_TEST_SUITE_P(Tflite, SharedModel,
                         testing::Values(Expected{"kws_int8", kKws, "i8[1,49,10,1]", "i8[1,12]"},
                                         Expected{"kws_float", kKws, "f32[1,49,10,1]", "f32[1,12]"},
                                         Expected{"ad_int8", kAd, "i8[1,640]", "i8[1,640]"},
                                         Expected{"ad_float", kAd, "f32[1,640]", "f32[1,640]"},
                                         Expected{"resnet_int8", kResnet, "i8[1,32,32,3]", "i8[1,10]"},
                                         Expected{"resnet_float", kResnet, "f32[1,32,32,3]", "f32[1,10]"}),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace byoc
