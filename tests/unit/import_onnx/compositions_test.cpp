// Operators that others make up: what is refused of them. That they compute the right numbers, tests/conformance shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using ::onnx::TensorProto;
using test::ModelFile;
using testing::HasSubstr;
using testing::Not;

// What the importer says of one node whose operands are those of the model, named x0, x1 ...
struct OneNode {
  std::string op;
  std::vector<std::vector<std::int64_t>> operands;
  std::string domain = {};
  std::int64_t opset = 28;

  std::string errors(const std::function<void(::onnx::NodeProto&)>& change) const {
    ModelFile m(opset);
    if (!domain.empty()) m.import_opset(domain, 1);
    std::vector<std::string> names;
    for (const auto& dims : operands) {
      names.push_back("x" + std::to_string(names.size()));
      m.input(names.back(), dims);
    }
    auto& node = m.node(op, names, {"y"});
    node.set_domain(domain);
    m.output("y");
    change(node);
    return m.import().errors;
  }
};

TEST(Compositions, attentionIsRefusedByName) {
  const OneNode four{"Attention", {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}};
  const OneNode three{"Attention", {{1, 3, 8}, {1, 3, 8}, {1, 3, 8}}};
  EXPECT_EQ(four.errors([](auto&) {}), "");
  EXPECT_THAT(three.errors([](auto&) {}),
              HasSubstr("operands of 3 dims need q_num_heads and kv_num_heads (found 0 and 0, expected at least 1)"));
  EXPECT_THAT(three.errors([](auto& n) {
    ModelFile::set_int(n, "q_num_heads", 4);
    ModelFile::set_int(n, "kv_num_heads", 3);
  }),
              HasSubstr("kv_num_heads does not divide q_num_heads (found 3, expected a divisor of 4)"));
  EXPECT_THAT(four.errors([](auto& n) { ModelFile::set_int(n, "qk_matmul_output_mode", 4); }),
              HasSubstr("qk_matmul_output_mode is out of range (found 4, expected 0 to 3)"));
  EXPECT_THAT(four.errors([](auto& n) { ModelFile::set_float(n, "softcap", -1); }),
              HasSubstr("softcap is out of range"));
  const OneNode past{"Attention", {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}, {3, 3}, {1, 2, 3, 4}}};
  EXPECT_THAT(past.errors([](auto&) {}), HasSubstr("past_key and past_value belong together"));
  const OneNode all{"Attention", {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}, {3, 3}, {1, 2, 3, 4}, {1, 2, 3, 4}, {1}}};
  EXPECT_THAT(all.errors([](auto&) {}), HasSubstr("nonpad_kv_seqlen and past_key exclude each other"));
  OneNode old = all;
  old.opset = 23;
  EXPECT_THAT(old.errors([](auto&) {}), HasSubstr("has the wrong number of inputs (found 7, expected 3 to 6)"));
}

// Whether a mask is added or chooses is a matter of its type: stated, or known from the operators before it.
TEST(Compositions, aMaskHasAType) {
  const auto text = [](const std::string& op, const std::string& operand) {
    ModelFile m(23);
    m.input("q", {1, 1, 3, 3}).input("m", {3, 3}).input("b", {3, 3}, TensorProto::BOOL);
    m.node(op, {operand}, {"n"});
    m.node("Identity", {"n"}, {"mask"});
    m.node("Attention", {"q", "q", "q", "mask"}, {"y"});
    m.output("y");
    return m.text();
  };
  EXPECT_THAT(text("IsNaN", "m"), HasSubstr("Where.20("));
  EXPECT_THAT(text("Not", "b"), HasSubstr("Where.20("));
  EXPECT_THAT(text("Relu", "m"), HasSubstr("= CastLike.20("));
  EXPECT_THAT(text("Softmax", "m"), HasSubstr("= CastLike.20("));
  ModelFile m(23);
  m.import_opset("acme", 1);
  m.input("q", {1, 1, 3, 3}).output("y");
  m.node("Mask", {"q"}, {"mask"}).set_domain("acme");  // nobody knows its types
  m.node("Attention", {"q", "q", "q", "mask"}, {"y"});
  EXPECT_THAT(m.text(), HasSubstr("the element type of input 3 does not follow from what computes it (expected a "
                                  "value_info for it)"));
}

// Operands of 3 and of 4 dims are computed differently: the rank is stated, or follows; it is not guessed.
TEST(Compositions, aRankIsKnown) {
  const auto heads = [](::onnx::NodeProto& node) {
    ModelFile::set_int(node, "q_num_heads", 2);
    ModelFile::set_int(node, "kv_num_heads", 2);
  };
  const auto text = [&](const std::function<void(ModelFile&)>& make) {
    ModelFile m(23);
    m.input("x", {1, 2, 3, 4}).input("flat", {1, 3, 8}).output("y");
    make(m);
    heads(m.node("Attention", {"q", "q", "q"}, {"y"}));
    return m.text();
  };
  const char* parts_heads = "perm=[0, 2, 1, 3]";
  EXPECT_THAT(text([](ModelFile& m) { m.node("Softmax", {"x"}, {"q"}); }), Not(HasSubstr(parts_heads)));
  EXPECT_THAT(text([](ModelFile& m) { m.node("Softmax", {"flat"}, {"q"}); }), HasSubstr(parts_heads));
  const std::string reshaped = text([](ModelFile& m) {
    m.node("Shape", {"flat"}, {"s"});
    m.node("Reshape", {"x", "s"}, {"q"});
  });
  EXPECT_THAT(reshaped, HasSubstr(parts_heads));
  const std::string unknown = text([](ModelFile& m) {
    m.input("u", {}).graph().mutable_input(2)->mutable_type()->mutable_tensor_type()->clear_shape();
    m.node("Relu", {"u"}, {"q"});
  });
  EXPECT_THAT(unknown, HasSubstr("the rank of input 0 does not follow from what computes it (expected a value_info"));
}

// A vector would be one row.
TEST(Compositions, arrayFeatureExtractorAsksForTheRank) {
  ModelFile m(17);
  m.import_opset("ai.onnx.ml", 3);
  m.input("x", {}).graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  m.initialiser("columns", TensorProto::INT64, {1}).add_int64_data(0);
  m.node("ArrayFeatureExtractor", {"x", "columns"}, {"y"}).set_domain("ai.onnx.ml");
  m.output("y");
  EXPECT_THAT(m.text(), HasSubstr("the rank of input 0 does not follow from what computes it"));
}

// A body knows the types of what it captures, and the graph around it those of its results.
TEST(Compositions, typesGoThroughBodies) {
  ModelFile m(23);
  m.input("x", {1, 2, 3, 4}).input("c", {}, TensorProto::BOOL).output("z");
  m.node("Softmax", {"x"}, {"q"});
  auto& choice = m.node("If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& body = *ModelFile::attribute(choice, name, ::onnx::AttributeProto::GRAPH).mutable_g();
    auto& node = *body.add_node();
    node.set_op_type("Attention");
    for (int i = 0; i < 3; ++i) node.add_input("q");
    node.add_output(std::string("in_") + name);
    body.add_output()->set_name(std::string("in_") + name);
  }
  m.node("Attention", {"y", "y", "y"}, {"z"});
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("If."));
  EXPECT_THAT(text, Not(HasSubstr("perm=[0, 2, 1, 3]")));
}

TEST(Compositions, flexAttentionIsRefusedByName) {
  const OneNode flex{"FlexAttention", {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}, "ai.onnx.preview", 26};
  EXPECT_EQ(flex.errors([](auto&) {}), "");
  EXPECT_THAT(flex.errors([](auto& n) {
    auto& graph = *ModelFile::attribute(n, "score_mod", ::onnx::AttributeProto::GRAPH).mutable_g();
    ModelFile::describe(*graph.add_input(), "a", {1, 2, 3, 3});
    ModelFile::describe(*graph.add_input(), "b", {1, 2, 3, 3});
    graph.add_output()->set_name("a");
  }),
              HasSubstr("score_mod has the wrong number of inputs or outputs (expected one of each)"));
  ModelFile m(26);
  m.import_opset("ai.onnx.preview", 1);
  m.import_opset("acme", 1);
  m.input("x", {1, 1, 3, 3}).output("y");
  m.node("Queries", {"x"}, {"q"}).set_domain("acme");
  m.node("FlexAttention", {"q", "q", "q"}, {"y"}).set_domain("ai.onnx.preview");
  EXPECT_THAT(m.text(), HasSubstr("the element type of Q is not stated"));
}

TEST(Compositions, rotaryEmbeddingIsRefusedByName) {
  const OneNode flat{"RotaryEmbedding", {{1, 3, 8}, {1, 3, 2}, {1, 3, 2}}};
  EXPECT_THAT(flat.errors([](auto&) {}),
              HasSubstr("an input of 3 dims needs num_heads (found 0, expected at least 1)"));
  EXPECT_THAT(flat.errors([](auto& n) {
    ModelFile::set_int(n, "num_heads", 2);
    ModelFile::set_int(n, "rotary_embedding_dim", 3);
  }),
              HasSubstr("rotary_embedding_dim is out of range (found 3, expected an even number)"));
}

TEST(Compositions, linearAttentionIsRefusedByName) {
  const auto with = [](std::int64_t q, std::int64_t kv, const std::string& rule) {
    return [=](::onnx::NodeProto& n) {
      ModelFile::set_int(n, "q_num_heads", q);
      ModelFile::set_int(n, "kv_num_heads", kv);
      ModelFile::set_text(n, "update_rule", rule);
    };
  };
  const OneNode plain{"LinearAttention", {{1, 3, 4}, {1, 3, 4}, {1, 3, 4}}};
  EXPECT_EQ(plain.errors(with(2, 2, "linear")), "");
  EXPECT_THAT(
      plain.errors(with(2, 3, "linear")),
      HasSubstr("numbers of heads do not fit (found 2 and 3, expected q_num_heads a multiple of kv_num_heads)"));
  EXPECT_THAT(plain.errors(with(2, 2, "other")), HasSubstr("update_rule is unknown (found other"));
  EXPECT_THAT(plain.errors(with(2, 2, "gated")), HasSubstr("decay does not fit the update_rule (found not given"));
  EXPECT_THAT(plain.errors(with(2, 2, "delta")), HasSubstr("beta does not fit the update_rule (found not given"));
}

TEST(Compositions, convolutionsAndCachesAreRefusedByName) {
  const OneNode conv{"CausalConvWithState", {{1, 2, 3}, {2, 1, 2}}};
  EXPECT_EQ(conv.errors([](auto&) {}), "");
  EXPECT_THAT(conv.errors([](auto& n) { ModelFile::set_text(n, "activation", "gelu"); }),
              HasSubstr("activation is unknown (found gelu, expected none, silu or swish)"));
  ModelFile m(27);
  m.input("x", {1, 2, 3}).input("w", {2, 1, 2}).output("y");
  m.import_opset("acme", 1);
  m.node("Weights", {"w"}, {"computed"}).set_domain("acme");
  m.node("CausalConvWithState", {"x", "computed"}, {"y"});
  EXPECT_THAT(m.text(), HasSubstr("the number of channels is not known (expected a weight of known shape)"));
  const OneNode scatter{"TensorScatter", {{2, 3, 4}, {2, 1, 4}}};
  EXPECT_EQ(scatter.errors([](auto&) {}), "");
  for (const std::int64_t axis : {0, -3})
    EXPECT_THAT(scatter.errors([&](auto& n) { ModelFile::set_int(n, "axis", axis); }),
                HasSubstr("the axis is that of the batches"));
  EXPECT_THAT(scatter.errors([](auto& n) { ModelFile::set_text(n, "mode", "ring"); }),
              HasSubstr("mode is unknown (found ring"));
}

TEST(Compositions, precisionIsThatOfAFloat) {
  const OneNode q{"QuantizeLinear", {{2}, {}}};
  for (const std::int64_t precision : {1, 10, 16})
    EXPECT_EQ(q.errors([&](auto& n) { ModelFile::set_int(n, "precision", precision); }), "");
  EXPECT_THAT(q.errors([](auto& n) { ModelFile::set_int(n, "precision", 11); }),
              HasSubstr("precision is not supported (found float64, expected float32, float16 or bfloat16)"));
}

}  // namespace
}  // namespace byoc
