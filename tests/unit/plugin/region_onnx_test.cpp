// Regions as ONNX models: what our importer reads back computes what the region computes.
#include "sdk/codegen/codegen/region_onnx.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/import/onnx/onnx.hpp"
#include "sdk/model/import/tflite/tflite.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/tensors.hpp"
#include "tests/unit/plugin/random_tensor.hpp"

namespace byoc::plugin {
namespace {

ir::Graph prepared(const std::string& statements, const std::string& requant) {
  Diagnostics diags;
  auto g = ir::parse("graph \"g\" requant=" + requant + " {\n" + statements + "\n}", "g.byoc", diags);
  EXPECT_TRUE(g && prepare(*g, {}, diags)) << test::error_text(diags);
  return std::move(*g);
}

std::vector<std::byte> bytes_of(const OnnxModel& model) {
  std::vector<std::byte> out;
  for (const auto piece : model.pieces) out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

// The model written, imported and prepared again; nullopt after a failure of the test.
std::optional<ir::Graph> round_trip(const ir::Graph& g) {
  const BoundRegion whole = make_region(g);
  const auto model = onnx_model(whole.region);
  if (const auto* no = std::get_if<OnnxRefusal>(&model)) {
    ADD_FAILURE() << no->text << " at node " << no->node;
    return std::nullopt;
  }
  Diagnostics diags;
  auto folder = TemporaryDirectory::create(diags);
  const std::string path = folder->path() + "/region.onnx";
  OutputSet files(diags);
  const std::vector<std::byte> bytes = bytes_of(std::get<OnnxModel>(model));
  EXPECT_TRUE(files.add(path, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())) &&
              files.commit());
  auto back = import_onnx(path, diags);
  if (!back || !prepare(*back, {}, diags)) {
    ADD_FAILURE() << test::error_text(diags);
    return std::nullopt;
  }
  return std::move(*back);
}

std::vector<evaluate::Tensor> evaluated(const ir::Graph& g, const std::vector<evaluate::Tensor>& inputs) {
  Diagnostics diags;
  auto out = evaluate::run(g, inputs, diags);
  EXPECT_TRUE(out) << test::error_text(diags);
  return out ? std::move(*out) : std::vector<evaluate::Tensor>();
}

// `steps`: how far quantised elements may be from the region's.
void expect_same(const ir::Graph& g, int runs = 3, int steps = 0) {
  const auto back = round_trip(g);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->inputs.size(), g.inputs.size());
  ASSERT_EQ(back->outputs.size(), g.outputs.size());
  // The model's outputs are in the order of the region's.
  const BoundRegion whole = make_region(g);
  std::vector<std::size_t> place;
  for (const codegen::ValueId v : whole.region.outputs)
    place.push_back(
        static_cast<std::size_t>(std::find(g.outputs.begin(), g.outputs.end(), whole.values[v]) - g.outputs.begin()));
  std::mt19937 random(5);
  for (int run = 0; run < runs; ++run) {
    std::vector<evaluate::Tensor> inputs;
    std::vector<evaluate::Tensor> plain;
    for (const ir::ValueId v : g.inputs) {
      inputs.push_back(random_tensor(g.values[v].type, random));
      plain.push_back({back->values[back->inputs[plain.size()]].type, inputs.back().bytes});
    }
    std::vector<evaluate::Tensor> expected;
    const auto of_graph = evaluated(g, inputs);
    for (const std::size_t p : place) expected.push_back(of_graph.at(p));
    const auto found = evaluated(*back, plain);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto a = found[i].bytes.bytes();
      const auto b = expected[i].bytes.bytes();
      ASSERT_EQ(found[i].type.dims, expected[i].type.dims);
      ASSERT_EQ(found[i].type.dtype, expected[i].type.dtype);
      if (expected[i].type.dtype == DType::i8 && steps != 0) {
        for (std::size_t k = 0; k < a.size(); ++k)
          ASSERT_LE(std::abs(static_cast<std::int8_t>(a[k]) - static_cast<std::int8_t>(b[k])), steps) << k;
      } else {
        const evaluate::Tensor unquantised{{expected[i].type.dtype, expected[i].type.dims, std::nullopt},
                                           expected[i].bytes};
        const evaluate::Tensor result{{found[i].type.dtype, found[i].type.dims, std::nullopt}, found[i].bytes};
        EXPECT_EQ(test::difference(result, unquantised, {1e-5, 1e-6, 1e-6}), "") << "output " << i;
      }
    }
  }
}

TEST(RegionOnnx, floatLayersOfBothLayouts) {
  expect_same(prepared(R"(input %x : f32[1,4,9,7]
    const %w : f32[6,2,3,3] = splat(0.11)
    const %b : f32[6] = [1, -1, 0.5, 2, -2, 0]
    const %s : f32[6] = splat(0.7)
    %c = Conv.13(%x, %w, %b) {group=2, pads=[1, 1, 1, 1], strides=[2, 1], activation="relu6"}
    %n = BatchNormalization.15(%c, %s, %b, %b, %s)
    %r = Relu.13(%n)
    %p = MaxPool.12(%r) {kernel_shape=[2, 2]}
    const %k : i64[1] = [1]
    %a = ReduceMean.18(%p, %k)
    %parts, %rest = Split.13(%p) {axis=1}
    output %a output %parts output %rest)",
                       "onnx"));
  expect_same(prepared(
      R"(input %x : f32[2,9,7,3]
    const %w : f32[5,3,3,3] = hex")" +
          std::string(5 * 27 * 8, '3') + R"("
    const %d : f32[1,3,2,10] = [)" +
          [] {
            std::string list;
            for (int i = 0; i < 60; ++i) list += (i ? ", " : "") + std::to_string((i * 37 % 23) - 11);
            return list;
          }() +
          R"(]
    %c = Conv.18(%x, %w) {data_layout="NHWC", filter_layout="OHWI", pads=[0, 1, 2, 1], dilations=[1, 2]}
    %e = Conv.18(%c, %d) {data_layout="NHWC", filter_layout="IHWO", group=5, activation="relu_n1_to_1"}
    %p = AveragePool.18(%e) {data_layout="NHWC", kernel_shape=[2, 2], pads=[0, 0, 1, 1], activation="relu"}
    %s = Softmax.18(%p) {axis=-1, beta=0.25}
    const %m : f32[4,10] = splat(0.125)
    const %b : f32[4] = [1, 2, 3, -4]
    %f = byoc.FullyConnected.1(%s, %m, %b) {keep_num_dims=1, activation="relu"}
    %g = GlobalAveragePool.18(%p) {data_layout="NHWC"}
    output %f output %g)",
      "tflite"));
}

TEST(RegionOnnx, transposedFilters) {
  expect_same(prepared(R"(input %x : f32[1,3,4,2]
    input %v : f32[3,2,2,2]
    const %w : f32[3,2,2,2] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]
    %t = ConvTranspose.18(%x, %w) {data_layout="NHWC", filter_layout="OHWI", strides=[2, 2], pads=[0, 0, 0, 0]}
    %c = Conv.18(%x, %v) {data_layout="NHWC", filter_layout="OHWI"}
    output %t output %c)",
                       "tflite"));
}

TEST(RegionOnnx, quantisedWithOnnxRounding) {
  expect_same(prepared(R"(input %x : i8[1,4,6,6] q(0.05, 3)
    const %w : i8[8,4,3,3] q(axis=0, [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08], [0, 0, 0, 0, 0, 0, 0, 0]) = splat(5)
    const %b : i32[8] = [100, -100, 200, 300, -400, 5, 6, 7]
    %c : i8[1,8,4,4] q(0.3, -20) = Conv.13(%x, %w, %b) {activation="relu"}
    %m : i8[1,8,2,2] q(0.3, -20) = MaxPool.12(%c) {kernel_shape=[2, 2], strides=[2, 2]}
    %r : i8[1,32] q(0.3, -20) = Flatten.13(%m)
    const %k : i8[5,32] q(0.02, 0) = splat(-3)
    %f : i8[1,5] q(0.7, 0) = byoc.FullyConnected.1(%r, %k)
    %a : i8[1,5] q(1.1, 4) = Add.14(%f, %f)
    %d : f32[1,5] = byoc.Dequantize.1(%a)
    %q : u8[1,5] q(0.9, 120) = byoc.Quantize.1(%d)
    output %a output %q output %m)",
                       "onnx"));
}

TEST(RegionOnnx, quantisedWithTheRoundingOfTensorFlowLite) {
  expect_same(prepared(R"(input %x : i8[1,6,6,4] q(0.05, 3)
    const %w : i8[8,3,3,4] q(axis=0, [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08], [0, 0, 0, 0, 0, 0, 0, 0]) = splat(5)
    const %b : i32[8] = [100, -100, 200, 300, -400, 5, 6, 7]
    %c : i8[1,4,4,8] q(0.3, -20) = Conv.18(%x, %w, %b) {data_layout="NHWC", filter_layout="OHWI", activation="relu6"}
    %m : i8[1,2,2,8] q(0.3, -20) = MaxPool.18(%c) {data_layout="NHWC", kernel_shape=[2, 2], strides=[2, 2]}
    const %k : i8[5,32] q(0.02, 0) = splat(-3)
    %f : i8[1,5] q(0.7, 0) = byoc.FullyConnected.1(%m, %k)
    output %f)",
                       "tflite"),
              5, 1);
}

TEST(RegionOnnx, integersOf16Bits) {
  const ir::Graph g = prepared(R"(input %x : i16[2,4] q(0.01, 0)
    const %w : i8[3,4] q(0.02, 0) = splat(9)
    const %b : i64[3] = [1000, -1000, 5]
    %f : i16[2,3] q(0.02, 0) = byoc.FullyConnected.1(%x, %w, %b)
    output %f)",
                               "tflite");
  const auto back = round_trip(g);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->values[back->outputs[0]].type.dtype, DType::i16);
}

TEST(RegionOnnx, saysWhatItCannotSay) {
  const auto refusal = [](const std::string& statements) {
    const ir::Graph g = prepared(statements, "tflite");
    const BoundRegion whole = make_region(g);
    const auto model = onnx_model(whole.region);
    const auto* no = std::get_if<OnnxRefusal>(&model);
    return no ? no->text : "";
  };
  EXPECT_EQ(refusal("input %x : f32[2,4] %y = byoc.L2Normalization.1(%x) output %y"), "ONNX has no such operator");
  EXPECT_EQ(
      refusal(
          "input %x : f32[2,4] const %p : i64[4] = [0, 1, 0, 1] %y = Pad.18(%x, %p) {mode=\"symmetric\"} output %y"),
      "the mode 'symmetric'");
  EXPECT_EQ(refusal("input %x : f32[2,4] input %i : i64[2,1] %y = Gather.18(%x, %i) {axis=1, batch_dims=1} output %y"),
            "batch_dims other than 0");
  EXPECT_EQ(
      refusal("input %x : i8[1,3,3,2] q(0.1, 0) const %w : i4[1,1,1,2] q(0.1, 0) = zeros "
              "%y : i8[1,3,3,1] q(0.1, 0) = Conv.18(%x, %w) {data_layout=\"NHWC\", filter_layout=\"OHWI\"} output %y"),
      "filters of fewer than 8 bits in another layout than ONNX's");
}

TEST(RegionOnnx, constantsAreNotCopied) {
  const ir::Graph g =
      prepared("input %x : f32[1,64] const %w : f32[64,64] = zeros %y = MatMul.13(%x, %w) output %y", "onnx");
  const BoundRegion whole = make_region(g);
  const auto model = onnx_model(whole.region);
  const auto& pieces = std::get<OnnxModel>(model).pieces;
  EXPECT_TRUE(std::any_of(pieces.begin(), pieces.end(), [&](const auto& p) {
    return p.data() == g.values[g.nodes[0].inputs[1]].constant->bytes.data();
  }));
}

TEST(RegionOnnx, realModels) {
  struct Model {
    const char* name;
    int steps;
  };
  for (const Model& m : {Model{"resnet8_float.onnx", 0},
                         {"ds_cnn_float.tflite", 0},
                         {"autoencoder_int8_qdq.onnx", 0},
                         {"ds_cnn_int8_qop.onnx", 0},
                         {"ds_cnn_int8.tflite", 5}}) {
    const auto path = test::model_file(m.name);
    if (!path) GTEST_SKIP() << test::kNoModel;
    SCOPED_TRACE(m.name);
    Diagnostics diags;
    auto g = path->ends_with(".onnx") ? import_onnx(*path, diags) : import_tflite(*path, diags);
    ASSERT_TRUE(g && prepare(*g, {}, diags)) << test::error_text(diags);
    // A softmax would make one step of the logits, by which other rounding may be off, up to some twenty of the output.
    if (m.steps != 0 && g->nodes.back().op == "Softmax") {
      g->outputs = {g->nodes.back().inputs[0]};
      g->nodes.pop_back();
    }
    expect_same(*g, 1, m.steps);
  }
}

}  // namespace
}  // namespace byoc::plugin
