// The work that is stated before anything is computed, and its growth.
#include "sdk/model/evaluate/effort.hpp"

#include "sdk/model/evaluate/images/image.hpp"
#include "sdk/model/evaluate/value.hpp"
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

using evaluate::Effort;

// The effort of the last node, with the constants it reads.
Effort stated_effort(const std::string& statements) {
  Diagnostics diags;
  const auto graph = ir::parse(graph_text(statements), "t.byoc", diags);
  EXPECT_TRUE(graph) << all_errors(diags);
  if (!graph) return {};
  const ir::Node& node = graph->nodes.back();
  std::vector<evaluate::Tensor> tensors(node.inputs.size());
  std::vector<const evaluate::Tensor*> operands(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Value& v = graph->values[node.inputs[i]];
    if (!v.constant) continue;
    tensors[i] = {v.type, v.constant->bytes};
    operands[i] = &tensors[i];
  }
  return evaluate::effort_of(*graph, node, operands);
}

// `trees` roots in a chain of `depth` nodes.
std::string trees(int rows, int roots, int depth) {
  const auto text = [](int n) { return std::to_string(n); };
  std::string nodes;
  for (int n = 0; n < depth; ++n)
    nodes += (n == 0 ? "0, 0, " : ", 0, 0, ") + text(n + 1 == depth ? -1 : n + 1) + ", -1";
  return "const %x : f32[" + text(rows) + ",1] = splat(0) const %s : f32[" + text(depth) +
         "] = splat(1) const %n : i64[" + text(4 * depth) + "] = [" + nodes + "] const %r : i64[" + text(roots) +
         "] = splat(0) const %f : i64[2] = [0, 1] const %t : i64[1] = [0] const %w : f32[1] = [1] %y : f32[" +
         text(rows) + ",1] = byoc.TreeEnsemble.1(%x, %s, %n, %r, %f, %t, %w) output %y";
}

TEST(Effort, treesTakeRowsTimesRootsTimesDepth) {
  const double one = stated_effort(trees(10, 4, 6)).operations;
  EXPECT_GE(one, 10 * 4 * 6);
  EXPECT_DOUBLE_EQ(stated_effort(trees(20, 4, 6)).operations, 2 * one);
  EXPECT_DOUBLE_EQ(stated_effort(trees(10, 8, 6)).operations, 2 * one);
  EXPECT_GT(stated_effort(trees(10, 4, 12)).operations, 1.5 * one);
  EXPECT_GE(stated_effort(trees(8'000'000, 500, 3)).operations, 1e10);
}

TEST(Effort, picturesTakeTheirPixels) {
  const auto size = [](const std::string& header) {
    return evaluate::size_of_picture({reinterpret_cast<const std::uint8_t*>(header.data()), header.size()});
  };
  ASSERT_TRUE(size("P6 3 2 255\n"));
  EXPECT_EQ(size("P6 3 2 255\n")->width, 3);
  EXPECT_EQ(size("P6 3 2 255\n")->height, 2);
  EXPECT_FALSE(size("P6 0 2 255\n"));
  EXPECT_FALSE(size("P6 999999 999999 255\n"));
  EXPECT_FALSE(size("no picture"));
  EXPECT_FALSE(size(""));
}

// Repeated strings are counted before they are there: the error names both numbers.
TEST(Effort, aRunRefusesStringsThatTakeTooMuch) {
  EXPECT_THAT(error_of("const %x : string[1] = [\"" + std::string(4000, 'a') +
                       "\"] const %s : i64[1] = [100000000] %y : string[100000000] = Expand.13(%x, %s) output %y"),
              HasSubstr("takes more memory to compute than a node may (found 403200004032 bytes, expected at most "
                        "8589934592)"));
}

TEST(Effort, nothingIsSaidOfWhatResultsTell) {
  const Effort add = stated_effort("const %x : f32[4] = splat(1) %y : f32[4] = Add.14(%x, %x) output %y");
  EXPECT_EQ(add.operations, 0);
  EXPECT_EQ(add.bytes, 0);
}

}  // namespace
}  // namespace byoc::test
