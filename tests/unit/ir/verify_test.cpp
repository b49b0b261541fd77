#include "sdk/model/ir/verify.hpp"

#include <gtest/gtest.h>

#include "sdk/model/ir/rewrite.hpp"

namespace byoc::ir {
namespace {

Value value(std::string name, std::vector<Dim> dims) {
  Value v;
  v.name = std::move(name);
  v.type.dtype = DType::f32;
  v.type.dims = std::move(dims);
  return v;
}

Node node(std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  Node n;
  n.op = std::move(op);
  n.name = n.op;
  n.inputs = std::move(inputs);
  n.outputs = std::move(outputs);
  return n;
}

Graph chain() {
  Graph g;
  for (const char* name : {"x", "a", "y"}) g.add_value(value(name, {2, 3}));
  g.add_node(node("Relu", {0}, {1}));
  g.add_node(node("Neg", {1}, {2}));
  g.inputs = {0};
  g.outputs = {2};
  return g;
}

std::string first_error(const Graph& g) {
  Diagnostics diags;
  EXPECT_FALSE(verify(g, diags));
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

TEST(Verify, acceptsAChain) {
  Diagnostics diags;
  EXPECT_TRUE(verify(chain(), diags));
}

TEST(Verify, refusesWrongOrder) {
  Graph g = chain();
  std::swap(g.nodes[0], g.nodes[1]);
  EXPECT_NE(first_error(g).find("which nothing computes before it"), std::string::npos);
  Diagnostics diags;
  EXPECT_TRUE(sort_topologically(g, diags));
  EXPECT_TRUE(verify(g, diags));
}

TEST(Verify, refusesACycle) {
  Graph g = chain();
  g.nodes[0].inputs = {2};
  Diagnostics diags;
  EXPECT_FALSE(sort_topologically(g, diags));
  EXPECT_NE(to_string(diags.all()[0]).find("is on a cycle"), std::string::npos);
}

TEST(Verify, refusesDanglingOverflowingAndNegative) {
  Graph g = chain();
  g.nodes[0].inputs = {9};
  EXPECT_NE(first_error(g).find("reads a value that does not exist"), std::string::npos);
  g = chain();
  g.values[0].type.dims = {1ll << 40, 1ll << 40};
  EXPECT_NE(first_error(g).find("too large"), std::string::npos);
  g = chain();
  g.values[0].type.dims = {-7};
  EXPECT_NE(first_error(g).find("negative dimension"), std::string::npos);
}

TEST(Verify, refusesAConstantOfTheWrongSize) {
  Graph g = chain();
  g.add_constant("w", g.values[0].type, Blob::own(std::vector<std::byte>(5)));
  EXPECT_NE(first_error(g).find("found 5 bytes, expected 24 bytes for f32[2,3]"), std::string::npos);
}

TEST(Verify, refusesBadQuantisation) {
  Graph g = chain();
  g.values[0].type.quantisation = Quantisation{{0.0f}, {0}, -1};
  EXPECT_NE(first_error(g).find("scale out of range"), std::string::npos);
  g.values[0].type.quantisation = Quantisation{{1.0f, 2.0f}, {0, 0}, 1};
  EXPECT_NE(first_error(g).find("a scale for each index"), std::string::npos);
}

TEST(Verify, refusesCountsThatAreNone) {
  Graph g = chain();
  Value count = value("n", {});
  count.type.dtype = DType::i32;
  g.add_node(node("Size", {0}, {g.add_value(count)}));
  g.outputs.push_back(3);
  g.counted = {{0, 1, 1}};
  Diagnostics diags;
  EXPECT_TRUE(verify(g, diags));
  for (const CountedDim& c : {CountedDim{2, 0, 1}, CountedDim{0, 0, 2}, CountedDim{1, 0, 1}}) {
    g.counted = {c};
    EXPECT_NE(first_error(g).find("names an output that does not exist"), std::string::npos);
  }
  g.counted = {{0, 2, 1}};
  EXPECT_NE(first_error(g).find("has no such dim that could be counted (found 2, expected less than 2)"),
            std::string::npos);
  g.values[3].type.dtype = DType::f32;
  g.counted = {{0, 1, 1}};
  EXPECT_NE(first_error(g).find("is no count (found f32[], expected i32[])"), std::string::npos);
}

TEST(Verify, refusesBoundsThatAreNone) {
  Graph g = chain();
  BoundedValue b{.name = "s", .is_output = true, .is_sequence = true, .dtype = DType::f32};
  g.bounded = {b};
  Diagnostics diags;
  EXPECT_TRUE(verify(g, diags));
  const auto error_with = [&](auto&& change) {
    BoundedValue other = b;
    change(other);
    g.bounded = {other};
    return first_error(g);
  };
  const std::string kNone = "names tensors that do not exist";
  EXPECT_NE(error_with([](auto& x) { x.elements = 2; }).find(kNone), std::string::npos);
  EXPECT_NE(error_with([](auto& x) { x.first = 2; }).find(kNone), std::string::npos);
  EXPECT_NE(error_with([](auto& x) { x.is_sequence = false, x.elements = 0; }).find(kNone), std::string::npos);
  EXPECT_NE(error_with([](auto& x) { x.count = 0; }).find("has no such count or flag"), std::string::npos);
  EXPECT_NE(error_with([](auto& x) { x.given = 9; }).find("has no such count or flag"), std::string::npos);
}

TEST(Verify, refusesStatesThatDoNotFit) {
  Graph g = chain();
  const ValueId s = g.add_value(value("s", {2, 3}));
  g.values[s].is_state = true;
  EXPECT_NE(first_error(g).find("nothing says what it becomes"), std::string::npos);
  g.states = {{s, g.outputs[0], {}}};
  Diagnostics diags;
  EXPECT_TRUE(verify(g, diags));
  g.states[0].initial = Blob::own(std::vector<std::byte>(5));
  EXPECT_NE(first_error(g).find("found 5 bytes, expected 24 bytes"), std::string::npos);
  g.states[0].initial = {};
  g.states.push_back(g.states[0]);
  EXPECT_NE(first_error(g).find("is the value of two states"), std::string::npos);
  g.states.pop_back();
  g.states[0].next = 77;
  EXPECT_NE(first_error(g).find("state names a value that does not exist"), std::string::npos);
  g.states[0].next = g.add_value(value("t", {3, 2}));
  EXPECT_NE(first_error(g).find("does not have the type of the state that it becomes"), std::string::npos);
  g.values[g.states[0].next].type = g.values[s].type;
  EXPECT_NE(first_error(g).find("is what a state becomes, but nothing computes it"), std::string::npos);
  g.states[0].next = s;
  g.values[s].is_state = false;
  EXPECT_NE(first_error(g).find("but not marked as one"), std::string::npos);
}

TEST(Rewrite, keepsWhatAStateThatIsReadBecomes) {
  Graph g = chain();
  const ValueId s = g.add_value(value("s", {2, 3}));
  const ValueId other = g.add_value(value("other", {2, 3}));
  const ValueId next = g.add_value(value("next", {2, 3}));
  g.values[s].is_state = g.values[other].is_state = true;
  g.states = {{s, next, {}}, {other, g.outputs[0], {}}};
  g.add_node(node("Abs", {s}, {next}));
  remove_dead(g);
  EXPECT_TRUE(g.states.empty());  // no output needs either
  EXPECT_EQ(g.nodes.size(), 2u);
  const ValueId again = g.add_value(value("s", {2, 3}));
  const ValueId sum = g.add_value(value("sum", {2, 3}));
  g.values[again].is_state = true;
  g.states = {{again, sum, {}}};
  g.add_node(node("Add", {again, g.outputs[0]}, {sum}));
  g.outputs.push_back(again);
  remove_dead(g);
  EXPECT_EQ(g.states.size(), 1u);
  EXPECT_EQ(g.nodes.size(), 3u);
}

TEST(Rewrite, removesWhatNobodyNeeds) {
  Graph g = chain();
  g.add_value(value("dead", {1}));
  g.add_node(node("Abs", {1}, {3}));
  g.add_constant("unused", g.values[0].type, Blob::own(std::vector<std::byte>(24)));
  remove_dead(g);
  EXPECT_EQ(g.nodes.size(), 2u);
  EXPECT_EQ(g.values.size(), 3u);
}

}  // namespace
}  // namespace byoc::ir
