#include "sdk/ir/verify.hpp"

#include <gtest/gtest.h>

#include "sdk/ir/rewrite.hpp"

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
