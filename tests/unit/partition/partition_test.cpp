#include "sdk/partition/partition.hpp"

#include <gtest/gtest.h>

#include <set>

namespace byoc {
namespace {

class Picky final : public codegen::Codegen {
 public:
  Picky(std::string id, std::set<std::string> ops) : id_(std::move(id)), ops_(std::move(ops)) {}
  std::string_view id() const override { return id_; }
  std::string_view version() const override { return "1"; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    std::vector<codegen::Verdict> out;
    for (const codegen::Node& n : r.nodes)
      out.push_back(ops_.contains(n.op) ? codegen::Verdict{true, codegen::Reason::none, {}}
                                        : codegen::Verdict{false, codegen::Reason::unsupported_op, "no " + n.op});
    return out;
  }
  bool compile(const codegen::Request&, codegen::Host&) override { return true; }

 private:
  std::string id_;
  std::set<std::string> ops_;
};

ir::Graph chain(const std::vector<std::string>& ops) {
  ir::Graph g;
  g.name = "chain";
  for (std::size_t i = 0; i <= ops.size(); ++i) {
    ir::Value v;
    v.type.dtype = DType::f32;
    v.type.dims = {1};
    g.add_value(v);
  }
  for (ir::ValueId i = 0; i < ops.size(); ++i) {
    ir::Node n;
    n.op = ops[i];
    n.inputs = {i};
    n.outputs = {i + 1};
    g.add_node(n);
  }
  g.inputs = {0};
  g.outputs = {static_cast<ir::ValueId>(ops.size())};
  return g;
}

TEST(Partition, givesNodesToTheFirstThatClaimsThem) {
  const ir::Graph g = chain({"A", "B", "B", "A"});
  Picky npu("npu", {"B"});
  Picky c("c", {"A", "B"});
  codegen::Codegen* const all[] = {&npu, &c};
  Diagnostics diags;
  auto regions = partition(g, all, {}, diags);
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->size(), 3u);
  EXPECT_EQ((*regions)[1].codegen, 0u);
  EXPECT_EQ((*regions)[1].bound.nodes, (std::vector<ir::NodeId>{1, 2}));
}

TEST(Partition, saysWhyNobodyTakesANode) {
  const ir::Graph g = chain({"A", "C"});
  Picky npu("npu", {"B"});
  Picky c("c", {"A"});
  codegen::Codegen* const all[] = {&npu, &c};
  Diagnostics diags;
  EXPECT_FALSE(partition(g, all, {}, diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_NE(to_string(diags.all()[0]).find("no codegen takes it: npu: no C; c: no C"), std::string::npos);
}

}  // namespace
}  // namespace byoc
