// Operators on quantised tensors that nobody takes are left as the model has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/codegen/partition/report.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/unit/partition/placing.hpp"

namespace byoc {
namespace {

using testing::HasSubstr;

// Takes every operator on values of these element types.
class ByType final : public codegen::Codegen {
 public:
  ByType(std::string id, std::vector<DType> types) : id_(std::move(id)), types_(std::move(types)) {}
  std::string_view id() const override { return id_; }
  std::string_view version() const override { return "1"; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    ++asked;
    std::vector<codegen::Verdict> out;
    for (const codegen::Node& n : r.nodes) {
      const DType type = r.values[n.inputs[0]].dtype;
      const bool takes = std::find(types_.begin(), types_.end(), type) != types_.end();
      // What quantises and dequantises is for everybody.
      if (takes || n.op == "Quantize" || n.op == "Dequantize")
        out.push_back({true, codegen::Reason::none, {}});
      else
        out.push_back({false, codegen::Reason::unsupported_dtype, "no " + std::string(to_string(type))});
    }
    return out;
  }
  bool compile(const codegen::Request&, codegen::Host&) override { return true; }

  int asked = 0;

 private:
  std::string id_;
  std::vector<DType> types_;
};

// Two layers on i16: a Conv and, behind it, a Sigmoid; in a branch if asked for.
ir::Graph prepared() {
  Diagnostics diags;
  auto g = ir::parse(R"(graph "t" requant=onnx symbols=[] {
    const %s : f32[] = [0.5]
    const %z : i16[] = [0]
    const %wz : i8[] = [0]
    const %w : i8[1,1,1,1,1] = [7]
    input %x "x" : i16[1,1,1,2,2]
    %fx : f32[1,1,1,2,2] = DequantizeLinear.13(%x, %s, %z) @"dq0" #0
    %fw : f32[1,1,1,1,1] = DequantizeLinear.13(%w, %s, %wz) @"dq1" #1
    %c : f32[1,1,1,2,2] = Conv.13(%fx, %fw) {kernel_shape=[1, 1, 1]} @"conv" #2
    %q : i16[1,1,1,2,2] = QuantizeLinear.13(%c, %s, %z) @"q0" #3
    %fq : f32[1,1,1,2,2] = DequantizeLinear.13(%q, %s, %z) @"dq2" #4
    %r : f32[1,1,1,2,2] = Sigmoid.13(%fq) @"sigmoid" #5
    %y "y" : i16[1,1,1,2,2] = QuantizeLinear.13(%r, %s, %z) @"q1" #6
    output %y
  })",
                     "t.byoc", diags);
  EXPECT_TRUE(g);
  EXPECT_TRUE(prepare(*g, {}, diags));
  return std::move(*g);
}

std::string owners(const ir::Graph& graph, const Partition& p, std::span<codegen::Codegen* const> codegens) {
  const ir::Graph& placed = graph_of(p, graph);
  std::string out;
  for (std::size_t n = 0; n < placed.nodes.size(); ++n)
    out += placed.nodes[n].op + ":" + std::string(codegens[p.nodes[n].codegen]->id()) + " ";
  return out;
}

TEST(LeftLiteral, aVendorThatTakesThemSeesThemLifted) {
  ByType vendor("npu", {DType::i16}), c("c", {DType::f32});
  std::vector<codegen::Codegen*> all = {&vendor, &c};
  const ir::Graph g = prepared();
  Diagnostics diags;
  const auto p = make_partition(g, all, {}, {}, diags);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->graph, nullptr);
  EXPECT_TRUE(p->literal.empty());
  EXPECT_EQ(owners(g, *p, all), "Conv:npu Sigmoid:npu ");
  EXPECT_EQ(vendor.asked, 1);
}

TEST(LeftLiteral, whatNobodyTakesGoesBack) {
  ByType c("c", {DType::f32});
  std::vector<codegen::Codegen*> all = {&c};
  const ir::Graph g = prepared();
  Diagnostics diags;
  const auto p = make_partition(g, all, {}, {}, diags);
  ASSERT_TRUE(p);
  ASSERT_NE(p->graph, nullptr);
  EXPECT_EQ(owners(g, *p, all), "Dequantize:c Conv:c Quantize:c Dequantize:c Sigmoid:c Quantize:c ");
  ASSERT_EQ(p->literal.size(), 2u);
  EXPECT_EQ(p->literal[0].node, "Conv 'conv' (#2)");
  EXPECT_EQ(p->literal[0].refusals, std::vector<std::string>{"no i16"});
  EXPECT_EQ(c.asked, 2);
  const ir::Graph& placed = graph_of(*p, g);
  EXPECT_THAT(partition_json(placed, all, {}, *p),
              HasSubstr("\"left_literal\": [\n    {\n      \"node\": \"Conv 'conv' (#2)\""));
  EXPECT_THAT(partition_html(placed, all, {}, *p), HasSubstr("Conv 'conv' (#2)</details></td><td>no i16"));
}

TEST(LeftLiteral, onlyThoseThatNobodyTakes) {
  Picky conv("npu", {"Conv"});
  ByType c("c", {DType::f32});
  std::vector<codegen::Codegen*> all = {&conv, &c};
  const ir::Graph g = prepared();
  Diagnostics diags;
  const auto p = make_partition(g, all, {}, {}, diags);
  ASSERT_TRUE(p);
  EXPECT_EQ(owners(g, *p, all), "Conv:npu Dequantize:c Sigmoid:c Quantize:c ");
}

TEST(LeftLiteral, aNodeThatNobodyTakesEitherWayIsAnErrorWithEverybodysReasons) {
  ByType c("c", {DType::i8});
  std::vector<codegen::Codegen*> all = {&c};
  Diagnostics diags;
  EXPECT_FALSE(make_partition(prepared(), all, {}, {}, diags));
  EXPECT_THAT(
      to_string(diags.all().front()),
      HasSubstr(
          "'Conv 'conv' (#2)': no codegen supports operator Conv: c: no f32 (expected --executor vm, on a host)"));
}

}  // namespace
}  // namespace byoc
