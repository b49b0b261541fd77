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

}  // namespace
}  // namespace byoc::test
