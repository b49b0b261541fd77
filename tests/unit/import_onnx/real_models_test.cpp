#include <gtest/gtest.h>

#include "tests/support/shared_models.hpp"
#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

struct Expected {
  const char* file;
  std::size_t nodes;
  std::size_t inputs;
};

class RealModel : public testing::TestWithParam<Expected> {};

TEST_P(RealModel, imports) {
  const auto path = test::shared_model(GetParam().file);
  if (!path) GTEST_SKIP() << test::kNoSharedModels;
  const test::Imported imported = test::ModelFile::import_path(*path);
  ASSERT_TRUE(imported.graph) << imported.errors;
  EXPECT_EQ(imported.graph->nodes.size(), GetParam().nodes);
  EXPECT_EQ(imported.graph->inputs.size(), GetParam().inputs);
  EXPECT_EQ(imported.graph->outputs.size(), 1u);
  for (const ir::Value& v : imported.graph->values)
    EXPECT_TRUE(!v.constant || v.constant->bytes.size() <= 64 || v.constant->bytes.file() != nullptr) << v.name;
}

// The light models have one Softmax each that opset 9 spells as Flatten, Softmax, Reshape.
INSTANTIATE_TEST_SUITE_P(Shared, RealModel,
                         testing::Values(Expected{"kws_float.onnx", 23, 1}, Expected{"kws_int8_qdq.onnx", 59, 1},
                                         Expected{"kws_int8_qop.onnx", 20, 1}, Expected{"resnet_float.onnx", 24, 1},
                                         Expected{"resnet_int8_qdq.onnx", 69, 1},
                                         Expected{"resnet_int8_qop.onnx", 35, 1}, Expected{"ad_float.onnx", 19, 1},
                                         Expected{"ad_int8_qdq.onnx", 51, 1}, Expected{"ad_int8_qop.onnx", 12, 1},
                                         Expected{"onnx_light/light_squeezenet.onnx", 108, 1},
                                         Expected{"onnx_light/light_resnet50.onnx", 418, 1}),
                         [](const auto& info) {
                           std::string name;
                           for (char c : std::string(info.param.file)) name += std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace byoc
