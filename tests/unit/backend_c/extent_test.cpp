// Lengths that only a run knows, in the text of C.
#include "backends/c/lower/step/extent.hpp"

#include <gtest/gtest.h>

#include "backends/c/lower/step/view.hpp"

namespace byoc::c {
namespace {

Extent dim(int i) { return Extent::expression("dims[" + std::to_string(i) + "]"); }

TEST(Extent, isANumberOrAProduct) {
  EXPECT_EQ((Extent(3) * 4).text(), "12");
  EXPECT_EQ((Extent(3) * dim(1) * 4 * dim(0)).text(), "dims[0] * dims[1] * 12");
  EXPECT_EQ(dim(0).text(), "dims[0]");
  EXPECT_EQ((dim(0) * -2).text(), "dims[0] * (-2)");
  EXPECT_EQ(dim(0) * 0, Extent(0));
  EXPECT_EQ((dim(0) * 2 + 3).text(), "(dims[0] * 2 + 3)");
  EXPECT_EQ(dim(0) + 0, dim(0));
  EXPECT_EQ(Extent(2) + 3, Extent(5));
}

TEST(Extent, valuesHaveDimsOfTheirRegion) {
  codegen::Value v;
  v.dims = {-2, 3, -1};
  EXPECT_TRUE(is_open(v));
  EXPECT_EQ(elements(v).text(), "dims[0] * dims[1] * 3");
  EXPECT_EQ(dense_strides(extents(v))[0].text(), "dims[0] * 3");
}

TEST(Extent, broadcastsWhereALengthMayBeOne) {
  const Extents steps = broadcast_strides({dim(0), 1, 4}, {dim(1), dim(2), 4});
  EXPECT_EQ(steps[0].text(), "(dims[0] != 1) * 4");
  EXPECT_EQ(steps[1], Extent(0));
  EXPECT_EQ(steps[2], Extent(1));
  EXPECT_EQ(broadcast_strides({dim(0), 4}, {dim(0), 4})[0], Extent(4));
}

TEST(Extent, joinsWhatIsKnownToBeOneRun) {
  const Extents dims{dim(0), dim(1), 4};
  const LoopNest whole = merge({dims, {dense_strides(dims), dense_strides(dims)}});
  ASSERT_EQ(whole.dims.size(), 1u);
  EXPECT_EQ(whole.dims[0].text(), "dims[0] * dims[1] * 4");
  const LoopNest rows = merge({dims, {dense_strides(dims), broadcast_strides({4}, dims)}});
  ASSERT_EQ(rows.dims.size(), 2u);
  EXPECT_EQ(rows.dims[0].text(), "dims[0] * dims[1]");
}

}  // namespace
}  // namespace byoc::c
