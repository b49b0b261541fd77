// byoc.Expect through all layers: x as it is where a run finds the numbers that the model was made for.
#include <gmock/gmock.h>

#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

constexpr char kNode[] = "%y : f32[3] = byoc.Expect.1(%x, %found) {expected=[7, -2]} output %y";

TEST(Expect, isEvaluated) {
  Diagnostics diags;
  const auto graph =
      ir::parse(std::string("graph \"t\" requant=tflite { input %x : f32[3] input %found : i32[2] ") + kNode + "}",
                "t.byoc", diags);
  ASSERT_TRUE(graph);
  const auto run = [&](std::vector<std::int32_t> found) {
    const auto bytes = [](const auto& v) {
      const auto b = std::as_bytes(std::span(v));
      return Blob::own({b.begin(), b.end()});
    };
    const std::vector<evaluate::Tensor> inputs = {
        {graph->values[graph->inputs[0]].type, bytes(std::vector<float>{1, 2, 3})},
        {graph->values[graph->inputs[1]].type, bytes(found)}};
    return static_cast<bool>(evaluate::run(*graph, inputs, diags));
  };
  EXPECT_TRUE(run({7, -2}));
  EXPECT_FALSE(run({7, -3}));
  EXPECT_THAT(to_string(diags.all().back()),
              HasSubstr("the model was made for other numbers (found [7,-3], expected [7,-2])"));
}

TEST(Expect, isCompiled) {
  for (const char* type : {"i32", "i64"}) {
    const std::string statements = std::string("input %x : f32[3] input %found : T[2] ") + kNode;
    EXPECT_EQ(TextBench(statements, type).give("found", {7, -2}).check(host_machine()), "") << type;
    EXPECT_NE(TextBench(statements, type).give("found", {7, 2}).run(host_machine()), "") << type;
  }
  const std::string opened =
      "input %x : f32[3] input %found : i32[2] %y : f32[3] = byoc.Expect.1(%x, %found) {expected=[7, 2], open=[1]} "
      "output "
      "%y";
  for (const auto& [first, second] : std::vector<std::pair<int, int>>{{7, 2}, {7, 0}, {7, -3}, {6, 2}, {6, 3}})
    EXPECT_EQ(TextBench(opened).give("found", {first, second}).check(host_machine()), "") << first << " " << second;
  EXPECT_NE(TextBench(opened).give("found", {7, 3}).run(host_machine()), "");
  EXPECT_THAT(TextBench(opened).give("found", {7, 3}).check(host_machine()), HasSubstr("evaluator: "));
  EXPECT_THAT(TextBench(std::string("input %x : f32[3] const %found : i64[2] = [7, -2] ") + kNode).refusal(),
              HasSubstr("found a constant, expected what only a run tells"));
  EXPECT_THAT(TextBench(std::string("input %x : f32[3] input %found : f32[2] ") + kNode).refusal(),
              HasSubstr("i32 or i64"));
  EXPECT_THAT(TextBench(std::string("input %x : f32[3] input %found : i32[3] ") + kNode).refusal(),
              HasSubstr("found 3 numbers, expected as many as the attribute expected has"));
}

TEST(Expect, goesWhereTheNumbersAreKnown) {
  Diagnostics diags;
  auto graph = ir::parse(
      std::string("graph \"t\" requant=tflite { input %x : f32[3] const %found : i64[2] = [7, -2] ") + kNode + "}",
      "t.byoc", diags);
  ASSERT_TRUE(graph && prepare(*graph, {}, diags));
  ASSERT_EQ(graph->nodes.size(), 1U);
  EXPECT_EQ(graph->nodes[0].op, "Identity");  // what is given out is a copy of the input
}

}  // namespace
}  // namespace byoc::test
