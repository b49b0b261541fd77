#include "byoc/nodes/operand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "byoc/nodes/verdict.hpp"
#include "tests/unit/nodes/node_bench.hpp"

namespace byoc::nodes {
namespace {

using testing::ElementsAre;

TEST(Operand, mayBeAbsent) {
  NodeBench b("Conv");
  b.input(DType::f32, {2});
  b.none();
  EXPECT_EQ(given_input(b.region, b.node, 0), &b.region.values[0]);
  EXPECT_EQ(given_input(b.region, b.node, 1), nullptr);
  EXPECT_EQ(given_input(b.region, b.node, 2), nullptr);
}

TEST(Operand, hasAShape) {
  NodeBench b("Add");
  const codegen::Value x = b.input(DType::f32, {1, 3}), y = b.input(DType::f32, {2, 5, 3}), s = b.input(DType::f32, {});
  EXPECT_EQ(shape_text(y), "[2,5,3]");
  EXPECT_EQ(shape_text(s), "[]");
  EXPECT_THAT(row_major_strides(y.dims), ElementsAre(15, 3, 1));
  EXPECT_TRUE(broadcasts_to(x, y));
  EXPECT_TRUE(broadcasts_to(s, y));
  EXPECT_FALSE(broadcasts_to(y, x));
  EXPECT_FALSE(broadcasts_to(b.input(DType::f32, {2}), y));
}

TEST(Operand, hasElements) {
  NodeBench b("Add");
  EXPECT_THAT(constant_elements<float>(b.constant<float>(DType::f32, {2}, {1, 2})), ElementsAre(1, 2));
  EXPECT_TRUE(constant_elements<float>(b.constant<float>(DType::f32, {0}, {})).empty());
}

TEST(Verdicts, areShort) {
  EXPECT_TRUE(claim().claimed);
  const codegen::Verdict no = refuse_dtype(DType::i16, "f32");
  EXPECT_FALSE(no.claimed);
  EXPECT_EQ(no.reason, codegen::Reason::unsupported_dtype);
  EXPECT_EQ(no.text, "found i16, expected f32");
}

}  // namespace
}  // namespace byoc::nodes
