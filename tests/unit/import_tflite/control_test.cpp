// IF and WHILE over subgraphs.
#include <gmock/gmock.h>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// IF over x + x and x * x.
TfliteWriter branches() {
  TfliteWriter w;
  const auto c = w.add("c", kBool, {});
  const auto x = w.add("x", kF32, {2});
  const auto y = w.add("y", kF32, {2});
  schema::IfOptionsT options;
  options.then_subgraph_index = 1;
  options.else_subgraph_index = 2;
  w.add_operator(BuiltinOperator::IF, {c, x}, {y}, options);
  w.boundary({c, x}, {y});
  for (const char* name : {"twice", "square"}) {
    w.begin_subgraph(name);
    const auto a = w.add("a", kF32, {2});
    const auto r = w.add("r", kF32, {2});
    if (std::string(name) == "twice")
      w.add_operator(BuiltinOperator::ADD, {a, a}, {r}, schema::AddOptionsT{});
    else
      w.add_operator(BuiltinOperator::MUL, {a, a}, {r}, schema::MulOptionsT{});
    w.boundary({a}, {r});
  }
  w.select(0);
  return w;
}

// A composite of two outputs: the sum and the product of its operands.
TfliteWriter composite() {
  TfliteWriter w;
  const auto x = w.add("x", kF32, {2}), y = w.add("y", kF32, {2});
  const auto sum = w.add("sum", kF32, {2}), product = w.add("product", kF32, {2});
  schema::StableHLOCompositeOptionsT options;
  options.name = "odml.both";
  options.decomposition_subgraph_index = 1;
  w.add_operator(BuiltinOperator::STABLEHLO_COMPOSITE, {x, y}, {sum, product}).builtin_options_2.Set(options);
  w.boundary({x, y}, {sum, product});
  w.begin_subgraph("both");
  for (const char* name : {"a", "b", "s", "p"}) w.add(name, kF32, {2});
  w.add_operator(BuiltinOperator::ADD, {0, 1}, {2}, schema::AddOptionsT{});
  w.add_operator(BuiltinOperator::MUL, {0, 1}, {3}, schema::MulOptionsT{});
  w.boundary({0, 1}, {2, 3});
  w.select(0);
  return w;
}

// WHILE x - y is not positive ... told by a tensor that the condition passes through; the body adds.
TfliteWriter loop() {
  TfliteWriter w;
  const auto go = w.add("go", kBool, {1});
  const auto x = w.add("x", kF32, {2});
  const auto last = w.add("last", kBool, {1});
  const auto y = w.add("y", kF32, {2});
  schema::WhileOptionsT options;
  options.cond_subgraph_index = 1;
  options.body_subgraph_index = 2;
  w.add_operator(BuiltinOperator::WHILE, {go, x}, {last, y}, options);
  w.boundary({go, x}, {y});
  w.begin_subgraph("condition");
  const auto a = w.add("a", kBool, {1});
  w.add("b", kF32, {2});
  w.boundary({a, 1}, {a});
  w.begin_subgraph("body");
  w.add("a", kBool, {1});
  const auto b = w.add("b", kF32, {2});
  const auto stop = w.constant<std::uint8_t>("stop", kBool, {1}, {0});
  const auto r = w.add("r", kF32, {2});
  w.add_operator(BuiltinOperator::ADD, {b, b}, {r}, schema::AddOptionsT{});
  w.boundary({0, b}, {stop, r});
  w.select(0);
  return w;
}

evaluate::Tensor tensor(const ir::Graph& g, std::size_t input, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  return {g.values[g.inputs[input]].type, Blob::own({bytes, bytes + size})};
}

std::vector<float> run_with(const TfliteWriter& w, bool truth) {
  Diagnostics diags;
  auto g = import_bytes(w.bytes(), diags);
  EXPECT_TRUE(g && prepare(*g, {}, diags)) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  if (!g || diags.has_errors()) return {};
  const std::uint8_t c = truth ? 1 : 0;
  const float x[] = {3, 5};
  const std::vector<evaluate::Tensor> in = {tensor(*g, 0, &c, 1), tensor(*g, 1, x, sizeof x)};
  auto out = evaluate::run(*g, in, diags);
  EXPECT_TRUE(out);
  if (!out) return {};
  std::vector<float> y(2);
  std::memcpy(y.data(), (*out)[0].bytes.data(), sizeof(float) * 2);
  return y;
}

TEST(Control, ifTakesOneOfTwoSubgraphs) {
  EXPECT_EQ(run_with(branches(), true), (std::vector<float>{6, 10}));
  EXPECT_EQ(run_with(branches(), false), (std::vector<float>{9, 25}));
  EXPECT_THAT(imported(branches()), HasSubstr("If.18(%0, %1) {else_branch=graph \"square\""));
}

TEST(Control, whileAsksBeforeEachRound) {
  EXPECT_EQ(run_with(loop(), true), (std::vector<float>{6, 10}));
  EXPECT_EQ(run_with(loop(), false), (std::vector<float>{3, 5}));
}

TEST(Control, compositesAreWhatTheyAreMadeOf) {
  EXPECT_THAT(imported(composite()),
              AllOf(HasSubstr("Add.18(%0, %1)"), HasSubstr("Mul.18(%0, %1)"), HasSubstr("\"product\"")));
  TfliteWriter w = composite();
  w.op(0).builtin_options_2.AsStableHLOCompositeOptions()->decomposition_subgraph_index = 2;
  EXPECT_THAT(imported(w), HasSubstr("subgraph out of range (found 2, expected 1 to 1)"));
  w = composite();
  w.op(0).builtin_options_2.Reset();
  EXPECT_THAT(imported(w), HasSubstr("'STABLEHLO_COMPOSITE 'sum' (#0)': the operator has no options"));
  w = composite();
  w.op(0).inputs = {0, -1};
  EXPECT_THAT(imported(w), HasSubstr("input 1 is not given"));
}

TEST(Control, refusesSubgraphsThatDoNotFit) {
  TfliteWriter w = branches();
  w.options<schema::IfOptionsT>(0).else_subgraph_index = 3;
  EXPECT_THAT(imported(w), HasSubstr("subgraph out of range (found 3, expected 1 to 2)"));
  w = branches();
  w.options<schema::IfOptionsT>(0).then_subgraph_index = 0;
  EXPECT_THAT(imported(w), HasSubstr("subgraph out of range (found 0"));
  w = branches();
  w.select(1);
  w.tensor(0).shape = {3};
  w.tensor(1).shape = {3};
  w.select(0);
  EXPECT_THAT(imported(w), HasSubstr("input 0 of subgraph 'twice' is not of the type of"));
  w = branches();
  w.select(2);
  w.boundary({0}, {1, 1});
  w.select(0);
  EXPECT_THAT(imported(w), HasSubstr("subgraph 'square' has another number of outputs (found 2, expected 1)"));
  w = loop();
  w.select(1);
  w.boundary({0, 1}, {1});
  w.select(0);
  EXPECT_THAT(imported(w), HasSubstr("the condition is not one truth value (found f32[2], expected bool[])"));
}

TEST(Control, refusesSubgraphsThatNameEachOther) {
  TfliteWriter w = branches();
  w.select(1);
  w.graph().operators.clear();
  schema::WhileOptionsT options;
  options.cond_subgraph_index = 1;
  options.body_subgraph_index = 1;
  w.add_operator(BuiltinOperator::WHILE, {0}, {1}, options);
  w.select(0);
  EXPECT_THAT(imported(w), HasSubstr("subgraphs are nested too deeply or name each other"));
}

}  // namespace
}  // namespace byoc::test
