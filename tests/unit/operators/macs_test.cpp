// Multiply-accumulates: the registry's formulas against numbers worked out by hand, and against what the steps of the C
// backend state.
#include <gtest/gtest.h>

#include "backends/layers/recorder.hpp"
#include "backends/reference.hpp"
#include "sdk/app/check/random_graph/random_graph.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/ir/macs.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::test {
namespace {

// Of the last node of a graph in the text form, whose shapes are inferred.
std::uint64_t macs_in(const std::string& statements) {
  Diagnostics diags;
  auto graph = ir::parse("graph \"t\" requant=onnx {\n" + statements + "\n}", "t.byoc", diags);
  if (!graph || !infer_shapes(*graph, diags)) {
    for (const Diagnostic& d : diags.all()) ADD_FAILURE() << to_string(d);
    return 0;
  }
  return ir::macs_of(*graph, graph->nodes.back());
}

TEST(Macs, ofConvolutions) {
  const std::string x = "input %x : f32[2,8,6,6] input %w : f32[16,4,3,3] ";
  const std::string deep = "input %x : f32[2,16,6,6] input %w : f32[16,4,3,3] ";
  EXPECT_EQ(macs_in(x + "%y = Conv.11(%x, %w) {group=2} output %y"), 2U * 4 * 4 * 16 * 4 * 9);
  EXPECT_EQ(macs_in("input %x : f32[1,6,6,8] input %w : f32[16,3,3,8] %y = Conv.11(%x, %w) "
                    "{data_layout=\"NHWC\", filter_layout=\"OHWI\"} output %y"),
            4U * 4 * 16 * 8 * 9);
  EXPECT_EQ(macs_in(deep + "%y = ConvTranspose.11(%x, %w) output %y"), 2U * 36 * 16 * 4 * 9);
}

TEST(Macs, ofProducts) {
  EXPECT_EQ(macs_in("input %a : f32[7,5] input %b : f32[7,3] %y = Gemm.13(%a, %b) {transA=1} output %y"), 5U * 3 * 7);
  EXPECT_EQ(macs_in("input %a : f32[2,5,7] input %b : f32[7,3] %y = MatMul.13(%a, %b) output %y"), 2U * 5 * 3 * 7);
  EXPECT_EQ(macs_in("input %a : f32[7] input %b : f32[7] %y = MatMul.13(%a, %b) output %y"), 7U);
  EXPECT_EQ(macs_in("input %a : f32[2,7,5] input %b : f32[2,7,3] %y = byoc.BatchMatMul.1(%a, %b) {adj_x=1} output %y"),
            2U * 5 * 3 * 7);
  EXPECT_EQ(macs_in("input %x : f32[4,6] input %w : f32[5,6] %y = byoc.FullyConnected.1(%x, %w) output %y"),
            4U * 5 * 6);
}

TEST(Macs, ofEinsum) {
  const std::string two = "input %a : f32[2,3,4] input %b : f32[2,4,5] ";
  EXPECT_EQ(macs_in(two + "%y = Einsum.12(%a, %b) {equation=\"bij, bjk -> bik\"} output %y"), 2U * 3 * 4 * 5);
  EXPECT_EQ(macs_in(two + "%y = Einsum.12(%a, %b) {equation=\"bij,bjk\"} output %y"), 3U * 5 * 2 * 4);
  EXPECT_EQ(macs_in(two + "%y = Einsum.12(%a, %b) {equation=\"...ij,...jk->...ik\"} output %y"), 2U * 3 * 4 * 5);
  EXPECT_EQ(macs_in("input %a : f32[3,4] %y = Einsum.12(%a) {equation=\"ij->i\"} output %y"), 0U);
}

TEST(Macs, ofRecurrentLayers) {
  EXPECT_EQ(macs_in("input %x : f32[5,2,3] input %w : f32[1,16,3] input %r : f32[1,16,4] "
                    "%y = LSTM.14(%x, %w, %r) {hidden_size=4} output %y"),
            5U * 2 * 16 * (3 + 4));
  EXPECT_EQ(macs_in("input %x : f32[2,6] input %f : f32[8,6] input %t : f32[8,5] input %s : f32[2,40] "
                    "%y, %n = byoc.SVDF.1(%x, %f, %t, %s) {rank=2} output %y"),
            2U * 8 * (6 + 5));
}

TEST(Macs, ofOthersAndOfUnknownShapesAreNone) {
  EXPECT_EQ(macs_in("input %x : f32[2,3] %y = Relu.14(%x) output %y"), 0U);
  EXPECT_EQ(macs_in("input %x : f32[N,3] input %w : f32[3,2] %y = MatMul.13(%x, %w) output %y"), 0U);
  ir::Graph graph;
  ir::Node node;
  node.op = "Unheard";
  EXPECT_EQ(ir::macs_of(graph, node), 0U);
}

// What the steps of one node state together.
std::uint64_t stated_macs(const codegen::Region& region, codegen::Codegen& backend, const TargetSpec& target) {
  const codegen::Request request{
      .target = target, .objective = Objective::balanced, .internal_header = "one.h", .regions = std::span(&region, 1)};
  layers::Recorder recorder;
  EXPECT_TRUE(backend.compile(request, recorder));
  std::uint64_t macs = 0;
  for (const codegen::Step& s : recorder.steps) macs += s.macs;
  return macs;
}

// How many nodes of `op` in graphs of it were compared.
std::size_t compare_stated(const ir::Operator& op, codegen::Codegen& backend, const TargetSpec& target) {
  constexpr std::uint64_t kGraphs = 12;
  const std::string entry = (op.domain.empty() ? "" : std::string(op.domain) + ".") + std::string(op.name);
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= kGraphs; ++seed) {
    auto made = check::operator_graph(seed, std::span(&entry, 1), backend, target);
    PrepareOptions options;
    options.lift = seed % 2 == 0;  // QLinear operators are what is left without
    Diagnostics diags;
    if (!made || !prepare(made->graph, options, diags)) continue;
    const ir::Graph& graph = made->graph;
    for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
      const plugin::BoundRegion bound = plugin::make_region(graph, std::vector<ir::NodeId>{n}, "one");
      if (!backend.verdicts(bound.region, target).at(0).claimed) continue;
      const std::uint64_t macs = ir::macs_of(graph, graph.nodes[n]);
      EXPECT_EQ(stated_macs(bound.region, backend, target), macs)
          << graph.nodes[n].describe() << " of " << entry << ", seed " << seed << ", for " << target.name;
      if (macs != 0 && graph.nodes[n].is(op.domain, op.name)) ++compared;
    }
  }
  return compared;
}

TEST(Macs, areThoseOfTheCBackendsSteps) {
  Diagnostics diags;
  const auto backend = reference::find("c")->create({});
  for (const char* name : {"host", "cortex-m55"}) {
    const auto target = resolve_target(name, diags);
    ASSERT_TRUE(target);
    for (const ir::Operator& op : ir::operators()) {
      const std::size_t compared = compare_stated(op, *backend, *target);
      EXPECT_EQ(compared != 0, op.macs != ir::no_macs) << op.name << " for " << name;
    }
  }
}

}  // namespace
}  // namespace byoc::test
