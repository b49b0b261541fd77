// Behaviours that users of other partitioners rely on, B47 to B51 of the formats reference, on graphs of our own: what
// is annotated, merged, partitioned and fused.
#include <gtest/gtest.h>

#include <set>

#include "sdk/codegen/partition/match.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/unit/partition/placing.hpp"

namespace byoc {
namespace {

using codegen::PatternNode;
using Nodes = std::vector<ir::NodeId>;

class Behaviours : public testing::Test {
 protected:
  void place(const ir::Graph& g) {
    Diagnostics diags;
    auto p = make_partition(g, all_, {}, options_, diags);
    ASSERT_TRUE(p) << to_string(diags.all()[0]);
    partition_ = std::move(*p);
  }
  // "npu:0,2 c:1": each region with its nodes, in an order in which they can run.
  std::string regions(const ir::Graph& g) {
    place(g);
    std::string out;
    for (const PlacedRegion& r : partition_.regions) {
      std::string nodes;
      for (const ir::NodeId n : r.bound.nodes) nodes += (nodes.empty() ? "" : ",") + std::to_string(n);
      out += (out.empty() ? "" : " ") + std::string(all_[r.codegen]->id()) + ":" + nodes;
    }
    return out;
  }
  const codegen::Region& region(std::size_t i) const { return partition_.regions[i].bound.region; }
  // What npu compiles: granted groups, and nodes on their own.
  std::size_t pieces(const ir::Graph& g) {
    place(g);
    std::size_t out = 0;
    for (const PlacedRegion& r : partition_.regions) {
      if (r.codegen != 0) continue;
      out += r.bound.nodes.size();
      for (const codegen::GrantedGroup& group : r.bound.region.groups) out -= group.nodes.size() - 1;
    }
    return out;
  }

  static ir::Graph parse(const std::string& statements) {
    Diagnostics diags;
    auto g = ir::parse("graph \"g\" requant=onnx {\n" + statements + "\n}", "g.byoc", diags);
    EXPECT_TRUE(g) << to_string(diags.all()[0]);
    return g ? std::move(*g) : ir::Graph{};
  }

  Picky npu_{"npu", {"Abs", "Relu", "Conv", "Add", "Sigmoid", "Split"}};
  Picky c_{"c", {"Abs", "Relu", "Conv", "Add", "Sigmoid", "Split", "Sub", "Tanh"}, codegen::Role::reference};
  std::vector<codegen::Codegen*> all_ = {&npu_, &c_};
  PartitionOptions options_;
  Partition partition_;
};

TEST_F(Behaviours, B47aValueWithSeveralReadersLeavesOnce) {
  npu_ = Picky("npu", {"Relu"});
  EXPECT_EQ(regions(wired({{"Relu", {0}}, {"Tanh", {1}}, {"Tanh", {1}}, {"Add", {2, 3}}})), "npu:0 c:1,2,3");
  EXPECT_EQ(region(0).inputs.size(), 1u);
  EXPECT_EQ(region(0).outputs.size(), 1u);
}

TEST_F(Behaviours, B47nodesWithSeveralResults) {
  place(parse(R"(input %x : f32[6]
    %a : f32[3], %b : f32[3] = Split.13(%x)
    %c : f32[3] = Tanh.13(%a)
    %d : f32[3] = Tanh.13(%b)
    output %c output %d)"));
  ASSERT_EQ(partition_.regions[0].codegen, 0u);
  EXPECT_EQ(region(0).outputs.size(), 2u);
}

TEST_F(Behaviours, B47aGroupIsOneRegionAndItsInsideIsNoBorder) {
  npu_ = Picky("npu", {});
  npu_.patterns_ = {{"pair", {{"", "Conv", {PatternNode::kAny}}, {"", "Relu", {0}}}}};
  EXPECT_EQ(regions(wired({{"Tanh", {0}}, {"Conv", {1}}, {"Relu", {2}}, {"Tanh", {3}}})), "c:0 npu:1,2 c:3");
  EXPECT_EQ(region(1).inputs.size(), 1u);
  EXPECT_EQ(region(1).outputs.size(), 1u);
}

TEST_F(Behaviours, B47branchesHaveRegionsOfTheirOwn) {
  const ir::Graph g = parse(R"(input %p : bool[]
    input %x : f32[4]
    %a : f32[4] = Abs.13(%x)
    %y : f32[4] = If.13(%p, %a) {then_branch=graph "t" { input %b : f32[4] %r : f32[4] = Relu.13(%b) output %r },
      else_branch=graph "e" { input %b : f32[4] %r : f32[4] = Tanh.13(%b) output %r }}
    %z : f32[4] = Abs.13(%y)
    output %z)");
  // The If is the executor's; what is before, inside and behind it is never one region.
  EXPECT_EQ(regions(g).substr(0, 12), "npu:0 npu:2 ");
  EXPECT_EQ(partition_.nodes[1].codegen, kExecutor);
  ASSERT_EQ(partition_.bodies.size(), 2u);
  std::set<std::size_t> owners;
  for (const auto& [body, nodes] : partition_.bodies) owners.insert(nodes[0].codegen);
  EXPECT_EQ(owners, (std::set<std::size_t>{0, 1}));
}

TEST_F(Behaviours, B47asOftenAndInWhateverOrderTheyAreAsked) {
  Picky dsp("dsp", {"Relu", "Tanh"});
  npu_ = Picky("npu", {"Abs", "Relu"});
  const ir::Graph g = wired({{"Abs", {0}}, {"Relu", {1}}, {"Tanh", {2}}, {"Sub", {3, 1}}});
  all_ = {&npu_, &dsp, &c_};
  options_.prefer = {"npu", "dsp"};
  const std::string once = regions(g);
  EXPECT_EQ(once, "npu:0,1 dsp:2 c:3");
  EXPECT_EQ(regions(g), once);
  all_ = {&dsp, &npu_, &c_};
  EXPECT_EQ(regions(g), once);
}

TEST_F(Behaviours, B47verdictsSeeInferredTypes) {
  struct OnlyFour final : codegen::Codegen {
    std::string_view id() const override { return "four"; }
    std::string_view version() const override { return "1"; }
    std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
      std::vector<codegen::Verdict> out;
      for (const codegen::Node& n : r.nodes) {
        const codegen::Value& y = r.values[n.outputs[0]];
        const bool yes = y.dtype == DType::f32 && y.elements() == 4;
        out.push_back({yes, yes ? codegen::Reason::none : codegen::Reason::unsupported_shape, yes ? "" : "not four"});
      }
      return out;
    }
    bool compile(const codegen::Request&, codegen::Host&) override { return true; }
  } four;
  all_ = {&four, &c_};
  EXPECT_EQ(regions(parse(R"(input %x : f32[8]
    %a : f32[4], %b : f32[4] = Split.13(%x)
    %c : f32[8] = Abs.13(%x)
    output %a output %b output %c)")),
            "four:0 c:1");
}

TEST_F(Behaviours, B48aDiamondKeepsItsSidesApart) {
  npu_ = Picky("npu", {"Abs", "Relu", "Add"});
  EXPECT_EQ(regions(wired({{"Abs", {0}}, {"Relu", {1}}, {"Tanh", {1}}, {"Add", {2, 3}}})), "npu:0,1 c:2 npu:3");
}

TEST_F(Behaviours, B48theGraphOfTheRfcHasFourRegions) {
  npu_ = Picky("npu", {"Add"});
  const ir::Graph g = wired({{"Add", {0, 0}},
                             {"Add", {0, 0}},
                             {"Add", {1, 2}},
                             {"Sub", {0, 0}},
                             {"Sub", {0, 4}},
                             {"Add", {3, 5}},
                             {"Sub", {0, 6}},
                             {"Add", {0, 6}},
                             {"Add", {7, 8}},
                             {"Add", {0, 9}}});
  place(g);
  std::set<std::pair<std::size_t, Nodes>> found;
  for (const PlacedRegion& r : partition_.regions) found.insert({r.codegen, r.bound.nodes});
  EXPECT_EQ(found, (std::set<std::pair<std::size_t, Nodes>>{{0, {0, 1, 2, 5, 7}}, {1, {3, 4}}, {1, {6}}, {0, {8, 9}}}));
}

TEST_F(Behaviours, B48nothingMergesAroundAnIf) {
  npu_ = Picky("npu", {"Abs", "Add"});
  const ir::Graph g = parse(R"(input %p : bool[]
    input %x : f32[4]
    %a : f32[4] = Abs.13(%x)
    %y : f32[4] = If.13(%p, %a) {then_branch=graph "t" { input %b : f32[4] %r : f32[4] = Tanh.13(%b) output %r },
      else_branch=graph "e" { input %b : f32[4] %r : f32[4] = Tanh.13(%b) output %r }}
    %z : f32[4] = Add.13(%a, %y)
    output %z)");
  EXPECT_EQ(regions(g).substr(0, 11), "npu:0 npu:2");
}

TEST_F(Behaviours, B49bordersNameEachValueOnce) {
  // A value read twice by one node, and one that the model gives out twice.
  ir::Graph g = wired({{"Tanh", {0}}, {"Add", {1, 1}}, {"Abs", {2}}});
  g.outputs = {3, 3, 2};
  EXPECT_EQ(regions(g), "c:0 npu:1,2");
  EXPECT_EQ(region(1).inputs.size(), 1u);
  EXPECT_EQ(region(1).outputs.size(), 2u);
}

TEST_F(Behaviours, B49resultsInTheOrderOfTheGraphAndConstantsInside) {
  place(parse(R"(input %x : f32[6]
    const %k : f32[2] = [1, 2]
    %a : f32[2], %b : f32[2], %c : f32[2] = Split.13(%x)
    %d : f32[2] = Abs.13(%a)
    %e : f32[2] = Add.13(%d, %k)
    output %b output %c output %e)"));
  ASSERT_EQ(partition_.regions.size(), 1u);
  const codegen::Region& r = region(0);
  EXPECT_EQ(r.inputs.size(), 1u);
  ASSERT_EQ(r.outputs.size(), 3u);
  EXPECT_EQ(r.values[r.outputs[0]].name, "b");
  EXPECT_EQ(r.values[r.outputs[1]].name, "c");
  EXPECT_EQ(r.values[r.outputs[2]].name, "e");
  const auto constants = std::count_if(r.values.begin(), r.values.end(), [](const auto& v) { return v.is_constant; });
  EXPECT_EQ(constants, 1);
}

// Patterns over Conv, a bias that is an Add of a constant, a sum, and what follows.
codegen::Pattern pattern(const std::string& name, const std::vector<std::string>& chain) {
  codegen::Pattern out{name, {}};
  for (const std::string& op : chain) {
    const auto before = static_cast<std::int32_t>(out.nodes.size()) - 1;
    PatternNode node{"", op == "bias" || op == "sum" ? "Add" : op, {}};
    node.inputs = {before < 0 ? PatternNode::kAny : before, op == "bias" ? PatternNode::kConstant : PatternNode::kAny};
    out.nodes.push_back(node);
  }
  return out;
}
const codegen::Pattern kBiasRelu = pattern("bias_relu", {"Conv", "bias", "Relu"});
const codegen::Pattern kRelu = pattern("relu", {"Conv", "Relu"});
const codegen::Pattern kBias = pattern("bias", {"Conv", "bias"});
const codegen::Pattern kBiasSigmoid = pattern("bias_sigmoid", {"Conv", "bias", "Sigmoid"});
const codegen::Pattern kSigmoid = pattern("sigmoid", {"Conv", "Sigmoid"});

// Blocks of operators, one after the other; normalisations are folded already, as a bias where they leave one.
ir::Graph blocks(const std::vector<std::string>& ops) {
  std::vector<Wire> wires;
  for (ir::ValueId i = 0; i < ops.size(); ++i) wires.push_back({ops[i] == "bias" ? "Add" : ops[i], {i}});
  ir::Graph g = wired(wires);
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (ops[i] == "bias")
      g.nodes[i].inputs.push_back(g.add_constant("b", g.values[0].type, Blob::own(std::vector<std::byte>(4))));
  return g;
}

TEST_F(Behaviours, B50partitionCounts) {
  const ir::Graph folded = blocks({"Conv", "bias", "Relu", "Conv", "Relu"});
  const ir::Graph with_bias = blocks({"Conv", "bias", "Relu", "Conv", "bias", "Relu"});
  const ir::Graph bare = blocks({"Conv", "Relu", "Conv", "Relu"});
  const ir::Graph sigmoid = blocks({"Conv", "bias", "Sigmoid", "Relu", "Conv", "Sigmoid", "Relu"});
  const ir::Graph bias_sigmoid = blocks({"Conv", "bias", "Sigmoid", "Relu", "Conv", "bias", "Sigmoid", "Relu"});
  struct Case {
    std::vector<codegen::Pattern> patterns;
    const ir::Graph& graph;
    std::size_t expected;
  };
  for (const Case& c : {Case{{kBiasRelu}, folded, 3},
                        {{kRelu}, folded, 4},
                        {{kBiasRelu, kRelu}, folded, 2},
                        {{kBiasRelu, kRelu}, with_bias, 2},
                        {{kRelu}, bare, 2},
                        {{kBiasRelu}, bare, 4},
                        {{kBiasRelu}, sigmoid, 7},
                        {{kBias, kRelu}, bias_sigmoid, 6},
                        {{kBiasSigmoid, kRelu}, sigmoid, 5},
                        {{kBiasSigmoid, kSigmoid}, sigmoid, 4}}) {
    npu_.patterns_ = c.patterns;
    EXPECT_EQ(pieces(c.graph), c.expected) << c.patterns[0].name << " on " << c.graph.nodes.size() << " nodes";
  }
}

TEST_F(Behaviours, B50sumsBehindAConvolution) {
  ir::Graph g = wired({{"Conv", {0}}, {"Add", {1}}, {"Add", {2, 0}}, {"Relu", {3}}});
  g.nodes[1].inputs.push_back(g.add_constant("b", g.values[0].type, Blob::own(std::vector<std::byte>(4))));
  npu_.patterns_ = {pattern("bias_sum", {"Conv", "bias", "sum"})};
  EXPECT_EQ(pieces(g), 2u);
  npu_.patterns_ = {pattern("bias_sum_relu", {"Conv", "bias", "sum", "Relu"})};
  EXPECT_EQ(pieces(g), 1u);
}

TEST_F(Behaviours, B51earlierPatternsFirstAndNoNodeTwice) {
  const ir::Graph g = blocks({"Conv", "bias", "Relu"});
  npu_.patterns_ = {kBias, kBiasRelu};
  EXPECT_EQ(pieces(g), 2u);
  ASSERT_EQ(region(0).groups.size(), 1u);
  EXPECT_EQ(region(0).groups[0].pattern, 0u);
  npu_.patterns_ = {kBiasRelu, kBias};
  EXPECT_EQ(pieces(g), 1u);
  EXPECT_EQ(region(0).groups[0].nodes, (Nodes{0, 1, 2}));
}

TEST_F(Behaviours, B51aMatchMayBeDeclined) {
  struct Declining final : codegen::Codegen {
    std::string_view id() const override { return "npu"; }
    std::string_view version() const override { return "1"; }
    std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
      return std::vector<codegen::Verdict>(r.nodes.size(), {false, codegen::Reason::group, "only in a group"});
    }
    std::span<const codegen::Pattern> patterns() const override { return patterns_; }
    std::vector<codegen::Group> groups(const codegen::Region&, const TargetSpec&,
                                       std::span<const codegen::Match> matches) override {
      std::vector<codegen::Group> out;
      for (const codegen::Match& m : matches)
        if (m.nodes[0] >= from) out.push_back({m.nodes, {true, codegen::Reason::none, {}}, m.pattern});
      return out;
    }
    bool compile(const codegen::Request&, codegen::Host&) override { return true; }
    std::vector<codegen::Pattern> patterns_ = {kRelu};
    codegen::NodeId from = 0;
  } npu;
  all_ = {&npu, &c_};
  const ir::Graph g = blocks({"Conv", "Relu", "Conv", "Relu"});
  EXPECT_EQ(regions(g), "npu:0,1,2,3");
  npu.from = 1;
  EXPECT_EQ(regions(g), "c:0,1 npu:2,3");
}

TEST_F(Behaviours, B51aDiamondWhoseMiddleEscapesIsNotFused) {
  npu_ = Picky("npu", {});
  npu_.patterns_ = {
      {"diamond", {{"", "Conv", {PatternNode::kAny}}, {"", "Relu", {0}}, {"", "Abs", {0}}, {"", "Add", {1, 2}}}}};
  EXPECT_EQ(pieces(wired({{"Conv", {0}}, {"Relu", {1}}, {"Abs", {1}}, {"Add", {2, 3}}})), 1u);
  EXPECT_EQ(pieces(wired({{"Conv", {0}}, {"Relu", {1}}, {"Abs", {1}}, {"Add", {2, 3}}, {"Sub", {4, 2}}})), 0u);
}

}  // namespace
}  // namespace byoc
