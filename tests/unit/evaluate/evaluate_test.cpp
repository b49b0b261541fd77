// What holds for every operator: counts, sizes, types, order.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

ir::Graph parsed(const std::string& text) {
  Diagnostics diags;
  auto g = ir::parse(text, "t.byoc", diags);
  EXPECT_TRUE(g) << all_errors(diags);
  return g ? std::move(*g) : ir::Graph{};
}

evaluate::Tensor float_tensor(const ir::TensorType& type, std::vector<float> values) {
  std::vector<std::byte> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {type, Blob::own(std::move(bytes))};
}

const char kTwoNodes[] = R"(graph "t" requant=onnx {
  input %a : f32[2]
  %b = Add.13(%a, %a)
  %c = Relu.13(%b)
  output %c
  output %a
  output %c
})";

TEST(Evaluate, runsNodesInOrderAndShowsEveryValueOnce) {
  const ir::Graph g = parsed(kTwoNodes);
  Diagnostics diags;
  std::vector<ir::ValueId> seen;
  const auto out = evaluate::run(g, std::vector{float_tensor(g.values[g.inputs[0]].type, {-1, 2})}, diags,
                                 [&](ir::ValueId v, const evaluate::Tensor&) { seen.push_back(v); });
  ASSERT_TRUE(out) << all_errors(diags);
  ASSERT_EQ(out->size(), 3U);
  float c[2];
  std::memcpy(c, (*out)[0].bytes.data(), 8);
  EXPECT_THAT(c, ElementsAre(0, 4));
  std::memcpy(c, (*out)[1].bytes.data(), 8);
  EXPECT_THAT(c, ElementsAre(-1, 2));
  EXPECT_EQ(seen, (std::vector<ir::ValueId>{1, 2}));
}

TEST(Evaluate, refusesInputsThatAreNotTheGraphs) {
  const ir::Graph g = parsed(kTwoNodes);
  Diagnostics diags;
  EXPECT_FALSE(evaluate::run(g, {}, diags));
  EXPECT_THAT(all_errors(diags), HasSubstr("wrong number of graph inputs (found 0, expected 1)"));
  Diagnostics more;
  EXPECT_FALSE(evaluate::run(g, std::vector{float_tensor(g.values[g.inputs[0]].type, {1})}, more));
  EXPECT_THAT(all_errors(more), HasSubstr("does not have the type that the graph states (found f32[2] of 4 bytes"));
}

TEST(Evaluate, refusesOperandsThatAreNotWhatTheySay) {
  const ir::Graph g = parsed(kTwoNodes);
  const evaluate::Tensor shorter = float_tensor(g.values[g.inputs[0]].type, {1});
  const evaluate::Tensor* operands[] = {&shorter, &shorter};
  Diagnostics diags;
  EXPECT_FALSE(evaluate::evaluate_node(g, g.nodes[0], operands, diags));
  EXPECT_THAT(all_errors(diags), HasSubstr("the data of input 0 does not have the size of its type (found 4 bytes"));

  evaluate::Tensor unknown = shorter;
  unknown.type.dims.reset();
  const evaluate::Tensor* unknowns[] = {&unknown, &unknown};
  Diagnostics more;
  EXPECT_FALSE(evaluate::evaluate_node(g, g.nodes[0], unknowns, more));
  EXPECT_THAT(all_errors(more), HasSubstr("the type of input 0 is not known"));

  evaluate::Tensor huge = shorter;
  huge.type.dims = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  const evaluate::Tensor* huges[] = {&huge, &huge};
  Diagnostics third;
  EXPECT_FALSE(evaluate::evaluate_node(g, g.nodes[0], huges, third));
  EXPECT_THAT(all_errors(third), HasSubstr("input 0 is too large"));
}

TEST(Evaluate, refusesWrongCounts) {
  const std::string x = "const %x : f32[1] = zeros\n";
  EXPECT_THAT(error_of(x + "%y = Add.13(%x) output %y"),
              HasSubstr("wrong number of inputs (found 1, expected 2 to 2)"));
  EXPECT_THAT(error_of(x + "%y = Add.13(%x, _) output %y"), HasSubstr("input 1 is missing"));
  EXPECT_THAT(error_of(x + "%y, %z = Add.13(%x, %x) output %y"), HasSubstr("wrong number of outputs (found 2"));
  EXPECT_THAT(error_of(x + "%y = Frobnicate.13(%x) output %y"),
              HasSubstr("the evaluator does not know this operator (found Frobnicate version 13)"));
}

TEST(Evaluate, refusesResultsThatTheGraphDoesNotState) {
  EXPECT_THAT(error_of("const %x : f32[2] = zeros %y : f32[3] = Relu.13(%x) output %y"),
              HasSubstr("output 0 does not have the type that the graph states (found f32[2], expected f32[3])"));
}

TEST(Evaluate, readsOperandsAtOddAddresses) {
  const ir::Graph g = parsed(kTwoNodes);
  std::vector<std::byte> bytes(9);
  const float values[] = {3, -4};
  std::memcpy(bytes.data() + 1, values, 8);
  const Blob whole = Blob::own(std::move(bytes));
  const evaluate::Tensor odd{g.values[g.inputs[0]].type, whole.slice(1, 8)};
  Diagnostics diags;
  const auto out = evaluate::run(g, std::vector{odd}, diags);
  ASSERT_TRUE(out) << all_errors(diags);
  float c[2];
  std::memcpy(c, (*out)[0].bytes.data(), 8);
  EXPECT_THAT(c, ElementsAre(6, 0));
}

TEST(Instance, keepsStatesBetweenRunsUntilItIsReset) {
  using evaluate::Instance, evaluate::Tensor, evaluate::run;
  Diagnostics diags;
  const auto graph = ir::parse(graph_text("input %x : f32[2]\n"
                                          "state %s : f32[2] -> %n = [1.0, 2.0]\n"
                                          "state %q : i8[2] q(0.5, -3) -> %q\n"
                                          "%n : f32[2] = Add.14(%s, %x)\n"
                                          "output %s\noutput %q"),
                               "t.byoc", diags);
  ASSERT_TRUE(graph) << all_errors(diags);
  const float one[] = {1, 1};
  const auto bytes = std::as_bytes(std::span(one));
  const std::vector<Tensor> in = {{graph->values[graph->inputs[0]].type, Blob::own({bytes.begin(), bytes.end()})}};
  const auto first = [&](Instance* instance) {
    auto out = run(*graph, in, diags, {}, instance);
    EXPECT_TRUE(out) << all_errors(diags);
    EXPECT_EQ(std::to_integer<int>((*out)[1].bytes.data()[1]), 256 - 3);
    float value;
    std::memcpy(&value, (*out)[0].bytes.data(), sizeof value);
    return value;
  };
  Instance a(*graph);
  Instance b(*graph);
  EXPECT_EQ(first(&a), 1.0f);
  EXPECT_EQ(first(&a), 2.0f);
  EXPECT_EQ(first(&b), 1.0f);
  EXPECT_EQ(first(&a), 3.0f);
  a.reset();
  EXPECT_EQ(first(&a), 1.0f);
  EXPECT_EQ(first(nullptr), 1.0f);
  EXPECT_EQ(first(nullptr), 1.0f);
}

}  // namespace
}  // namespace byoc::test
