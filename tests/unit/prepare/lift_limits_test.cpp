// What lifting leaves real because integer operators do not compute it.
#include "tests/unit/prepare/lifting.hpp"

namespace byoc {
namespace {

using test::HasSubstr;
using test::lifted;

TEST(LiftLimits, maximaOfPaddingAloneStayReal) {
  const auto pooled = [](const std::string& attributes) {
    return lifted(R"(
    input %x "x" : i8[1,1,1]
    %f : f32[1,1,1] = DequantizeLinear.13(%x, %half, %z3)
    %r : f32[1,1,1] = MaxPool.12(%f) {kernel_shape=[2], )" +
                  attributes + R"(}
    %y : i8[1,1,1] = QuantizeLinear.13(%r, %quarter, %z0)
    output %y)");
  };
  EXPECT_THAT(pooled("pads=[1, 0]"), HasSubstr("i8[1,1,1] q(0.5, 3) = MaxPool"));
  EXPECT_THAT(pooled("pads=[1, 1], dilations=[2]"), HasSubstr("f32[1,1,1] = MaxPool"));
}

}  // namespace
}  // namespace byoc
