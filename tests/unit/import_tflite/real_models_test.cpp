// The real models: everything in them arrives.
#include <gtest/gtest.h>

#include <map>

#include "sdk/model/import/tflite/tflite.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/ir/verify.hpp"
#include "tests/support/model_files.hpp"

namespace byoc {
namespace {

struct Expected {
  const char* name;
  std::map<std::string, int> operators;
  const char* input;
  const char* output;
};

class RealModel : public testing::TestWithParam<Expected> {};

TEST_P(RealModel, isImported) {
  const auto path = test::model_file(std::string(GetParam().name) + ".tflite");
  if (!path) GTEST_SKIP() << test::kNoModel;
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
const Operators kDsCnn = {{"AveragePool", 1}, {"Conv", 9}, {"FullyConnected", 1}, {"Reshape", 1}, {"Softmax", 1}};
const Operators kDense = {{"FullyConnected", 10}};
const Operators kResnet = {{"Add", 3},     {"AveragePool", 1}, {"Conv", 9}, {"FullyConnected", 1},
                           {"Reshape", 1}, {"Softmax", 1}};
const Operators kMobilenet = {{"Add", 4},        {"Conv", 22},   {"FullyConnected", 1},
                              {"ReduceMean", 1}, {"Reshape", 1}, {"Softmax", 1}};
const Operators kUnet = {{"Concat", 2}, {"Conv", 6}, {"ConvTranspose", 2}, {"MaxPool", 2}, {"Sigmoid", 1}};

std::string test_name(const testing::TestParamInfo<Expected>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Networks, RealModel,
                         testing::Values(Expected{"ds_cnn_int8", kDsCnn, "i8[1,49,10,1]", "i8[1,12]"},
                                         Expected{"ds_cnn_float", kDsCnn, "f32[1,49,10,1]", "f32[1,12]"},
                                         Expected{"autoencoder_int8", kDense, "i8[1,640]", "i8[1,640]"},
                                         Expected{"resnet8_float", kResnet, "f32[1,32,32,3]", "f32[1,10]"},
                                         Expected{"mobilenet_int8", kMobilenet, "i8[1,96,96,3]", "i8[1,10]"},
                                         Expected{"unet_int8", kUnet, "i8[1,32,32,1]", "i8[1,32,32,1]"}),
                         test_name);
INSTANTIATE_TEST_SUITE_P(
    Shared, RealModel,
    testing::ValuesIn(test::where_shared<Expected>({{"kws_int8", kDsCnn, "i8[1,49,10,1]", "i8[1,12]"},
                                                    {"kws_float", kDsCnn, "f32[1,49,10,1]", "f32[1,12]"},
                                                    {"ad_int8", kDense, "i8[1,640]", "i8[1,640]"},
                                                    {"resnet_int8", kResnet, "i8[1,32,32,3]", "i8[1,10]"}})),
    test_name);

}  // namespace
}  // namespace byoc
