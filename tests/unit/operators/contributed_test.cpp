// ONNX Runtime's own layers: what they are made of, and that it computes what they are defined as.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/unit/operators/layer.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ContributedLayers, integerProducts) {
  // [1 2] - 1 times [[3 5] [4 6]] - [1 2]: [3 4], times 0.5 times [2 4], plus [1 10].
  expect_near(Layer("MatMulIntegerToFloat")
                  .whole(TensorProto::UINT8, {1, 2}, {1, 2})
                  .whole(TensorProto::UINT8, {2, 2}, {3, 5, 4, 6})
                  .real({}, {0.5F})
                  .real({2}, {2, 4})
                  .whole(TensorProto::UINT8, {}, {1})
                  .whole(TensorProto::UINT8, {2}, {1, 2})
                  .real({2}, {1, 10})
                  .results(),
              {4, 18});
  // 0 to 255 are codes 0 to 255 with a scale of 1.
  expect_near(Layer("DynamicQuantizeMatMul")
                  .real({1, 2}, {0, 255})
                  .whole(TensorProto::INT8, {2, 2}, {7, 7, 2, -3})
                  .real({}, {0.5F})
                  .results(),
              {255, -382.5F});
  EXPECT_THAT(Layer("MatMulInteger16")
                  .whole(TensorProto::INT16, {1, 2}, {30000, -2})
                  .whole(TensorProto::INT16, {2, 1}, {30000, 5})
                  .results(),
              ElementsAre(899999990.0F));
}

// Codes 0 1 2 ... in blocks of 16, of which K takes 20: scales 1 and 2.
std::vector<std::int32_t> counting_bytes(std::size_t count) {
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(static_cast<std::int32_t>((2 * i) % 16 + ((2 * i + 1) % 16) * 16));
  return out;
}

Layer blocked(std::int64_t bits = 4) {
  Layer m("MatMulNBits");
  m.real({1, 20}, Reals(20, 1)).whole(TensorProto::UINT8, {1, 2, 8}, counting_bytes(16)).real({2}, {1, 2});
  m.with("K", 20).with("N", 1).with("block_size", 16);
  if (bits != 4) m.with("bits", bits);
  return m;
}

TEST(ContributedLayers, weightsInBlocks) {
  // The sum of 0 to 15, less 8 each, is -8; of 0 to 3 in the second block, times 2, -52.
  EXPECT_THAT(blocked().results(), ElementsAre(-60));
  // Zero points 3 and 1 (a byte for a row).
  EXPECT_THAT(blocked().whole(TensorProto::UINT8, {1}, {0x13}).results(), ElementsAre(72 + 4));
  EXPECT_THAT(blocked().none().none().real({1}, {0.5F}).results(), ElementsAre(-59.5F));
  EXPECT_THAT(blocked(8).errors(),
              HasSubstr("the weights do not fit K, N and block_size (found 16 of u8, expected 32"));
  EXPECT_THAT(blocked(3).errors(), HasSubstr("bits are not supported (found 3, expected 2, 4 or 8)"));
  EXPECT_THAT(blocked().real({3}, {0, 0, 0}).errors(),
              HasSubstr("the zero points do not fit K, N and block_size (found 3 of f32, expected 2 of f32)"));
  Layer odd = blocked();
  odd.model.graph().mutable_node(0)->mutable_attribute(2)->set_i(15);
  EXPECT_THAT(odd.errors(), HasSubstr("K, N or block_size is out of range (found 20, 1, 15"));
}

TEST(ContributedLayers, weightsInBlocksOfEveryForm) {
  // Zero points 0.5 and 1.5: 120 - 16 * 0.5, and twice 6 - 4 * 1.5.
  EXPECT_THAT(blocked().real({1, 2}, {0.5F, 1.5F}).results(), ElementsAre(112));
  // g_idx gives the second block's scale to the first 16: twice 120 - 16 * 8, and 6 - 4 * 8.
  std::vector<std::int32_t> groups(20, 1);
  for (std::size_t i = 16; i < 20; ++i) groups[i] = 0;
  EXPECT_THAT(blocked().none().whole(TensorProto::INT32, {20}, groups).results(), ElementsAre(-42));
  // A symmetric quantiser writes negative scales.
  Layer negative("MatMulNBits");
  negative.real({1, 20}, Reals(20, 1)).whole(TensorProto::UINT8, {1, 2, 8}, counting_bytes(16)).real({2}, {-1, 2});
  EXPECT_THAT(negative.with("K", 20).with("N", 1).with("block_size", 16).results(), ElementsAre(8 - 52));
  // Weights that are inputs are taken apart at run time.
  Layer open("MatMulNBits");
  open.real({1, 20}, Reals(20, 1));
  open.model.input("codes", {1, 2, 8}, TensorProto::UINT8);
  open.model.graph().mutable_node(0)->add_input("codes");
  const std::string text = open.real({2}, {1, 2}).with("K", 20).with("N", 1).with("block_size", 16).model.text();
  EXPECT_THAT(text, HasSubstr("BitwiseAnd.20("));
  EXPECT_THAT(text, HasSubstr("DequantizeLinear.20("));
}

TEST(ContributedLayers, normalisations) {
  const float root = std::sqrt(12.5F);  // of the mean square of 3 and 4
  expect_near(Layer("SimplifiedLayerNormalization").in_onnx_domain().real({1, 2}, {3, 4}).real({2}, {1, 10}).results(),
              {3 / root, 40 / root});
  expect_near(Layer("SkipSimplifiedLayerNormalization", {"y", "", "", "sum"})
                  .real({1, 2}, {1, 1})
                  .real({1, 2}, {1, 2})
                  .real({2}, {1, 10})
                  .real({2}, {1, 1})
                  .results(),
              {3 / root, 40 / root, 3, 4});
  EXPECT_THAT(Layer("SkipSimplifiedLayerNormalization", {"y", "mean"})
                  .real({1, 2}, {1, 1})
                  .real({1, 2}, {1, 2})
                  .real({2}, {1, 10})
                  .errors(),
              HasSubstr("its mean and deviation are not supported as outputs"));
  // Words 1 and 0, positions 0 and 1: [3 1] and [2 6].
  const auto words = [] {
    return std::move(Layer("EmbedLayerNormalization", {"y", "valid", "sum"})
                         .whole(TensorProto::INT32, {1, 2}, {1, 0})
                         .none()
                         .real({2, 2}, {1, 2, 3, 0})
                         .real({3, 2}, {0, 1, 1, 4, 9, 9})
                         .none()
                         .real({2}, {1, 1})
                         .real({2}, {0, 5}));
  };
  expect_near(words().whole(TensorProto::INT32, {1, 2}, {1, 1}).results(), {1, 4, -1, 6, 2, 3, 1, 2, 6});
  expect_near(words().results(), {1, 4, -1, 6, 0, 3, 1, 2, 6});  // without a mask no words are counted
}

TEST(ContributedLayers, activationsAndPools) {
  expect_near(Layer("QuickGelu").real({2}, {1, -2}).with_real("alpha", 1).results(),
              {1 / (1 + std::exp(-1.0F)), -2 / (1 + std::exp(2.0F))});
  Layer pool("NhwcMaxPool");
  pool.whole(TensorProto::INT8, {1, 2, 2, 4}, {1, 2, 3, 4, 5, 1, 7, 0, -1, 9, 3, 4, 0, 0, 8, 3});
  ModelFile::set_ints(*pool.model.graph().mutable_node(0), "kernel_shape", {2, 2});
  EXPECT_THAT(pool.model.text(), HasSubstr("data_layout=\"NHWC\""));
  const Reals four = pool.results();  // 4 bytes as one i32: 5, 9, 8, 4
  EXPECT_THAT(four, ElementsAre(static_cast<float>(5 + 9 * 256 + 8 * 65536 + 4 * 16777216)));
}

TEST(ContributedLayers, runsOfTokensThatWouldRepeat) {
  // After 1 2, 3 and 0 have come; 1 2 is what is newest. The second row has repeated nothing.
  const auto layer = [](std::int64_t size) {
    return std::move(Layer("NGramRepeatBlock")
                         .whole(TensorProto::INT64, {2, 8}, {1, 2, 3, 1, 2, 0, 1, 2, 0, 1, 2, 3, 0, 2, 1, 3})
                         .real({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})
                         .with("ngram_size", size));
  };
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  EXPECT_THAT(layer(3).results(), ElementsAre(kNone, 2, 3, kNone, 5, 6, 7, 8));
  EXPECT_THAT(layer(2).results(), ElementsAre(kNone, 2, 3, kNone, kNone, 6, 7, 8));
  EXPECT_THAT(layer(1).results(), ElementsAre(kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone));
  EXPECT_THAT(layer(9).results(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(layer(0).errors(), HasSubstr("ngram_size is out of range (found 0, expected 1 to 64)"));
}

// As attention below, with an input of steps of 0.5 around 10 and weights of steps of 2 around 1.
TEST(ContributedLayers, quantisedAttention) {
  const auto layer = [] {
    return std::move(Layer("QAttention")
                         .whole(TensorProto::UINT8, {1, 2, 2}, {12, 10, 10, 12})
                         .whole(TensorProto::INT8, {2, 6}, {2, 1, 2, 1, 2, 1, 1, 2, 1, 2, 1, 2})
                         .real({6}, Reals(6, 0))
                         .real({}, {0.25F})
                         .real({}, {2}));
  };
  const auto zeros = [](Layer l, bool mask) {
    if (mask)
      l.whole(TensorProto::INT32, {1, 2}, {1, 0});
    else
      l.none();
    l.whole(TensorProto::UINT8, {}, {10}).whole(TensorProto::INT8, {}, {1}).with("num_heads", 1);
    return l;
  };
  const float e = std::exp(1 / std::sqrt(2.0F)), big = e / (e + 1), little = 1 / (e + 1);
  expect_near(zeros(layer(), false).results(), {big, little, little, big});
  expect_near(zeros(layer(), false).with("unidirectional", 1).results(), {1, 0, little, big});
  expect_near(zeros(layer(), true).results(), {1, 0, 1, 0});
  EXPECT_THAT(zeros(layer(), false).with("past_present_share_buffer", 1).errors(),
              HasSubstr("past_present_share_buffer is not supported (found 1, expected 0)"));
}

// One head of two elements; the second key is masked out, or all keys behind the query.
TEST(ContributedLayers, attention) {
  const Reals eye3 = {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1};  // q, k and v are the input
  const auto packed = [&] { return std::move(Layer("Attention").real({1, 2, 2}, {1, 0, 0, 1}).real({2, 6}, eye3)); };
  const float e = std::exp(1 / std::sqrt(2.0F)), big = e / (e + 1), little = 1 / (e + 1);
  expect_near(packed().with("num_heads", 1).results(), {big, little, little, big});
  expect_near(packed().with("num_heads", 1).with("unidirectional", 1).results(), {1, 0, little, big});
  expect_near(packed().none().whole(TensorProto::INT32, {1, 2}, {1, 0}).with("num_heads", 1).results(), {1, 0, 1, 0});
  expect_near(packed().real({6}, {0, 0, 0, 0, 5, 7}).with("num_heads", 1).results(),
              {big + 5, little + 7, little + 5, big + 7});
  EXPECT_THAT(packed().with("num_heads", 0).errors(), HasSubstr("num_heads is out of range (found 0"));
  EXPECT_THAT(packed().none().real({1, 1, 2, 2}, Reals(4, 1)).with("num_heads", 1).errors(),
              HasSubstr("the mask is not supported (found 4 dims, expected [batch], [batch, keys] or [batch, queries, "
                        "keys])"));
  // A past key of zeros that all queries see as well as their own; its value is 3. Both are given on.
  expect_near(Layer("Attention", {"y", "present"})
                  .real({1, 1, 1}, {1})
                  .real({1, 3}, {0, 0, 5})
                  .none()
                  .none()
                  .real({2, 1, 1, 1, 1}, {0, 3})
                  .with("num_heads", 1)
                  .results(),
              {4, 0, 0, 3, 5});
  EXPECT_THAT(packed().with("num_heads", 1).with("do_rotary", 1).errors(), HasSubstr("do_rotary is not supported"));
  EXPECT_THAT(Layer("Attention").real({1, 1, 1}, {1}).real({1, 4}, {0, 0, 0, 0}).with("num_heads", 1).errors(),
              HasSubstr("the weights are not those of queries, keys and values of one size (found 4"));
  EXPECT_THAT(packed().none().whole(TensorProto::INT32, {1}, {1}).with("num_heads", 1).model.text(),
              HasSubstr("what=\"mask_index must not be negative\""));
  const auto apart = [] {
    return std::move(Layer("MultiHeadAttention")
                         .real({1, 2, 2}, {1, 0, 0, 1})
                         .real({1, 2, 2}, {1, 0, 0, 1})
                         .real({1, 2, 2}, {1, 2, 3, 4}));
  };
  expect_near(apart().with("num_heads", 1).results(),
              {big + 3 * little, 2 * big + 4 * little, little + 3 * big, 2 * little + 4 * big});
  expect_near(apart()
                  .real({6}, {0, 0, 0, 0, 1, 1})
                  .none()
                  .real({1, 1, 2, 2}, {0, -1e9F, 0, -1e9F})
                  .with("num_heads", 1)
                  .results(),
              {2, 3, 2, 3});
}

// As many keys as each sequence has, where they begin, too, or a mask of its own for each query.
TEST(ContributedLayers, attentionMasks) {
  const Reals eye3 = {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1};
  const auto masked = [&](std::vector<std::int64_t> dims, const std::vector<std::int32_t>& mask) {
    return std::move(Layer("Attention")
                         .real({1, 2, 2}, {1, 0, 0, 1})
                         .real({2, 6}, eye3)
                         .none()
                         .whole(TensorProto::INT32, std::move(dims), mask)
                         .with("num_heads", 1));
  };
  const float e = std::exp(1 / std::sqrt(2.0F)), big = e / (e + 1), little = 1 / (e + 1);
  expect_near(masked({1}, {1}).results(), {1, 0, 1, 0});
  expect_near(masked({1}, {2}).results(), {big, little, little, big});
  expect_near(masked({2}, {2, 1}).results(), {0, 1, 0, 1});
  expect_near(masked({1, 2, 2}, {0, 1, 1, 0}).results(), {0, 1, 1, 0});
  EXPECT_THAT(masked({5}, {2, 0, 2, 0, 2}).errors(),
              HasSubstr("the mask has the wrong length (found 5, expected 1 or 2)"));
  // mask_filter_value is added: where no key counts, all count alike.
  expect_near(masked({1}, {0}).results(), {big, little, little, big});
  expect_near(masked({1, 2}, {0, 0}).with("unidirectional", 1).results(), {1, 0, little, big});
  const float half = e / (e + std::exp(-1.0F));
  expect_near({masked({1}, {1}).with_real("mask_filter_value", -1).results()[0]}, {half});
  // Beside a bias, which takes the second key away from the first query.
  expect_near(masked({1}, {2}).none().real({1, 1, 2, 2}, {0, -1e9F, 0, 0}).results(), {1, 0, little, big});
  // A past is in front of what is masked.
  expect_near(Layer("MultiHeadAttention", {"y", "k", "v"})
                  .real({1, 1, 1}, {0})
                  .real({1, 1, 1}, {0})
                  .real({1, 1, 1}, {5})
                  .none()
                  .whole(TensorProto::INT32, {1}, {2})
                  .none()
                  .real({1, 1, 2, 1}, {0, 0})
                  .real({1, 1, 2, 1}, {1, 2})
                  .with("num_heads", 1)
                  .results(),
              {1.5F, 0, 0, 0, 1, 2, 5});
}

TEST(ContributedLayers, productsOfTransposedOperands) {
  const auto product = [](std::vector<std::int64_t> dims, const Reals& a, const char* how) {
    return std::move(Layer("FusedMatMul").real(std::move(dims), a).real({2, 2, 1}, {1, 10, 100, 1000}).with(how, 1));
  };
  // [row][batch][2]: batch 0 has rows 1 2 and 5 6.
  EXPECT_THAT(product({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, "transBatchA").results(),
              ElementsAre(1 + 20, 5 + 60, 300 + 4000, 700 + 8000));
  // [2][batch][row], transposed once more.
  EXPECT_THAT(product({2, 2, 2}, {1, 5, 3, 7, 2, 6, 4, 8}, "transBatchA").with("transA", 1).results(),
              ElementsAre(1 + 20, 5 + 60, 300 + 4000, 700 + 8000));
  EXPECT_THAT(product({2, 1, 2}, {1, 2, 3, 4}, "transBatchB").results(), ElementsAre(1 + 200, 30 + 4000));
  EXPECT_THAT(product({2, 2}, {1, 2, 3, 4}, "transBatchA").errors(),
              HasSubstr("transBatchA and transBatchB need stacks of matrices of one rank (found 2 and 3"));
}

TEST(ContributedLayers, rotaryEmbedding) {
  Layer m("RotaryEmbedding");
  m.real({1, 1, 4}, {1, 2, 3, 4});
  auto& positions = m.model.initialiser("positions", TensorProto::INT64, {1, 1});
  positions.add_int64_data(1);
  m.model.graph().mutable_node(0)->add_input("positions");
  m.real({2, 1}, {1, 0}).real({2, 1}, {0, 1});  // position 1: a quarter turn, of two heads
  expect_near(m.results(), {-2, 1, -4, 3});
  // The first position of all sequences: 1, then 2, half a turn.
  expect_near(Layer("RotaryEmbedding")
                  .real({1, 2, 2}, {1, 2, 3, 4})
                  .whole(TensorProto::INT64, {1}, {1})
                  .real({3, 1}, {1, 0, -1})
                  .real({3, 1}, {0, 1, 0})
                  .results(),
              {-2, 1, -3, -4});
}

TEST(ContributedLayers, quantisation) {
  EXPECT_THAT(Layer("DequantizeLinear").whole(TensorProto::INT8, {2}, {3, -1}).real({}, {0.5F}).results(),
              ElementsAre(1.5F, -0.5F));
  EXPECT_THAT(Layer("GridSample").real({1, 1, 1, 2}, {4, 8}).real({1, 1, 1, 2}, {0, 0}).results(), ElementsAre(6));
}

// Softmax of products with what each query sees, by hand: heads of one element, so that a product is plain.
Reals softmax_of(const Reals& scores) {
  Reals e;
  float sum = 0;
  for (const float s : scores) e.push_back(std::exp(s)), sum += e.back();
  for (float& v : e) v /= sum;
  return e;
}

float weighted(const Reals& scores, const Reals& values) {
  const Reals p = softmax_of(scores);
  float y = 0;
  for (std::size_t i = 0; i < p.size(); ++i) y += p[i] * values[i];
  return y;
}

// Two query heads share one of keys and values, of size 1; scale 1. Two queries behind a cache of 2 of which 1 is
// filled: the cache grows to 3.
struct Grouped : Layer {
  Grouped(const Reals& query, int total, int last);
};

Grouped::Grouped(const Reals& query, int total, int last) : Layer("GroupQueryAttention", {"y", "k", "v"}) {
  Layer& layer = *this;
  layer.real({1, 2, 2}, query).real({1, 2, 1}, {3, 4}).real({1, 2, 1}, {30, 40});
  layer.real({1, 1, 2, 1}, {1, 9}).real({1, 1, 2, 1}, {10, 90});
  layer.whole(TensorProto::INT32, {1}, {last}).whole(TensorProto::INT32, {}, {total});
  layer.with("num_heads", 2).with("kv_num_heads", 1).with_real("scale", 1);
}

TEST(ContributedLayers, groupQueryAttention) {
  const Reals q{1, 0.5F, 2, -1};  // [query][head]
  const auto y = [&](std::size_t query, std::size_t head, std::size_t from, const Reals& sink = {}) {
    const Reals keys{1, 3, 4}, values{10, 30, 40};
    Reals scores = sink, seen(sink.size(), 0);
    for (std::size_t k = from; k < query + 2; ++k) {
      scores.push_back(q[query * 2 + head] * keys[k]);
      seen.push_back(values[k]);
    }
    return weighted(scores, seen);
  };
  expect_near(Grouped(q, 3, 2).results(), {y(0, 0, 0), y(0, 1, 0), y(1, 0, 0), y(1, 1, 0), 1, 3, 4, 10, 30, 40});
  // A window of two keys, the query's own among them.
  expect_near(Grouped(q, 3, 2).with("local_window_size", 2).results(),
              {y(0, 0, 0), y(0, 1, 0), y(1, 0, 1), y(1, 1, 1), 1, 3, 4, 10, 30, 40});
  // One more to attend to, which gives nothing: with a score of 0, or of each head's own.
  expect_near(Grouped(q, 3, 2).with("smooth_softmax", 1).results(),
              {y(0, 0, 0, {0}), y(0, 1, 0, {0}), y(1, 0, 0, {0}), y(1, 1, 0, {0}), 1, 3, 4, 10, 30, 40});
  Grouped sinks(q, 3, 2);
  expect_near(sinks.none().none().none().none().real({2}, {1, -2}).with("local_window_size", 2).results(),
              {y(0, 0, 0, {1}), y(0, 1, 0, {-2}), y(1, 0, 1, {1}), y(1, 1, 1, {-2}), 1, 3, 4, 10, 30, 40});
  Grouped biased(q, 3, 2);
  const Reals plus{0.5F, -0.25F};
  const auto shifted = [&](std::size_t query, std::size_t head, float sink) {
    const Reals keys{1, 3, 4}, values{10, 30, 40};
    Reals scores{sink}, seen{0};
    for (std::size_t k = 0; k < query + 2; ++k) {
      scores.push_back(q[query * 2 + head] * keys[k] + plus[query]);
      seen.push_back(values[k]);
    }
    return weighted(scores, seen);
  };
  expect_near(biased.none()
                  .none()
                  .none()
                  .real({1, 1, 2, 3}, {plus[0], plus[0], plus[0], plus[1], plus[1], plus[1]})
                  .real({2}, {1, -2})
                  .results(),
              {shifted(0, 0, 1), shifted(0, 1, -2), shifted(1, 0, 1), shifted(1, 1, -2), 1, 3, 4, 10, 30, 40});
  // A first prompt: what the cache holds is not read, whatever the last key is said to be.
  const float first = 30, second = weighted({2 * 3, 2 * 4}, {30, 40}), other = weighted({-3, -4}, {30, 40});
  expect_near(Grouped(q, 2, 0).results(), {first, first, second, other, 3, 4, 30, 40});
}

TEST(ContributedLayers, groupQueryAttentionPackedAndTurned) {
  // Heads of size 2: query of one head, key, value side by side. At place 1 of the cache angles are a quarter.
  Layer layer("GroupQueryAttention", {"y", "k"});
  layer.real({1, 1, 6}, {1, 2, 3, 4, 5, 6}).none().none();
  layer.real({1, 1, 1, 2}, {7, 8}).real({1, 1, 1, 2}, {1, 1});
  layer.whole(TensorProto::INT32, {1}, {1}).whole(TensorProto::INT32, {1}, {2});
  layer.real({2, 1}, {1, 0}).real({2, 1}, {0, 1});
  layer.with("num_heads", 1).with("kv_num_heads", 1).with("do_rotary", 1);
  // (a, b) becomes (-b, a): the query (-2, 1), the key (-4, 3).
  const float scale = 1 / std::sqrt(2.0F);
  const Reals scores{(-2 * 7 + 8) * scale, (8 + 3) * scale};
  expect_near(layer.results(), {weighted(scores, {1, 5}), weighted(scores, {1, 6}), 7, 8, -4, 3});
}

TEST(ContributedLayers, groupQueryAttentionIsRefusedByName) {
  const auto layer = [] { return Grouped({1, 1, 1, 1}, 3, 2); };
  EXPECT_THAT(Layer("GroupQueryAttention")
                  .real({1, 1, 4}, {1, 2, 3, 4})
                  .real({1, 1, 3}, {1, 2, 3})
                  .real({1, 1, 3}, {1, 2, 3})
                  .none()
                  .none()
                  .whole(TensorProto::INT32, {1}, {0})
                  .whole(TensorProto::INT32, {}, {1})
                  .with("num_heads", 4)
                  .with("kv_num_heads", 3)
                  .errors(),
              HasSubstr("num_heads and kv_num_heads do not fit (found 4 and 3, expected kv_num_heads a divisor"));
  EXPECT_THAT(layer().none().none().none().none().real({2}, {0, 0}).with_real("softcap", 2).errors(),
              HasSubstr("head_sink and softcap together are not supported"));
  EXPECT_THAT(layer().with("do_rotary", 1).errors(), HasSubstr("do_rotary needs cos_cache and sin_cache"));
  Layer packed("GroupQueryAttention");
  packed.real({1, 1, 5}, {1, 2, 3, 4, 5}).none().none().none().none();
  packed.whole(TensorProto::INT32, {1}, {0}).whole(TensorProto::INT32, {}, {1});
  EXPECT_THAT(packed.with("num_heads", 2).with("kv_num_heads", 1).errors(),
              HasSubstr("the packed query does not split into heads (found 5, expected a multiple of 4)"));
}

TEST(ContributedLayers, multiHeadAttentionOfPackedOperands) {
  // [batch, length, heads, 3, size]: one head of size 1, two places of query, key, value.
  const Reals expected{weighted({1 * 2, 1 * 5}, {3, 6}), weighted({4 * 2, 4 * 5}, {3, 6})};
  const auto finish = [](Layer& l) -> Layer& { return l.with("num_heads", 1).with_real("scale", 1); };
  Layer all("MultiHeadAttention");
  expect_near(finish(all.real({1, 2, 1, 3, 1}, {1, 2, 3, 4, 5, 6})).results(), expected);
  Layer pairs("MultiHeadAttention");
  expect_near(finish(pairs.real({1, 2, 1}, {1, 4}).real({1, 2, 1, 2, 1}, {2, 3, 5, 6})).results(), expected);
  Layer crossed("MultiHeadAttention");
  expect_near(finish(crossed.real({1, 2, 1}, {1, 4}).real({1, 1, 2, 1}, {2, 5}).real({1, 1, 2, 1}, {3, 6})).results(),
              expected);
  Layer flat("MultiHeadAttention");
  EXPECT_THAT(
      finish(flat.real({1, 2, 1}, {1, 4})).errors(),
      HasSubstr("query, key and value have the wrong rank (found 3 of input 0, expected 5 where there is no key"));
}

TEST(ContributedLayers, inverses) {
  // Pivots: the first matrix begins with 0.
  expect_near(Layer("Inverse").real({2, 2, 2}, {0, 2, 4, 0, 2, 1, 1, 1}).results(), {0, 0.25F, 0.5F, 0, 1, -1, -1, 2});
  EXPECT_THAT(Layer("Inverse").real({1, 1}, {0}).results(), ElementsAre(INFINITY));
}

TEST(ContributedLayers, plainOnes) {
  expect_near(Layer("Trilu").real({2, 2}, {1, 2, 3, 4}).with("upper", 0).results(), {1, 0, 3, 4});
  expect_near(Layer("Range").real({}, {1}).real({}, {3}).results(), {1, 2});
  expect_near(Layer("Range").real({}, {1}).real({}, {2}).real({}, {0.5F}).results(), {1, 1.5F});
  expect_near(Layer("ExpandDims").real({2}, {1, 2}).whole(TensorProto::INT32, {}, {-1}).results(), {1, 2});
  Layer distances("CDist");
  expect_near(distances.real({2, 2}, {0, 0, 3, 4}).real({1, 2}, {0, 0}).results(), {0, 25});
  expect_near(distances.with_text("metric", "euclidean").results(), {0, 5});
  Layer unknown("CDist");
  EXPECT_THAT(unknown.real({1, 1}, {0}).real({1, 1}, {0}).with_text("metric", "cosine").errors(),
              HasSubstr("metric is unknown (found cosine"));
  Reals expected = softmax_of({1, 3});
  const Reals second = softmax_of({4, 6});
  expected.insert(expected.end(), second.begin(), second.end());
  expect_near(Layer("BiasSoftmax")
                  .real({2, 1, 2}, {1, 2, 4, 5})
                  .real({1, 1, 2}, {0, 1})
                  .with("axis", 2)
                  .with("is_inner_broadcast", 0)
                  .results(),
              expected);
}

TEST(ContributedLayers, quantisedLstm) {
  // One direction, input and hidden size 1, one step from nothing: gates i o f c of weights 2 * (code - 1).
  const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
  const auto results = [](bool by_column) {
    Layer l("DynamicQuantizeLSTM", {"", "h", "c"});
    l.real({1, 1, 1}, {0.5F}).whole(TensorProto::UINT8, {1, 1, 4}, {2, 3, 1, 0});
    l.whole(TensorProto::UINT8, {1, 1, 4}, {1, 1, 1, 1});
    for (int i = 0; i < 5; ++i) l.none();
    for (int i = 0; i < 2; ++i) {
      if (by_column)
        l.real({1, 4}, {2, 1, 2, 4}).whole(TensorProto::UINT8, {1, 4}, {1, 1, 1, 1});
      else
        l.real({1}, {2}).whole(TensorProto::UINT8, {1}, {1});
    }
    return l.with("hidden_size", 1).results();
  };
  const auto states = [&](float in, float out, float cell) {
    const float c = sigmoid(in) * std::tanh(cell);
    return Reals{sigmoid(out) * std::tanh(c), c};
  };
  expect_near(results(false), states(1, 2, -1));
  expect_near(results(true), states(1, 1, -2));
  Layer wrong("DynamicQuantizeLSTM");
  wrong.real({1, 1, 1}, {1}).whole(TensorProto::INT8, {1, 1, 4}, {0, 0, 0, 0});
  wrong.whole(TensorProto::INT8, {1, 1, 4}, {0, 0, 0, 0});
  for (int i = 0; i < 5; ++i) wrong.none();
  wrong.real({1, 1, 1}, {1}).none().real({1}, {1}).none();
  EXPECT_THAT(wrong.errors(), HasSubstr("input 8 is not supported (found 3 dims, expected [directions] or"));
}

}  // namespace
}  // namespace byoc::test
