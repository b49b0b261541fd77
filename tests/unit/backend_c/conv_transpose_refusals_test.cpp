// What of ConvTranspose the backend refuses, in words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/c/backend.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/support/generated_program.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

struct Transposed {
  std::string x = "i8[1,4,5,2] q(0.5, 1)", w = "i8[3,3,2,2] q(0.5, 0)", bias = "i32[3]";
  std::string y = "i8[1,9,6,3] q(0.5, 0)";
  std::string layout = "data_layout=\"NHWC\", filter_layout=\"OHWI\"";
  std::string attributes = "kernel_shape=[3, 2], strides=[2, 1], dilations=[1, 1], pads=[0, 0, 0, 0]";
  std::string weights = "input";  // how they are declared
};

// The verdict on a node that is changed first: "claimed", or why not.
template <class F>
std::string transposed_verdict(F&& change, const std::string& mode = "tflite") {
  Transposed t;
  change(t);
  Diagnostics diags;
  const auto graph =
      ir::parse("graph \"t\" requant=" + mode + " {\ninput %x : " + t.x + " input %b : " + t.bias + " " + t.weights +
                    " %w : " + t.w + (t.weights == "const" ? " = zeros" : "") + " %y : " + t.y +
                    " = ConvTranspose.18(%x, %w, %b) {" + t.layout + ", " + t.attributes + "} output %y\n}",
                "t.byoc", diags);
  EXPECT_TRUE(graph) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  if (!graph) return "";
  const plugin::BoundRegion bound = plugin::make_region(*graph);
  const codegen::Verdict v = c::create_backend()->verdicts(bound.region, host_machine().target)[0];
  return v.claimed ? "claimed" : v.text;
}

void make_float_transposed(Transposed& t) {
  t.x = "f32[1,4,5,2]", t.w = "f32[3,3,2,2]", t.bias = "f32[3]", t.y = "f32[1,9,6,3]";
}

TEST(ConvTransposeRefusals, quantised) {
  EXPECT_EQ(transposed_verdict([](auto&) {}), "claimed");
  EXPECT_THAT(transposed_verdict([](auto&) {}, "onnx"),
              HasSubstr("found a quantised model of ONNX, expected TFLite's"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.x = "u8[1,4,5,2] q(0.5, 1)"; }),
              HasSubstr("found u8, expected i8 or i16"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.y = "i16[1,9,6,3] q(0.5, 0)"; }),
              HasSubstr("found i16, expected i8"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.w = "u8[3,3,2,2] q(0.5, 0)"; }),
              HasSubstr("found u8, expected weights of i8"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.w = "i4[3,3,2,2] q(0.5, 0)", t.weights = "const"; }),
              HasSubstr("found i4, expected weights of i8"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.w = "i8[3,3,2,2] q(axis=3, [0.5, 0.5], [0, 0])"; }),
              HasSubstr("weights: found 2 scales on axis 3"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.w = "i8[3,3,2,2] q(axis=0, [0.5, 0.5, 0.5], [0, 1, 0])"; }),
              HasSubstr("weights: found several zero points, expected one"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.w = "i8[3,2,3,2] q(0.5, 0)"; }),
              HasSubstr("found weights [3,2,3,2], which do not fit"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.bias = "i32[2]"; }), HasSubstr("bias: found shape [2]"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.y = "i8[1,9,6,3] q(1e-15, 0)"; }),
              HasSubstr("found an output multiplier"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.layout = "group=1"; }),
              HasSubstr("found data_layout NCHW and filter_layout IOHW with 2 spatial dims, expected NHWC and OHWI"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.attributes += ", group=2"; }),
              HasSubstr("found groups or dilations"));
  EXPECT_THAT(
      transposed_verdict([](Transposed& t) { t.attributes = "kernel_shape=[3, 2], strides=[2, 1], dilations=[1, 3]"; }),
      HasSubstr("found groups or dilations"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.attributes = "kernel_shape=[3, 2], strides=[2147483647, 1]"; }),
              HasSubstr("found a kernel and a stride, or a size and a pad, of together 2^31 or more"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.attributes = "strides=[2, 1]"; }),
              HasSubstr("kernel_shape is missing"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { t.attributes += ", activation=\"gelu\""; }),
              HasSubstr("found activation gelu"));
}

TEST(ConvTransposeRefusals, floats) {
  EXPECT_EQ(transposed_verdict(make_float_transposed), "claimed");
  EXPECT_THAT(transposed_verdict([](Transposed& t) { make_float_transposed(t), t.layout = "filter_layout=\"OIHW\""; }),
              HasSubstr("found filter_layout OIHW, expected IOHW or OHWI"));
  EXPECT_THAT(
      transposed_verdict([](Transposed& t) { make_float_transposed(t), t.attributes += ", activation=\"gelu\""; }),
      HasSubstr("found activation gelu"));
  EXPECT_THAT(transposed_verdict([](Transposed& t) { make_float_transposed(t), t.w = "f32[3,3,2,1]"; }),
              HasSubstr("found weights [3,3,2,1]"));
}

}  // namespace
}  // namespace byoc::test
