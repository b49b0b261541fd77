// The shared models through importer, prepare and evaluator, against the outputs of TFLite Micro and ONNX Runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "sdk/evaluate/evaluate.hpp"
#include "sdk/import/import.hpp"
#include "sdk/prepare/prepare.hpp"
#include "tests/support/shared_models.hpp"
#include "tests/support/tensor_pb.hpp"

namespace byoc::test {
namespace {

using nlohmann::json;
using Bytes = std::vector<std::byte>;

std::string all_errors(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

Bytes read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  const std::vector<char> raw((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Bytes out(raw.size());
  if (!out.empty()) std::memcpy(out.data(), raw.data(), raw.size());
  return out;
}

Result<ir::Graph> prepared(const std::string& path, const PrepareOptions& options, Diagnostics& diags) {
  Result<ir::Graph> graph = import_model(path, diags);
  if (!graph || !prepare(*graph, options, diags)) return failure;
  return graph;
}

// How two tensors of one type differ: the largest difference, for floats relative to the largest expected value.
double difference(DType dtype, std::span<const std::byte> found, std::span<const std::byte> expected) {
  if (found.size() != expected.size()) return HUGE_VAL;
  double worst = 0;
  double largest = 0;
  if (dtype == DType::f32) {
    for (std::size_t i = 0; i + 4 <= found.size(); i += 4) {
      float f = 0, e = 0;
      std::memcpy(&f, found.data() + i, 4);
      std::memcpy(&e, expected.data() + i, 4);
      worst = std::max(worst, std::isfinite(f) ? std::fabs(double{f} - double{e}) : HUGE_VAL);
      largest = std::max(largest, std::fabs(double{e}));
    }
    return largest == 0 ? worst : worst / largest;
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    worst = std::max(worst, std::fabs(double(std::to_integer<std::int8_t>(found[i])) -
                                      double(std::to_integer<std::int8_t>(expected[i]))));
  return worst;
}

// One model of golden.json: inputs, outputs and every layer.
struct Golden {
  std::string folder;
  json entry;

  Bytes vector(std::size_t k, const char* which) const {
    return read_bytes(folder + entry["vectors"][k][which].get<std::string>());
  }
};

std::optional<Golden> golden(const std::string& model) {
  const auto index = shared_model("golden/golden.json");
  if (!index) return std::nullopt;
  std::ifstream in(*index);
  const json all = json::parse(in);
  return Golden{index->substr(0, index->size() - std::strlen("golden.json")), all["models"][model]};
}

class TfliteGolden : public testing::TestWithParam<const char*> {};

TEST_P(TfliteGolden, everyLayerOfEveryInput) {
  const std::string model = GetParam();
  const auto path = shared_model(model + ".tflite");
  const auto expected = golden(model);
  if (!path || !expected) GTEST_SKIP() << kNoSharedModels;
  Diagnostics diags;
  const auto graph = prepared(*path, {}, diags);
  ASSERT_TRUE(graph) << all_errors(diags);

  std::map<std::int64_t, Bytes> layers;
  for (const json& layer : expected->entry["layers"])
    layers[layer["tensor"]] = read_bytes(expected->folder + layer["file"].get<std::string>());
  const std::size_t inputs = expected->entry["vectors"].size();
  ASSERT_EQ(inputs, 5U);
  ASSERT_FALSE(layers.empty());
  std::size_t compared = 0;
  for (std::size_t k = 0; k < inputs; ++k) {
    const evaluate::Tensor input{graph->values[graph->inputs[0]].type, Blob::own(expected->vector(k, "input"))};
    const auto outputs =
        evaluate::run(*graph, std::vector{input}, diags, [&](ir::ValueId v, const evaluate::Tensor& t) {
          const auto layer = layers.find(graph->values[v].source_index);
          if (layer == layers.end()) return;
          ++compared;
          const auto slice = std::span(layer->second).subspan(k * t.bytes.size(), t.bytes.size());
          EXPECT_LE(difference(t.type.dtype, t.bytes.bytes(), slice), t.type.dtype == DType::f32 ? 1e-5 : 0)
              << model << " input " << k << " tensor " << layer->first << " " << graph->values[v].name;
        });
    ASSERT_TRUE(outputs) << all_errors(diags);
    const evaluate::Tensor& y = outputs->at(0);
    EXPECT_LE(difference(y.type.dtype, y.bytes.bytes(), expected->vector(k, "output")),
              y.type.dtype == DType::f32 ? 1e-5 : 0)
        << model << " input " << k;
  }
  // Preparing must not lose a layer that the reference lists.
  EXPECT_EQ(compared, layers.size() * inputs);
}

INSTANTIATE_TEST_SUITE_P(Models, TfliteGolden,
                         testing::Values("kws_int8", "resnet_int8", "ad_int8", "kws_float", "resnet_float", "ad_float"),
                         [](const auto& info) { return std::string(info.param); });

// The ONNX forms of the same networks. Not lifted: every operator literally as ONNX defines it.
struct OnnxCase {
  const char* model;
  bool lift;
};

// Two sums of resnet's second convolution lie on a rounding edge for input 3, on which ONNX Runtime's own two forms
// disagree by 22 steps; see docs/decisions/onnx-requantisation.md. Not lifted, every form is equal to the last bit.
int allowed_steps(const OnnxCase& c, std::size_t input) {
  return c.lift && std::string_view(c.model).starts_with("resnet_int8") && input == 3 ? 11 : 0;
}

void PrintTo(const OnnxCase& c, std::ostream* out) { *out << c.model << (c.lift ? " lifted" : " literal"); }

class OnnxGolden : public testing::TestWithParam<OnnxCase> {};

TEST_P(OnnxGolden, everyInput) {
  const std::string model = GetParam().model;
  const auto path = shared_model(model + ".onnx");
  const std::size_t form = model.find("_q");  // the golden inputs are those of the TFLite model
  const auto inputs = golden(model.substr(0, form));
  if (!path || !inputs) GTEST_SKIP() << kNoSharedModels;
  Diagnostics diags;
  PrepareOptions options;
  options.lift = GetParam().lift;
  Result<ir::Graph> graph = import_model(*path, diags);
  ASSERT_TRUE(graph) << all_errors(diags);
  for (const std::string& symbol : graph->symbols) options.dims[symbol] = 1;
  ASSERT_TRUE(prepare(*graph, options, diags)) << all_errors(diags);
  for (std::size_t k = 0; k < 5; ++k) {
    const evaluate::Tensor input{graph->values[graph->inputs[0]].type, Blob::own(inputs->vector(k, "input"))};
    const auto outputs = evaluate::run(*graph, std::vector{input}, diags);
    ASSERT_TRUE(outputs) << all_errors(diags);
    const evaluate::Tensor& y = outputs->at(0);
    const auto expected = shared_model("golden_onnx/" + model + "_output_" + std::to_string(k) + ".raw");
    ASSERT_TRUE(expected);
    EXPECT_LE(difference(y.type.dtype, y.bytes.bytes(), read_bytes(*expected)),
              y.type.dtype == DType::f32 ? 1e-5 : allowed_steps(GetParam(), k))
        << model << " input " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, OnnxGolden,
    testing::Values(OnnxCase{"kws_float", true}, OnnxCase{"ad_float", true}, OnnxCase{"resnet_float", true},
                    OnnxCase{"kws_int8_qdq", true}, OnnxCase{"ad_int8_qdq", true}, OnnxCase{"resnet_int8_qdq", true},
                    OnnxCase{"kws_int8_qop", true}, OnnxCase{"ad_int8_qop", true}, OnnxCase{"resnet_int8_qop", true},
                    OnnxCase{"kws_int8_qdq", false}, OnnxCase{"ad_int8_qdq", false}, OnnxCase{"resnet_int8_qdq", false},
                    OnnxCase{"kws_int8_qop", false}, OnnxCase{"ad_int8_qop", false},
                    OnnxCase{"resnet_int8_qop", false}),
    [](const auto& info) { return std::string(info.param.model) + (info.param.lift ? "_lifted" : "_literal"); });

// Lifting must leave no float operator but the Softmax and what is around it.
TEST(OnnxModels, areLiftedWhole) {
  for (const char* stem :
       {"kws_int8_qdq", "kws_int8_qop", "ad_int8_qdq", "ad_int8_qop", "resnet_int8_qdq", "resnet_int8_qop"}) {
    const auto path = shared_model(std::string(stem) + ".onnx");
    if (!path) GTEST_SKIP() << kNoSharedModels;
    Diagnostics diags;
    const auto graph = prepared(*path, {}, diags);
    ASSERT_TRUE(graph) << all_errors(diags);
    for (const ir::Node& n : graph->nodes)
      EXPECT_TRUE(graph->values[n.outputs[0]].type.quantisation || n.op == "Softmax" || n.is("byoc", "Dequantize"))
          << stem << " " << n.describe();
  }
}

// SqueezeNet and ResNet-50 with constant weights: what counts is that 5 and 100 MB fold and run. Input: i / n.
void run_light(const std::string& model) {
  const auto path = shared_model("onnx_light/" + model + ".onnx");
  if (!path) GTEST_SKIP() << kNoSharedModels;
  Diagnostics diags;
  Result<ir::Graph> graph = prepared(*path, {}, diags);
  ASSERT_TRUE(graph) << all_errors(diags);
  const ir::TensorType& type = graph->values[graph->inputs[0]].type;
  const auto n = static_cast<std::size_t>(type.elements());
  Bytes bytes(n * 4);
  for (std::size_t i = 0; i < n; ++i) {
    const float value = static_cast<float>(i) / static_cast<float>(n);
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  const auto outputs = evaluate::run(*graph, std::vector{evaluate::Tensor{type, Blob::own(std::move(bytes))}}, diags);
  ASSERT_TRUE(outputs) << all_errors(diags);
  const auto expected = read_tensor_pb(*shared_model("onnx_light/" + model + "_output_0.pb"));
  ASSERT_TRUE(expected);
  EXPECT_LE(difference(DType::f32, outputs->at(0).bytes.bytes(), expected->bytes.bytes()), 1e-4);
}

TEST(LightModels, squeezenet) { run_light("light_squeezenet"); }
TEST(SlowLightModels, resnet50) { run_light("light_resnet50"); }

}  // namespace
}  // namespace byoc::test
