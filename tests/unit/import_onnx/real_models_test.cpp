#include <gtest/gtest.h>

#include "tests/support/model_files.hpp"
#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

struct Expected {
  const char* file;
  std::size_t nodes;
  std::size_t inputs = 1;
  std::size_t outputs = 1;
};

class RealModel : public testing::TestWithParam<Expected> {};

TEST_P(RealModel, imports) {
  const auto path = test::model_file(GetParam().file);
  if (!path) GTEST_SKIP() << test::kNoModel;
  const test::Imported imported = test::ModelFile::import_path(*path);
  ASSERT_TRUE(imported.graph) << imported.errors;
  EXPECT_EQ(imported.graph->nodes.size(), GetParam().nodes);
  EXPECT_EQ(imported.graph->inputs.size(), GetParam().inputs);
  EXPECT_EQ(imported.graph->outputs.size(), GetParam().outputs);
  for (const ir::Value& v : imported.graph->values)
    EXPECT_TRUE(!v.constant || v.constant->bytes.size() <= 64 || v.constant->bytes.file() != nullptr) << v.name;
}

std::string test_name(const testing::TestParamInfo<Expected>& info) {
  std::string name;
  for (char c : std::string(info.param.file)) name += std::isalnum(c) ? c : '_';
  return name;
}

// QLinear operators of com.microsoft are a few nodes each.
INSTANTIATE_TEST_SUITE_P(Networks, RealModel,
                         testing::Values(Expected{"ds_cnn_float.onnx", 22}, Expected{"ds_cnn_int8_qdq.onnx", 68},
                                         Expected{"ds_cnn_int8_qop.onnx", 21}, Expected{"resnet8_float.onnx", 23},
                                         Expected{"resnet8_int8_qdq.onnx", 78}, Expected{"resnet8_int8_qop.onnx", 33},
                                         Expected{"autoencoder_float.onnx", 19},
                                         Expected{"stream_int8_qdq.onnx", 62, 4, 4}, Expected{"lstm_float.onnx", 5},
                                         Expected{"lstm_int8_qdq.onnx", 18}, Expected{"unet_int8_qop.onnx", 29}),
                         test_name);

// The light models have one Softmax each that opset 9 spells as Flatten, Softmax, Reshape.
INSTANTIATE_TEST_SUITE_P(Shared, RealModel,
                         testing::ValuesIn(test::where_shared<Expected>({{"kws_int8_qop.onnx", 20},
                                                                         {"resnet_int8_qdq.onnx", 69},
                                                                         {"ad_float.onnx", 19},
                                                                         {"onnx_light/light_squeezenet.onnx", 108},
                                                                         {"onnx_light/light_resnet50.onnx", 418}})),
                         test_name);

}  // namespace
}  // namespace byoc
