// ONNX Runtime's own operators that go step by step: a recurrence with attention, a path through costs, a pool with a
// mask, attention with a cache; and Scan of opset 8 over sequences of their own lengths.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/unit/operators/layer.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kLowest = std::numeric_limits<float>::lowest();

Layer masked_pool(const Reals& x, std::vector<std::int64_t> dims, const std::vector<std::int32_t>& mask,
                  std::vector<std::int64_t> mask_dims, const std::vector<std::int64_t>& kernel) {
  Layer m("MaxpoolWithMask");
  m.real(std::move(dims), x).whole(TensorProto::INT32, std::move(mask_dims), mask);
  return std::move(m.with_integers("kernel_shape", kernel));
}

TEST(ContributedSteps, maskedPoolsEndAtTheFirstMaskedElement) {
  // The first row has 1 (whose mask does not count) and 9, then none; the second has 5, then 7 and 8.
  const auto two = [](const std::vector<std::int64_t>& mask_dims, const std::vector<std::int32_t>& mask) {
    return masked_pool({1, 9, 3, 4, 5, 6, 7, 8}, {1, 1, 2, 4}, mask, mask_dims, {2, 2});
  };
  const std::vector<std::int32_t> mask{0, 1, 0, 1, 1, 0, 1, 1};
  EXPECT_THAT(two({1, 1, 2, 4}, mask).with_integers("strides", {1, 2}).results(), ElementsAre(9, 8));
  // One mask for two channels, padded by rows.
  const Reals channels{1, 9, 5, 6, 2, -1, -5, 7};
  EXPECT_THAT(masked_pool(channels, {1, 2, 2, 2}, {1, 0, 1, 1}, {1, 1, 2, 2}, {1, 2})
                  .with_integers("pads", {1, 0, 0, 0})
                  .results()
                  .size(),
              6);
  EXPECT_THAT(masked_pool(channels, {1, 2, 2, 2}, {1, 0, 1, 1}, {1, 1, 2, 2}, {2, 2}).results(), ElementsAre(6, 7));
  // In one dim the first element is masked as others are; padding is passed over.
  EXPECT_THAT(masked_pool({1, 2, 3}, {1, 1, 3}, {0, 1, 1}, {1, 1, 3}, {2}).with_integers("pads", {1, 1}).results(),
              ElementsAre(kLowest, kLowest, 3, 3));
}

TEST(ContributedSteps, masksThatDoNotFitAreRefused) {
  const auto pool = [](const std::vector<std::int64_t>& mask_dims) {
    return masked_pool(Reals(8), {1, 2, 4}, std::vector<std::int32_t>(8, 1), mask_dims, {2});
  };
  EXPECT_THAT(pool({2, 1, 4}).errors(),
              HasSubstr("the mask does not fit the input in dim 0 (found 2, expected 1 or 1)"));
  EXPECT_THAT(pool({1, 4, 2}).errors(),
              HasSubstr("the mask does not fit the input in dim 1 (found 4, expected 1 or 2)"));
  EXPECT_THAT(pool({1, 2, 4}).with_text("auto_pad", "SAME_UPPER").errors(),
              HasSubstr("auto_pad is not supported (found SAME_UPPER, expected NOTSET)"));
  EXPECT_THAT(pool({1, 2, 4}).with("storage_order", 1).errors(), HasSubstr("storage_order is not supported"));
  EXPECT_THAT(masked_pool(Reals(8), {1, 2, 4}, std::vector<std::int32_t>(8, 1), {1, 2, 4}, {2000}).errors(),
              HasSubstr("kernel_shape, strides or pads are out of range (found a kernel of 2000 along the last dim, "
                        "expected kernels and strides from 1, kernels up to 1024, pads from 0)"));
  EXPECT_THAT(pool({1, 2, 4}).with_integers("pads", {-1, 0}).errors(), HasSubstr("strides or pads are out of range"));
  EXPECT_THAT(
      pool({1, 2, 2, 2}).errors(),
      HasSubstr("kernel_shape, strides, pads, input and mask do not fit each other (found 1 dims of the kernel, "
                "3 of the input, 4 of the mask"));
}

TEST(ContributedSteps, pathsThroughCosts) {
  const auto path = [](const std::vector<std::int64_t>& dims, const Reals& costs) {
    return Layer("DynamicTimeWarping").real(dims, costs).results();
  };
  const Reals costs{1, 2, 3, 2, 1, 9, 7, 1, 1, 4, 5, 1};
  EXPECT_THAT(path({4, 3}, costs), ElementsAre(0, 1, 2, 3, 3, 0, 1, 1, 1, 2));
  EXPECT_THAT(path({1, 4, 3}, costs), ElementsAre(0, 1, 2, 3, 3, 0, 1, 1, 1, 2));
  // Where sums are equal, the step in the second dim is taken.
  EXPECT_THAT(path({2, 4}, Reals(8, 1)), ElementsAre(0, 1, 1, 1, 0, 1, 2, 3));
  EXPECT_THAT(path({2, 1}, {1, 1}), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(Layer("DynamicTimeWarping").real({2}, {1, 1}).errors(),
              HasSubstr("the costs have the wrong rank (found 1, expected 2, or 3 with a first dim of 1)"));
}

// The model has 3 steps of 2 sequences with 2 elements each, 2 hidden units, a memory of 3 steps with 2 elements.
struct AttentionLstm {
  std::int64_t directions = 1, attended = 2;
  std::vector<std::int32_t> lengths = {}, memory_lengths = {};
  bool layer = false;

  [[nodiscard]] Layer build() const {
    Layer m("AttnLSTM", {"y", "h", "c"});
    int k = 0;
    const auto wave = [&](std::vector<std::int64_t> dims) {
      std::int64_t count = 1;
      for (const std::int64_t d : dims) count *= d;
      Reals values;
      for (std::int64_t i = 0; i < count; ++i)
        values.push_back(static_cast<float>(std::sin(static_cast<double>(i) * 0.7 + k)));
      ++k;
      m.real(std::move(dims), values);
    };
    const auto whole = [&](const std::vector<std::int32_t>& v) {
      v.empty() ? m.none() : m.whole(TensorProto::INT32, {static_cast<std::int64_t>(v.size())}, v);
    };
    wave({3, 2, 2});
    for (const std::vector<std::int64_t>& dims : {std::vector<std::int64_t>{8, 2 + attended}, {8, 2}}) {
      wave({directions, dims[0], dims[1]});
    }
    wave({directions, 16});
    whole(lengths);
    m.none().none().none();
    wave({directions, 2, 2});
    wave({directions, 2, 2});
    wave({directions, 2});
    wave({2, 3, 2});
    whole(memory_lengths);
    if (layer) wave({directions, 4, 3});
    return std::move(m.with("hidden_size", 2));
  }
};

TEST(ContributedSteps, recurrencesWithAttention) {
  expect_near(AttentionLstm().build().results(),
              {0.1390568F,  0.02313266F, -0.04463814F, 0.01120713F, 0.1559285F,  0.03042778F, 0.02820784F,
               0.01296155F, 0.1771837F,  0.0220506F,   0.2215655F,  0.00733934F, 0.1771837F,  0.0220506F,
               0.2215655F,  0.00733934F, 1.009397F,    0.3360213F,  0.5017448F,  0.1505282F});
  // Backwards, a sequence of 2 steps begins with its second one.
  expect_near(AttentionLstm{.lengths = {2, 3}}.build().with_text("direction", "reverse").results(),
              {0.2864538F, 0.01355424F, 0.148369F,   0.006827414F, 0.06953389F, 0.06299428F, 0.03314686F, 0.0071928F,
               0,          0,           0.04143634F, 0.01105066F,  0.2864538F,  0.01355424F, 0.148369F,   0.006827414F,
               0.8972655F, 0.2857676F,  0.3218145F,  0.1292316F});
  expect_near(
      AttentionLstm{.directions = 2, .attended = 3, .lengths = {2, 3}, .memory_lengths = {1, 3}, .layer = true}
          .build()
          .with_text("direction", "bidirectional")
          .with_texts("activations", {"sigmoid", "tanh", "tanh", "sigmoid", "tanh", "tanh"})
          .results(),
      {0.106525F,  0.02834371F, 0.1927233F,   0.004731496F, -0.2643451F, -0.2107486F, -0.1071214F, -0.5075501F,
       -0.026565F, 0.2369096F,  0.006414875F, 0.2975278F,   -0.4564152F, 0.01643343F, -0.6414508F, 0.1555791F,
       0,          0,           0.009926984F, 0.0255733F,   0,           0,           -0.1511638F, -0.4150865F,
       -0.026565F, 0.2369096F,  0.009926984F, 0.0255733F,   -0.2643451F, -0.2107486F, -0.1071214F, -0.5075501F,
       -0.407096F, 0.7094023F,  0.02294775F,  0.4365614F,   -0.6390119F, -0.3099975F, -0.34347F,   -0.8138305F});
}

TEST(ContributedSteps, recurrencesWithAttentionAreRefusedByName) {
  const auto refused = [](Layer&& m) { return m.errors(); };
  EXPECT_THAT(refused(std::move(AttentionLstm().build().with_text("direction", "up"))),
              HasSubstr("direction is unknown (found up, expected forward, reverse or bidirectional)"));
  EXPECT_THAT(refused(std::move(AttentionLstm().build().with_texts("activations", {"Tanh"}))),
              HasSubstr("activations has the wrong length (found 1, expected 3)"));
  EXPECT_THAT(refused(std::move(AttentionLstm{.directions = 2}
                                    .build()
                                    .with_text("direction", "bidirectional")
                                    .with_reals("activation_alpha", {1}))),
              HasSubstr("activation_alpha of two directions is not supported"));
  Layer none = AttentionLstm().build();
  none.model.graph().mutable_node(0)->mutable_attribute(0)->set_i(0);
  EXPECT_THAT(none.errors(), HasSubstr("hidden_size is out of range (found 0, expected at least 1)"));
  const std::string text = AttentionLstm{.memory_lengths = {1, 3}}.build().model.text();
  EXPECT_THAT(text, HasSubstr("what=\"memory_seq_lens is out of range\""));
}

// Queries of 0, which see keys alike: results are means of values. Blocks of one key.
Layer sparse(std::int64_t length, const Reals& fresh, const Reals& past) {
  Layer m("SparseAttention", {"y"});
  m.real({1, length, 2}, Reals(static_cast<std::size_t>(2 * length)));
  m.real({1, length, 1}, Reals(static_cast<std::size_t>(length))).real({1, length, 1}, fresh);
  m.real({1, 1, 3, 1}, Reals(3)).real({1, 1, 3, 1}, past);
  // The first layout: each block sees itself, the last one the first one, too; the second: all before it, and itself.
  m.whole(TensorProto::INT32, {2, 4}, {0, 1, 2, 4, 0, 1, 3, 6})
      .whole(TensorProto::INT32, {2, 6},
             {0, 1, 0, 2, 0, 0,  //
              0, 0, 1, 0, 1, 2});
  m.whole(TensorProto::INT32, {1}, {3}).whole(TensorProto::INT32, {1}, {3});
  return std::move(m.with("num_heads", 2).with("kv_num_heads", 1).with("sparse_block_size", 1));
}

TEST(ContributedSteps, sparseAttention) {
  expect_near(sparse(3, {3, 5, 8}, {0, 0, 0}).results(), {3, 3, 5, 4, 5.5F, 16.0F / 3});
  expect_near(sparse(1, {8}, {3, 5, 0}).results(), {5.5F, 16.0F / 3});
  Layer odd = sparse(1, {8}, {3, 5, 0});
  odd.model.graph().mutable_node(0)->mutable_attribute(0)->set_i(3);
  EXPECT_THAT(odd.errors(), HasSubstr("num_heads, sparse_block_size and block_row_indices do not fit each other (found "
                                      "3, 1 and 2 layouts, expected num_heads a multiple of the layouts)"));
}

// A query of 0 behind two keys: values 2 and 4 in a cache of 4, and 8.
Layer decoder(bool packed = false) {
  Layer m("DecoderMaskedMultiHeadAttention", {"y", "", "v"});
  if (packed)
    m.real({1, 1, 3}, {0, 0, 8}).none().none();
  else
    m.real({1, 1, 1}, {0}).real({1, 1, 1}, {0}).real({1, 1, 1}, {8});
  return std::move(m.with("num_heads", 1).with("past_present_share_buffer", 1));
}
Layer& with_past(Layer& m) {
  return m.real({1, 1, 4, 1}, Reals(4)).real({1, 1, 4, 1}, {2, 4, 0, 0}).whole(TensorProto::INT32, {1}, {2});
}

TEST(ContributedSteps, decodersWithACache) {
  for (const bool packed : {false, true}) {
    Layer plain = decoder(packed);
    expect_near(with_past(plain.none().none()).results(), {14.0F / 3, 2, 4, 8, 0});
  }
  Layer masked = decoder();
  expect_near(with_past(masked.whole(TensorProto::INT32, {1, 3}, {0, 1, 1}).none()).results(), {6, 2, 4, 8, 0});
  Layer biased = decoder();
  with_past(biased.none().real({1, 1, 1, 3}, {std::log(2.0F), 0, 0})).none().none().real({3}, {0, 0, 1});
  expect_near(biased.results(), {(2 * 2 + 4 + 9) / 4.0F, 2, 4, 9, 0});
}

TEST(ContributedSteps, decodersAcross) {
  const auto across = [] {
    Layer m("DecoderMaskedMultiHeadAttention");
    m.real({1, 1, 1}, {0}).real({1, 1, 2, 1}, {0, 0}).real({1, 1, 2, 1}, {2, 4});
    return std::move(m.with("num_heads", 1));
  };
  expect_near(across().results(), {3});
  expect_near(across().whole(TensorProto::INT32, {1, 2}, {1, 0}).results(), {2});
  EXPECT_THAT(across().none().real({1, 1, 1, 2}, {0, 0}).errors(),
              HasSubstr("without a cache there are key and value, and no attention_bias"));
}

TEST(ContributedSteps, decodersAreRefusedByName) {
  const auto with_beams = [] {
    Layer m = decoder();
    with_past(m.none().none())
        .whole(TensorProto::INT32, {1}, {2})
        .whole(TensorProto::INT32, {1, 2, 4}, std::vector(8, 0));
    return m;
  };
  EXPECT_THAT(with_beams().errors(), HasSubstr("beams are not supported (found cache_indirection, expected none)"));
  EXPECT_THAT(decoder().with("output_qk", 1).errors(), HasSubstr("output_qk is not supported (found 1, expected 0)"));
  EXPECT_THAT(decoder().none().none().real({1, 1, 4, 1}, Reals(4)).errors(),
              HasSubstr("past_key and past_value belong together"));
  EXPECT_THAT(decoder().none().none().real({1, 1, 4, 1}, Reals(4)).real({1, 1, 4, 1}, Reals(4)).errors(),
              HasSubstr("a cache needs past_present_share_buffer and past_sequence_length"));
  Layer two("DecoderMaskedMultiHeadAttention");
  two.real({1, 2, 1}, {0, 0}).real({1, 1, 2, 1}, {0, 0}).real({1, 1, 2, 1}, {2, 4}).with("num_heads", 1);
  EXPECT_THAT(two.errors(), HasSubstr("there is more than one query (found 2, expected 1)"));
}

// Running sums of two sequences, of which the first has one step; in reverse.
TEST(ScanOfOpset8, ofSequencesThatHaveLengths) {
  const auto run = [](std::int64_t direction) {
    ModelFile m(8);
    const auto given = [&](const char* name, std::vector<std::int64_t> dims, const Reals& values) {
      auto& t = m.initialiser(name, TensorProto::FLOAT, std::move(dims));
      for (const float v : values) t.add_float_data(v);
    };
    auto& lengths = m.initialiser("n", TensorProto::INT64, {2});
    lengths.add_int64_data(1), lengths.add_int64_data(2);
    given("h", {2}, {100, 200});
    given("x", {2, 2}, {1, 2, 3, 4});
    given("k", {}, {10});
    m.output("y").output("z");
    auto& n = m.node("Scan", {"n", "h", "x"}, {"y", "z"});
    ModelFile::set_int(n, "num_scan_inputs", 1);
    ModelFile::set_ints(n, "directions", {direction});
    auto& g = *ModelFile::attribute(n, "body", ::onnx::AttributeProto::GRAPH).mutable_g();
    g.set_name("body");
    ModelFile::describe(*g.add_input(), "a", {});
    ModelFile::describe(*g.add_input(), "b", {});
    const auto add = [&](const char* left, const char* right, const char* sum) {
      auto& node = *g.add_node();
      node.set_op_type("Add");
      node.add_input(left), node.add_input(right), node.add_output(sum);
    };
    add("a", "b", "s");
    add("b", "k", "t");
    g.add_output()->set_name("s");
    g.add_output()->set_name("t");
    return m;
  };
  const auto results = [](ModelFile m) {
    auto imported = m.import();
    Reals all;
    if (!imported.graph) return ADD_FAILURE() << imported.errors, all;
    Diagnostics diags;
    const auto out = evaluate::run(*imported.graph, {}, diags);
    if (!out) return ADD_FAILURE() << to_string(diags.all()[0]), all;
    for (const evaluate::Tensor& t : *out)
      for (std::size_t i = 0; 4 * i < t.bytes.size(); ++i)
        all.push_back(reinterpret_cast<const float*>(t.bytes.data())[i]);
    return all;
  };
  EXPECT_THAT(results(run(0)), ElementsAre(101, 207, 11, 0, 13, 14));
  EXPECT_THAT(results(run(1)), ElementsAre(101, 207, 11, 0, 14, 13));
}

}  // namespace
}  // namespace byoc::test
