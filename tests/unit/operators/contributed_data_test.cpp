// ONNX Runtime's operators on data, words, images and experts, and old ones of ai.onnx: results worked out by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/unit/operators/layer.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ContributedData, gathersRowsOfCodes) {
  // Rows of the codes 0 to 15 and 15 to 0; the second one times 0.5, less 8.
  const auto table = [](const std::vector<std::int32_t>& rows) {
    std::vector<std::int32_t> bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(2 * i + (2 * i + 1) * 16);
    for (int i = 0; i < 8; ++i) bytes.push_back((15 - 2 * i) + (14 - 2 * i) * 16);
    return std::move(Layer("GatherBlockQuantized")
                         .whole(TensorProto::UINT8, {2, 8}, bytes)
                         .whole(TensorProto::INT32, {static_cast<std::int64_t>(rows.size())}, rows)
                         .real({2, 1}, {1, 0.5F})
                         .with("block_size", 16));
  };
  Reals row;
  for (int i = 15; i >= 0; --i) row.push_back(static_cast<float>(i - 8) * 0.5F);
  EXPECT_EQ(table({1}).results(), row);
  const Reals zeros = table({0}).whole(TensorProto::UINT8, {2, 1}, {3, 0}).results();
  EXPECT_EQ(zeros[0], -3);
  EXPECT_EQ(zeros[15], 12);
  EXPECT_THAT(table({0}).with("gather_axis", 1).errors(), HasSubstr("codes in bytes are gathered along axis 0"));
  EXPECT_THAT(table({0}).with("quantize_axis", 2).errors(),
              HasSubstr("gather_axis or quantize_axis is out of range (found 2, expected -2 to 1)"));
  EXPECT_THAT(table({0}).with("bits", 3).errors(), HasSubstr("bits are not supported (found 3, expected 2, 4 or 8)"));
  Layer small = table({0});
  small.model.graph().mutable_node(0)->mutable_attribute(0)->set_i(8);
  EXPECT_THAT(small.errors(), HasSubstr("block_size is out of range (found 8, expected a power of two from 16 on)"));
}

TEST(ContributedData, weightsThatNameNumbers) {
  const auto layer = [](std::int64_t type, const std::vector<std::int32_t>& bytes) {
    return std::move(Layer("MatMulBnb4")
                         .real({1, 4}, {1, 1, 1, 1})
                         .whole(TensorProto::UINT8, {4}, bytes)
                         .real({1}, {2})
                         .with("K", 4)
                         .with("N", 2)
                         .with("block_size", 16)
                         .with("quant_type", type));
  };
  // NF4's codes 0, 7 and 15 are -1, 0 and 1; the first one of a byte has its high bits.
  EXPECT_THAT(layer(1, {0x0f, 0x7f, 0xf0, 0x07}).results(), ElementsAre(2, -2));
  EXPECT_THAT(layer(1, {0x0f, 0x7f, 0xf0, 0x07}).with("transB", 0).results(), ElementsAre(-2, 2));
  // FP4's codes 3, 5 and 11 are 1, 0.5 and -1.
  EXPECT_THAT(layer(0, {0x35, 0x00, 0xb0, 0x00}).results(), ElementsAre(3, -2));
  EXPECT_THAT(layer(2, {0, 0, 0, 0}).errors(),
              HasSubstr("quant_type is unknown (found 2, expected 0 (FP4) or 1 (NF4))"));
}

TEST(ContributedData, movesElements) {
  EXPECT_THAT(
      Layer("Pad").real({1, 2}, {1, 2}).whole(TensorProto::INT64, {1, 4}, {0, 1, 0, 0}).real({1}, {7}).results(),
      ElementsAre(7, 1, 2));
  EXPECT_THAT(Layer("GatherND").real({2, 2}, {1, 2, 3, 4}).whole(TensorProto::INT32, {1, 2}, {1, 0}).results(),
              ElementsAre(3));
  const auto unfolded = [](std::int64_t size) {
    return std::move(
        Layer("UnfoldTensor").real({5, 1}, {1, 2, 3, 4, 5}).with("dim", 0).with("size", size).with("step", 2));
  };
  EXPECT_THAT(unfolded(3).results(), ElementsAre(1, 2, 3, 3, 4, 5));
  EXPECT_THAT(unfolded(6).errors(), HasSubstr("size or step is out of range (found 6 and 2"));
  EXPECT_THAT(Layer("UnfoldTensor").real({2}, {1, 2}).with("dim", 1).with("size", 1).errors(),
              HasSubstr("dim is out of range (found 1, expected -1 to 0)"));
  EXPECT_THAT(Layer("Unique", {"y", "where", "count"}).real({4}, {3, 1, 3, 2}).results(),
              ElementsAre(3, 1, 2, 0, 1, 0, 2, 2, 1, 1));
  EXPECT_THAT(Layer("SampleOp").real({2}, {1, 2}).results(), ElementsAre(1, 2));
}

TEST(ContributedData, oldOperators) {
  const auto old = [](const char* op) { return std::move(Layer(op).in_onnx_domain()); };
  EXPECT_THAT(old("Affine").real({2}, {1, 2}).with_real("alpha", 3).with_real("beta", 1).results(), ElementsAre(4, 7));
  EXPECT_THAT(old("Scale").real({2}, {1, 2}).with_real("scale", 3).results(), ElementsAre(3, 6));
  expect_near(old("ScaledTanh").real({1}, {0.5F}).with_real("alpha", 2).with_real("beta", 3).results(),
              {2 * std::tanh(1.5F)});
  expect_near(old("ParametricSoftplus").real({1}, {0.5F}).with_real("alpha", 2).with_real("beta", 3).results(),
              {2 * std::log(1 + std::exp(1.5F))});
  EXPECT_THAT(
      old("ImageScaler").real({1, 2, 1, 2}, {1, 2, 3, 4}).with_real("scale", 2).with_reals("bias", {1, -1}).results(),
      ElementsAre(3, 5, 5, 7));
  EXPECT_THAT(old("DynamicSlice")
                  .real({4}, {1, 2, 3, 4})
                  .whole(TensorProto::INT32, {1}, {1})
                  .whole(TensorProto::INT32, {1}, {-1})
                  .results(),
              ElementsAre(2, 3));
  const auto crop = [&] { return std::move(old("Crop").real({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})); };
  EXPECT_THAT(crop().with_integers("border", {1, 1, 0, 0}).results(), ElementsAre(5, 6));
  EXPECT_THAT(crop().with_integers("border", {1, 0, 0, 0}).with_integers("scale", {2, 1}).results(), ElementsAre(2, 5));
  EXPECT_THAT(crop().with_integers("border", {1, 0, 0, 0}).with_integers("scale", {2, 3}).errors(),
              HasSubstr("the border does not fit the image (found 4, expected at most 3)"));
  EXPECT_THAT(crop().with_integers("border", {1}).errors(), HasSubstr("attribute border has the wrong length"));
  EXPECT_THAT(crop().with_integers("border", {-1, 0, 0, 0}).errors(), HasSubstr("attribute border is out of range"));
}

// MurmurHash3_x86_32, by a program in Python.
TEST(ContributedData, hashes) {
  const auto hash = [] { return std::move(Layer("MurmurHash3").with("positive", 0)); };
  EXPECT_THAT(hash().whole(TensorProto::INT32, {1}, {3}).results(), ElementsAre(847579505.0F));
  EXPECT_THAT(hash().whole(TensorProto::INT64, {1}, {4}).results(), ElementsAre(-803074778.0F));
  EXPECT_THAT(hash().whole(TensorProto::INT8, {1}, {4}).errors(),
              HasSubstr("the element type of the input is not supported (found i8"));
}

TEST(ContributedData, images) {
  const auto crop = [](const Reals& region, std::int32_t size) {
    return std::move(Layer("CropAndResize")
                         .real({1, 1, 2, 2}, {1, 2, 3, 4})
                         .real({1, 4}, region)
                         .whole(TensorProto::INT32, {1}, {0})
                         .whole(TensorProto::INT32, {2}, {size, size}));
  };
  expect_near(crop({0, 0, 1, 1}, 1).results(), {2.5F});
  expect_near(crop({0, 0, 1, 0.5F}, 2).results(), {1, 1.5F, 3, 3.5F});
  expect_near(crop({0, 0, 1.5F, 1.5F}, 2).with_real("extrapolation_value", 9).results(), {1, 9, 9, 9});
  expect_near(crop({0, 0, 1, 0.5F}, 2).with_text("mode", "nearest").results(), {1, 2, 3, 4});
  EXPECT_THAT(crop({0, 0, 1, 1}, 1).with_text("mode", "cubic").errors(), HasSubstr("mode is unknown (found cubic"));
  // Each element three times the kernel [1, 2, 3], of which a pad of 1 and 2 is cut off: [1 2 3 3 6 9].
  EXPECT_THAT(Layer("ConvTransposeWithDynamicPads")
                  .real({1, 1, 2}, {1, 3})
                  .real({1, 1, 3}, {1, 2, 3})
                  .whole(TensorProto::INT64, {2}, {1, 2})
                  .with_integers("strides", {3})
                  .results(),
              ElementsAre(2, 3, 3));
}

TEST(ContributedData, transforms) {
  const auto forward = [] { return std::move(Layer("Rfft").real({1, 4}, {1, 2, 3, 5}).with("signal_ndim", 1)); };
  // 11, (1 - 3) + i (5 - 2), 1 - 2 + 3 - 5
  expect_near(forward().results(), {11, 0, -2, 3, -3, 0});
  expect_near(Layer("Irfft").real({1, 3, 2}, {11, 0, -2, 3, -3, 0}).with("signal_ndim", 1).results(), {1, 2, 3, 5});
  EXPECT_THAT(forward().with("normalized", 1).errors(), HasSubstr("normalized is not supported (found 1, expected 0)"));
  EXPECT_THAT(forward().with("onesided", 0).errors(), HasSubstr("onesided is not supported"));
  EXPECT_THAT(Layer("Rfft").real({1, 4}, {1, 2, 3, 5}).with("signal_ndim", 2).errors(),
              HasSubstr("signal_ndim is not supported (found 2, expected 1)"));
}

// By a program in Python.
TEST(ContributedData, groupsOfChannels) {
  const auto norm = [](const char* op, const std::vector<std::string>& outputs) {
    return std::move(Layer(op, outputs)
                         .real({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 10})
                         .real({4}, {0.5F, 1, 2, 1})
                         .real({4}, {0, 1, 0, -1}));
  };
  const Reals expected{-0.606338F, 0.272394F, -2.190889F, -1.730296F, 0.363803F, 2.212677F, 0.730296F, 0.460593F};
  expect_near(norm("GroupNorm", {"y"}).with("groups", 2).with_real("epsilon", 1e-5F).results(), expected);
  expect_near(norm("GroupNorm", {"y"}).with("groups", 2).with("activation", 1).results(),
              {-0.213974F, 0.154633F, -0.220341F, -0.260496F, 0.214629F, 1.994468F, 0.492855F, 0.282415F});
  // A skip of 1 for every channel takes nothing away from the normalised sum.
  Reals with_sum = expected;
  for (const float v : {2, 3, 4, 5, 6, 7, 8, 11}) with_sum.push_back(v);
  expect_near(norm("SkipGroupNorm", {"y", "sum"}).real({1, 4}, {1, 1, 1, 1}).with("groups", 2).results(), with_sum);
  EXPECT_THAT(norm("GroupNorm", {"y"}).with("groups", 0).errors(), HasSubstr("groups is out of range"));
  EXPECT_THAT(norm("GroupNorm", {"y"}).with("groups", 2).with("activation", 2).errors(),
              HasSubstr("activation is unknown (found 2"));
}

// By a program in Python: the first row goes to the first expert, the second one to the second.
TEST(ContributedData, experts) {
  const auto layer = [](const char* activation) {
    return std::move(Layer("MoE")
                         .real({2, 2}, {1, 2, 3, -1})
                         .real({2, 2}, {2, 0, 0, 1})
                         .real({2, 1, 2}, {1, 1, 2, -1})
                         .none()
                         .real({2, 2, 1}, {1, 2, 3, -1})
                         .with_text("activation_type", activation));
  };
  expect_near(layer("relu").results(), {2.642391F, 5.284782F, 15.35223F, -5.11741F});
  expect_near(layer("relu").with("normalize_routing_weights", 1).results(), {3, 6, 21, -7});
  EXPECT_THAT(layer("tanh").errors(), HasSubstr("activation_type is unknown (found tanh"));
  EXPECT_THAT(layer("relu").with("k", 3).errors(), HasSubstr("k is out of range (found 3"));
  EXPECT_THAT(layer("swiglu").errors(), HasSubstr("swiglu_fusion does not fit the third weights (found 0"));
  EXPECT_THAT(layer("relu").with("use_sparse_mixer", 1).errors(), HasSubstr("use_sparse_mixer is not supported"));
  // Gates 1 and linear parts 2, interleaved: 1 / (1 + e^-1) * (2 + 1), times 1.
  const auto gated = [](std::int64_t fusion, const Reals& weights) {
    return std::move(Layer("MoE")
                         .real({1, 1}, {1})
                         .real({1, 1}, {0})
                         .real({1, 2, 1}, weights)
                         .none()
                         .real({1, 1, 1}, {1})
                         .with_text("activation_type", "swiglu")
                         .with("swiglu_fusion", fusion)
                         .with_real("activation_beta", 1));
  };
  expect_near(gated(1, {1, 2}).results(), {2.1931758F});
  expect_near(gated(2, {1, 2}).results(), {2.1931758F});
  // A limit of 1.5 cuts the linear part.
  expect_near(gated(1, {1, 2}).with_real("swiglu_limit", 1.5F).results(), {0.7310586F * 2.5F});
}

// As above: codes of 4 bits less 8, with scales for each output.
TEST(ContributedData, quantisedExperts) {
  const auto layer = [] {
    return std::move(Layer("QMoE")
                         .real({1, 2}, {1, 2})
                         .real({1, 1}, {0})
                         .whole(TensorProto::UINT8, {1, 2, 1}, {0x9a, 0x7b})  // [2 1], [3 -1]
                         .real({1, 2}, {1, 0.5F})
                         .none()
                         .whole(TensorProto::UINT8, {1, 2, 1}, {0x9a, 0x7b})
                         .real({1, 2}, {1, 2})
                         .none());
  };
  // Hidden: 4 and 0.5; then 2 * 4 + 0.5 and 2 * (3 * 4 - 0.5).
  EXPECT_THAT(layer().results(), ElementsAre(8.5F, 23));
  EXPECT_THAT(layer().with("expert_weight_bits", 3).errors(),
              HasSubstr("expert_weight_bits are not supported (found 3"));
  EXPECT_THAT(layer().with_text("quant_type", "fp4").errors(), HasSubstr("quant_type is not supported (found fp4"));
}

// Characters 1 and 2 have the embeddings 0.5 and 2; windows of one character, and a filter that is 1.
TEST(ContributedData, wordsOfCharacters) {
  const auto layer = [](std::vector<std::int64_t> dims, const std::vector<std::int32_t>& words) {
    return std::move(Layer("WordConvEmbedding")
                         .whole(TensorProto::INT32, std::move(dims), words)
                         .real({1, 1, 1, 1}, {1})
                         .real({1}, {0})
                         .real({3, 1}, {9, 0.5F, 2}));
  };
  expect_near(layer({3, 2}, {1, 2, 1, 99, 0, 0}).results(), {std::tanh(2.0F), std::tanh(0.5F), 0});
  EXPECT_THAT(layer({1, 2}, {1, 2}).with("conv_window_size", 2).errors(),
              HasSubstr("attribute conv_window_size does not fit input 1 (found 2, expected 1)"));
}

TEST(ContributedData, quantisedOnes) {
  // [1 2 3] and [10 20 30], chosen as true, false, true, in steps of 2 above 1.
  EXPECT_THAT(Layer("QLinearWhere")
                  .whole(TensorProto::BOOL, {4}, {1, 0, 1, 1})
                  .whole(TensorProto::UINT8, {4}, {2, 4, 6, 8})
                  .real({}, {0.5F})
                  .whole(TensorProto::UINT8, {}, {0})
                  .whole(TensorProto::UINT8, {4}, {10, 20, 30, 40})
                  .real({}, {1})
                  .whole(TensorProto::UINT8, {}, {0})
                  .real({}, {0.25F})
                  .whole(TensorProto::UINT8, {}, {1})
                  .results(),
              ElementsAre(static_cast<float>(5 + 81 * 256 + 13 * 65536 + 17 * 16777216)));
  // The mean of 1, 2, 4 and 5 is 3: 12 steps of 0.25, and 1.
  Layer mean("QLinearReduceMean");
  mean.whole(TensorProto::UINT8, {4, 4}, {2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 10, 10, 10, 10});
  mean.real({}, {0.5F}).whole(TensorProto::UINT8, {}, {0}).real({}, {0.25F}).whole(TensorProto::UINT8, {}, {1});
  EXPECT_THAT(mean.with_integers("axes", {0}).results(), ElementsAre(13 * 0x01010101));
}

// The second word's embedding [3 0] + position [1 4] + nothing; the first one's [1 2] + [0 1].
TEST(ContributedData, quantisedEmbeddings) {
  Layer m("QEmbedLayerNormalization", {"y", "valid"});
  m.whole(TensorProto::INT32, {1, 2}, {0, 1}).none();
  m.whole(TensorProto::INT8, {2, 2}, {3, 5, 7, 1}).whole(TensorProto::INT8, {2, 2}, {0, 1, 1, 4}).none();
  m.whole(TensorProto::INT8, {2}, {2, 2}).whole(TensorProto::INT8, {2}, {0, 10}).none();
  m.real({}, {0.5F}).real({}, {1}).none().real({}, {0.5F}).real({}, {0.5F});
  for (const int zero : {1, 0, -1, 0, 0}) {
    if (zero < 0)
      m.none();
    else
      m.whole(TensorProto::INT8, {}, {zero});
  }
  // Sums [1 3] and [4 4]: normalised -1 and 1, and 0 and 0; gamma is 1, beta [0 5].
  expect_near(m.results(), {-1, 6, 0, 5, 0});
}

// Two keys of the cache are 0 and 1 in steps of 0.5, and their values 2 and 4; the new ones are 1 and 6.
TEST(ContributedData, aCacheOfIntegers) {
  const auto layer = [](const char* type, std::int64_t bits) {
    return std::move(Layer("GroupQueryAttention", {"y", "k"})
                         .real({1, 1, 1}, {0})
                         .real({1, 1, 1}, {1})
                         .real({1, 1, 1}, {6})
                         .whole(TensorProto::INT8, {1, 1, 3, 1}, {0, 2, 0})
                         .whole(TensorProto::INT8, {1, 1, 3, 1}, {4, 8, 0})
                         .whole(TensorProto::INT32, {1}, {2})
                         .whole(TensorProto::INT32, {1}, {3})
                         .none()
                         .none()
                         .none()
                         .none()
                         .none()
                         .real({1}, {0.5F})
                         .real({1}, {0.5F})
                         .with("num_heads", 1)
                         .with("kv_num_heads", 1)
                         .with("kv_cache_bit_width", bits)
                         .with_text("k_quant_type", type)
                         .with_text("v_quant_type", type));
  };
  // The query is 0: all three values count alike.
  EXPECT_THAT(layer("PER_TENSOR", 8).results()[0], testing::FloatNear(4, 1e-6F));
  EXPECT_THAT(layer("PER_TENSOR", 2).errors(),
              HasSubstr("kv_cache_bit_width is not supported (found 2, expected 4 or 8)"));
  EXPECT_THAT(layer("PER_ROW", 8).errors(), HasSubstr("k_quant_type is unknown (found PER_ROW"));
  EXPECT_THAT(layer("NONE", 8).errors(), HasSubstr("k_quant_type does not fit input 12 (found NONE"));
}

TEST(ContributedData, lengthsOfAGroupedCache) {
  Layer wrong("GroupQueryAttention", {"y"});
  wrong.real({1, 1, 1}, {0}).real({1, 1, 1}, {1}).real({1, 1, 1}, {6}).none().none();
  wrong.whole(TensorProto::INT32, {2}, {0, 0}).whole(TensorProto::INT32, {1}, {1});
  EXPECT_THAT(wrong.with("num_heads", 1).with("kv_num_heads", 1).errors(),
              HasSubstr("seqlens_k has the wrong length (found 2, expected 1 in one dim)"));
}

TEST(ContributedData, biasesFitTheirColumns) {
  const auto layer = [](std::int64_t bias) {
    return std::move(Layer("DynamicQuantizeMatMul")
                         .real({1, 2}, {0, 255})
                         .whole(TensorProto::INT8, {2, 2}, {7, 7, 2, -3})
                         .real({}, {0.5F})
                         .none()
                         .real({bias}, Reals(static_cast<std::size_t>(bias), 1)));
  };
  expect_near(layer(2).results(), {256, -381.5F});
  EXPECT_THAT(layer(1).errors(), HasSubstr("the bias has the wrong length (found 1, expected 2)"));
}

// Values that only a run knows are looked at by byoc.Expect.
TEST(ContributedData, numbersThatARunMayRefuse) {
  ModelFile scatter(24);
  scatter.input("c", {1, 4, 1}).input("u", {1, 1, 1}).input("i", {1}, TensorProto::INT64).output("y");
  scatter.node("TensorScatter", {"c", "u", "i"}, {"y"});
  EXPECT_THAT(scatter.text(), HasSubstr("what=\"write_indices must not be negative\"} @\"the TensorScatter\" #0 of "
                                        "\"TensorScatter\""));
  ModelFile attention(24);
  attention.input("q", {1, 1, 1, 1}).input("n", {1}, TensorProto::INT64).output("y");
  attention.node("Attention", {"q", "q", "q", "", "", "", "n"}, {"y"});
  EXPECT_THAT(attention.text(), HasSubstr("what=\"nonpad_kv_seqlen is out of range\""));
  ModelFile turned(24);
  turned.input("x", {1, 1, 1, 2}).input("c", {1, 1}).input("p", {1, 1}, TensorProto::INT64).output("y");
  turned.node("RotaryEmbedding", {"x", "c", "c", "p"}, {"y"});
  EXPECT_THAT(turned.text(), HasSubstr("what=\"position_ids must not be negative\""));
  Layer grouped("GroupQueryAttention", {"y"});
  grouped.real({1, 1, 1}, {0}).real({1, 1, 1}, {1}).real({1, 1, 1}, {6}).none().none();
  grouped.whole(TensorProto::INT32, {1}, {0}).whole(TensorProto::INT32, {1}, {1});
  EXPECT_THAT(grouped.with("num_heads", 1).with("kv_num_heads", 1).model.text(),
              HasSubstr("what=\"seqlens_k or total_sequence_length is out of range\""));
}

TEST(ContributedData, shapesThatAreNotStatedOrDoNotFit) {
  const auto open = [](const char* op, std::int64_t operands, const auto& change, bool typed = true) {
    ModelFile m;
    m.import_opset("com.microsoft", 1);
    m.import_opset("acme", 1);
    std::vector<std::string> names;
    m.input("i", {2, 2});
    for (std::int64_t i = 0; i < operands; ++i) {
      names.push_back("x" + std::to_string(i));
      if (typed)
        m.node("NonZero", {"i"}, {names.back()});  // of a length that only a run tells
      else
        m.node("Anything", {"i"}, {names.back()}).set_domain("acme");
    }
    auto& n = m.node(op, names, {"y"});
    n.set_domain("com.microsoft");
    m.output("y");
    change(n);
    return m.import().errors;
  };
  EXPECT_THAT(open(
                  "GatherBlockQuantized", 3, [](auto&) {}, false),
              HasSubstr("the rank of input 0 does not follow from what computes it (expected a value_info for it)"));
  EXPECT_THAT(open(
                  "UnfoldTensor", 1, [](auto& n) { ModelFile::set_int(n, "size", 1); }, false),
              HasSubstr("the rank of input 0 does not follow from what computes it"));
  EXPECT_THAT(open(
                  "ConvTransposeWithDynamicPads", 2, [](auto&) {}, false),
              HasSubstr("the rank of input 0 does not follow from what computes it"));
  EXPECT_THAT(open("ConvTransposeWithDynamicPads", 2, [](auto&) {}),
              HasSubstr("input 0 has the wrong rank (found 2, expected 3 or more)"));
  EXPECT_THAT(open("MoE", 5, [](auto&) {}), HasSubstr("the shapes of the input and of the weights are not stated"));
  EXPECT_THAT(open("MoE", 5, [](auto& n) { ModelFile::set_int(n, "swiglu_fusion", 3); }),
              HasSubstr("swiglu_fusion is out of range (found 3, expected 0 to 2)"));
  EXPECT_THAT(open("CausalConvWithState", 2, [](auto& n) { ModelFile::set_int(n, "ndim", 2); }),
              HasSubstr("ndim is not supported (found 2, expected 1)"));
  EXPECT_THAT(Layer("GroupNorm").real({2}, {1, 2}).real({2}, {1, 2}).real({2}, {1, 2}).with("groups", 1).errors(),
              HasSubstr("the input has the wrong rank (found 1, expected 4)"));
  EXPECT_THAT(Layer("Crop").in_onnx_domain().real({2}, {1, 2}).with_integers("border", {0, 0, 0, 0}).errors(),
              HasSubstr("the input has the wrong rank (found 1, expected 4)"));
  EXPECT_THAT(Layer("MatMulBnb4")
                  .real({1, 4}, {1, 1, 1, 1})
                  .whole(TensorProto::UINT8, {4}, {0, 0, 0, 0})
                  .real({1}, {2})
                  .with("K", 4)
                  .with("N", 2)
                  .with("block_size", 8)
                  .with("quant_type", 0)
                  .errors(),
              HasSubstr("K, N or block_size is out of range (found 4, 2, 8"));
}

}  // namespace
}  // namespace byoc::test
