// Products as sizes and strides.
#include "byoc/nodes/matmul.hpp"

#include <gtest/gtest.h>

#include "tests/unit/nodes/node_bench.hpp"

namespace byoc::nodes {
namespace {

using List = std::vector<std::int64_t>;
using Batch = std::array<std::int64_t, kMatMulBatchRank>;

std::optional<MatMul> product(List a, List b, std::string& why) {
  NodeBench bench("MatMul");
  bench.input(DType::f32, std::move(a));
  bench.input(DType::f32, std::move(b));
  return read_matmul(bench.region, bench.node, 0, 1, why);
}

TEST(ReadMatMul, matrices) {
  std::string why;
  const auto m = product({2, 3}, {3, 5}, why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ((List{m->rows, m->depth, m->columns}), (List{2, 3, 5}));
  EXPECT_EQ((List{m->a_row, m->a_depth, m->b_depth, m->b_column}), (List{3, 1, 5, 1}));
}

TEST(ReadMatMul, vectorsAreARowOrAColumn) {
  std::string why;
  EXPECT_EQ(product({3}, {3, 5}, why)->rows, 1);
  EXPECT_EQ(product({2, 3}, {3}, why)->columns, 1);
}

TEST(ReadMatMul, batchDimsThatBothWalkAsOneAreOne) {
  std::string why;
  const auto m = product({4, 6, 2, 3}, {4, 6, 3, 5}, why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ(m->batch, (Batch{1, 1, 1, 24}));
  EXPECT_EQ(m->a_batch[3], 6);
  EXPECT_EQ(m->b_batch[3], 15);
}

TEST(ReadMatMul, broadcastDimsHaveStepZero) {
  std::string why;
  const auto m = product({4, 1, 2, 3}, {6, 3, 5}, why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ(m->batch, (Batch{1, 1, 4, 6}));
  EXPECT_EQ(m->a_batch, (Batch{0, 0, 6, 0}));
  EXPECT_EQ(m->b_batch, (Batch{0, 0, 0, 15}));
}

TEST(ReadMatMul, refusals) {
  std::string why;
  EXPECT_FALSE(product({}, {3}, why));
  EXPECT_EQ(why, "found operands [] and [3], expected no scalars");
  EXPECT_FALSE(product({2, 3}, {4, 5}, why));
  EXPECT_EQ(why, "found operands [2,3] and [4,5], whose inner dims differ");
  EXPECT_FALSE(product({2, 2, 3}, {3, 3, 5}, why));
  EXPECT_EQ(why, "found operands [2,2,3] and [3,3,5], whose batch dims do not broadcast");
  EXPECT_FALSE(product({2, 1, 2, 1, 2, 1, 3}, {1, 2, 1, 2, 1, 3, 1}, why));
  EXPECT_EQ(why, "found operands [2,1,2,1,2,1,3] and [1,2,1,2,1,3,1], expected at most 4 runs of batch dims");
}

TEST(ReadGemm, readsTransposedOperandsAndC) {
  NodeBench b("Gemm");
  b.input(DType::f32, {3, 2});
  b.input(DType::f32, {5, 3});
  b.input(DType::f32, {5});
  b.set("transA", std::int64_t{1}).set("transB", std::int64_t{1}).set("alpha", 0.5F);
  std::string why;
  const auto m = read_gemm(b.region, b.node, why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ((List{m->rows, m->depth, m->columns}), (List{2, 3, 5}));
  EXPECT_EQ((List{m->a_row, m->a_depth, m->b_depth, m->b_column}), (List{1, 2, 1, 3}));
  EXPECT_EQ((List{m->c_row, m->c_column}), (List{0, 1}));
  EXPECT_EQ(m->alpha, 0.5F);
}

TEST(ReadGemm, refusals) {
  NodeBench vectors("Gemm");
  vectors.input(DType::f32, {3});
  vectors.input(DType::f32, {3, 5});
  std::string why;
  EXPECT_FALSE(read_gemm(vectors.region, vectors.node, why));
  EXPECT_EQ(why, "found operands [3] and [3,5], expected two matrices");
  NodeBench bias("Gemm");
  bias.input(DType::f32, {2, 3});
  bias.input(DType::f32, {3, 5});
  bias.input(DType::f32, {4});
  EXPECT_FALSE(read_gemm(bias.region, bias.node, why));
  EXPECT_EQ(why, "found a C of [4], expected one that broadcasts to [2,5]");
}

TEST(RowsByMatrix, ofEachOperator) {
  NodeBench fc("FullyConnected");
  fc.input(DType::i8, {2, 3, 4});
  fc.input(DType::i8, {5, 12});
  const RowsByMatrix f = read_fully_connected(fc.region, fc.node);
  EXPECT_EQ((List{f.rows, f.depth, f.units}), (List{2, 12, 5}));
  EXPECT_EQ(f.unit_axis, 0U);

  NodeBench gemm("Gemm");
  gemm.input(DType::i8, {2, 12});
  gemm.input(DType::i8, {12, 5});
  const RowsByMatrix g = read_gemm_rows(gemm.region, gemm.node);
  EXPECT_EQ((List{g.rows, g.depth, g.units}), (List{2, 12, 5}));
  EXPECT_EQ(g.unit_axis, 1U);

  const RowsByMatrix m = rows_by_matrix(fc.region.values[0], gemm.region.values[1]);
  EXPECT_EQ((List{m.rows, m.depth, m.units}), (List{0, 0, 0}));
}

}  // namespace
}  // namespace byoc::nodes
