// Real models through importer, prepare and evaluator: the networks against expectations of tests/networks, those of
// ../shared against the outputs of TFLite Micro and ONNX Runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/import/import.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/model_files.hpp"
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

// One model of a golden.json: inputs, outputs and every layer.
struct Golden {
  std::string folder;
  json entry;

  Bytes vector(std::size_t k, const char* which) const {
    return read_bytes(folder + entry["vectors"][k][which].get<std::string>());
  }
};

// Of the networks, or of ../shared.
std::optional<Golden> golden(const std::string& model) {
  const auto shared = shared_folder();
  for (const std::string& folder : {networks_dir(), shared ? (*shared / "models").string() : std::string()}) {
    std::ifstream in(folder + "/golden/golden.json");
    if (!in) continue;
    const json all = json::parse(in)["models"];
    if (all.contains(model)) return Golden{folder + "/golden/", all[model]};
  }
  return std::nullopt;
}

double tolerance(DType dtype) { return dtype == DType::f32 ? 1e-5 : 0; }

class EveryLayer : public testing::TestWithParam<const char*> {};

TEST_P(EveryLayer, ofEveryInput) {
  const std::string model = GetParam();
  const auto expected = golden(model);
  if (!expected) GTEST_SKIP() << kNoModel;
  const bool is_tflite = expected->entry.contains("tflite");
  const auto path = model_file(expected->entry[is_tflite ? "tflite" : "onnx"]);
  ASSERT_TRUE(path);
  Diagnostics diags;
  const auto graph = prepared(*path, {}, diags);
  ASSERT_TRUE(graph) << all_errors(diags);

  // By the number of the tensor in a TFLite model, by name in an ONNX model.
  std::map<std::string, Bytes> layers;
  std::set<std::string> missing;
  for (const json& layer : expected->entry["layers"]) {
    const std::string key = is_tflite ? std::to_string(layer["tensor"].get<int>()) : layer["name"].get<std::string>();
    layers[key] = read_bytes(expected->folder + layer["file"].get<std::string>());
    // What only moves elements may have become one with its input.
    if (is_tflite || !layer["moves"]) missing.insert(key);
  }
  const std::size_t inputs = expected->entry["vectors"].size();
  ASSERT_GE(inputs, 3U);
  for (std::size_t k = 0; k < inputs; ++k) {
    const evaluate::Tensor input{graph->values[graph->inputs[0]].type, Blob::own(expected->vector(k, "input"))};
    const auto outputs =
        evaluate::run(*graph, std::vector{input}, diags, [&](ir::ValueId id, const evaluate::Tensor& t) {
          const ir::Value& v = graph->values[id];
          const std::string key = is_tflite ? std::to_string(v.source_index) : v.name;
          const auto layer = layers.find(key);
          if (layer == layers.end()) return;
          missing.erase(key);
          const auto slice = std::span(layer->second).subspan(k * t.bytes.size(), t.bytes.size());
          EXPECT_LE(difference(t.type.dtype, t.bytes.bytes(), slice), tolerance(t.type.dtype))
              << model << " input " << k << " tensor " << key << " " << v.name;
        });
    ASSERT_TRUE(outputs) << all_errors(diags);
    const evaluate::Tensor& y = outputs->at(0);
    EXPECT_LE(difference(y.type.dtype, y.bytes.bytes(), expected->vector(k, "output")), tolerance(y.type.dtype))
        << model << " input " << k;
  }
  EXPECT_THAT(missing, testing::IsEmpty()) << "preparing must not lose a layer that the reference lists";
}

std::string test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Networks, EveryLayer,
                         testing::Values("ds_cnn_int8", "ds_cnn_float", "ds_cnn_float.onnx", "ds_cnn_int8_qdq",
                                         "ds_cnn_int8_qop", "resnet8_int8", "resnet8_int8_qdq", "resnet8_int8_qop",
                                         "autoencoder_int8", "autoencoder_float", "autoencoder_int8_qdq",
                                         "autoencoder_int8_qop", "lstm_int8", "lstm_float", "lstm_float.onnx",
                                         "lstm_int8_qdq", "unet_int8", "unet_float.onnx", "unet_int8_qdq"),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Shared, EveryLayer,
                         testing::ValuesIn(where_shared<const char*>({"kws_int8", "resnet_int8", "ad_int8", "kws_float",
                                                                      "resnet_float", "ad_float"})),
                         test_name);

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
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnnxGolden);

TEST_P(OnnxGolden, everyInput) {
  const std::string model = GetParam().model;
  const auto path = model_file(model + ".onnx");
  const std::size_t form = model.find("_q");  // the golden inputs are those of the TFLite model
  const auto inputs = golden(model.substr(0, form));
  ASSERT_TRUE(path && inputs);
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
    const auto expected = model_file("golden_onnx/" + model + "_output_" + std::to_string(k) + ".raw");
    ASSERT_TRUE(expected);
    EXPECT_LE(difference(y.type.dtype, y.bytes.bytes(), read_bytes(*expected)),
              y.type.dtype == DType::f32 ? 1e-5 : allowed_steps(GetParam(), k))
        << model << " input " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, OnnxGolden,
                         testing::ValuesIn(where_shared<OnnxCase>({{"kws_float", true},
                                                                   {"ad_float", true},
                                                                   {"resnet_float", true},
                                                                   {"kws_int8_qdq", true},
                                                                   {"ad_int8_qdq", true},
                                                                   {"resnet_int8_qdq", true},
                                                                   {"kws_int8_qop", true},
                                                                   {"ad_int8_qop", true},
                                                                   {"resnet_int8_qop", true},
                                                                   {"kws_int8_qdq", false},
                                                                   {"ad_int8_qdq", false},
                                                                   {"resnet_int8_qdq", false},
                                                                   {"kws_int8_qop", false},
                                                                   {"ad_int8_qop", false},
                                                                   {"resnet_int8_qop", false}})),
                         [](const auto& info) {
                           return std::string(info.param.model) + (info.param.lift ? "_lifted" : "_literal");
                         });

// Lifting must leave no float operator but the Softmax and what is around it.
TEST(OnnxModels, areLiftedWhole) {
  for (const char* stem : {"ds_cnn_int8_qdq", "ds_cnn_int8_qop", "autoencoder_int8_qdq", "autoencoder_int8_qop",
                           "resnet8_int8_qdq", "resnet8_int8_qop", "mobilenet_int8_qdq", "mobilenet_int8_qop"}) {
    const auto path = model_file(std::string(stem) + ".onnx");
    if (!path) GTEST_SKIP() << kNoModel;
    Diagnostics diags;
    const auto graph = prepared(*path, {}, diags);
    ASSERT_TRUE(graph) << all_errors(diags);
    for (const ir::Node& n : graph->nodes)
      EXPECT_TRUE(graph->values[n.outputs[0]].type.quantisation || n.op == "Softmax" || n.is("byoc", "Dequantize"))
          << stem << " " << n.describe();
  }
}

// SqueezeNet with constant weights: what counts is that 5 MB fold and run. Input: i / n.
class LightModel : public testing::TestWithParam<const char*> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LightModel);

TEST_P(LightModel, foldsAndRuns) {
  const std::string model = std::string("onnx_light/") + GetParam();
  Diagnostics diags;
  Result<ir::Graph> graph = prepared(*model_file(model + ".onnx"), {}, diags);
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
  const auto expected = read_tensor_pb(*model_file(model + "_output_0.pb"));
  ASSERT_TRUE(expected);
  EXPECT_LE(difference(DType::f32, outputs->at(0).bytes.bytes(), expected->bytes.bytes()), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Shared, LightModel, testing::ValuesIn(where_shared<const char*>({"light_squeezenet"})),
                         test_name);

}  // namespace
}  // namespace byoc::test
