// CONV_3D, CONV_3D_TRANSPOSE, LOCAL_RESPONSE_NORMALIZATION, segments, diagonals, BITCAST,
// RFFT2D, RANK: what they become, and what
// they refuse. tests/e2e/layers has what they compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Code = BuiltinOperator;

schema::Conv3DOptionsT steps() {
  schema::Conv3DOptionsT o;
  o.padding = Padding::VALID;
  o.stride_d = 1, o.stride_h = 2, o.stride_w = 3;
  return o;
}

TfliteWriter conv_3d() {
  TfliteWriter w;
  w.add("x", kF32, {1, 4, 5, 7, 6});
  w.add("f", kF32, {2, 1, 1, 3, 4});
  w.add("b", kF32, {4});
  w.add("y", kF32, {1, 3, 3, 3, 4});
  w.add_operator(Code::CONV_3D, {0, 1, 2}, {3}, steps());
  w.boundary({0, 1, 2}, {3});
  return w;
}

TfliteWriter conv_3d_transpose() {
  TfliteWriter w;
  w.constant("shape", kI32, {5}, std::vector<std::int32_t>{1, 4, 5, 7, 6});
  w.add("f", kF32, {2, 1, 1, 6, 4});
  w.add("x", kF32, {1, 3, 3, 3, 4});
  w.add("y", kF32, {1, 4, 5, 7, 6});
  w.add_operator(Code::CONV_3D_TRANSPOSE, {0, 1, 2}, {3}, steps());
  w.boundary({1, 2}, {3});
  return w;
}

TfliteWriter normalised() {
  TfliteWriter w;
  w.add("x", kF32, {1, 2, 3, 4});
  w.add("y", kF32, {1, 2, 3, 4});
  schema::LocalResponseNormalizationOptionsT o;
  o.radius = 2, o.bias = 1, o.alpha = 0.5F, o.beta = 0.75F;
  w.add_operator(Code::LOCAL_RESPONSE_NORMALIZATION, {0}, {1}, o);
  w.boundary({0}, {1});
  return w;
}

TfliteWriter segment_operands() {
  TfliteWriter w;
  w.add("x", kF32, {3, 2});
  w.constant("ids", kI32, {3}, std::vector<std::int32_t>{0, -1, 1});
  w.constant("count", kI32, {}, std::vector<std::int32_t>{2});
  w.add("y", kF32, {2, 2});
  w.boundary({0}, {3});
  return w;
}

TfliteWriter segments() {
  TfliteWriter w = segment_operands();
  w.add_operator(Code::UNSORTED_SEGMENT_MAX, {0, 1, 2}, {3}, schema::UnsortedSegmentMaxOptionsT());
  return w;
}

TfliteWriter segment_sum() {
  TfliteWriter w = segment_operands();
  const std::int32_t ids[] = {0, 0, 1};
  std::memcpy(w.model.buffers[w.tensor(1).buffer]->data.data(), ids, sizeof ids);
  w.add_operator(Code::SEGMENT_SUM, {0, 1}, {3}, schema::SegmentSumOptionsT());
  return w;
}

TfliteWriter diagonals() {
  TfliteWriter w;
  w.add("x", kF32, {2, 3, 4});
  w.add("d", kF32, {2, 3});
  w.add("y", kF32, {2, 3, 4});
  w.add_operator(Code::MATRIX_SET_DIAG, {0, 1}, {2}, schema::MatrixSetDiagOptionsT());
  w.boundary({0, 1}, {2});
  return w;
}

TfliteWriter matrix_diag() {
  TfliteWriter w;
  w.add("x", kF32, {2, 3});
  w.add("y", kF32, {2, 3, 3});
  w.add_operator(Code::MATRIX_DIAG, {0}, {1}, schema::MatrixDiagOptionsT());
  w.boundary({0}, {1});
  return w;
}

TfliteWriter bitcast() {
  TfliteWriter w;
  w.add("x", kF32, {2});
  w.add("y", kI32, {2});
  w.add_operator(Code::BITCAST, {0}, {1}, schema::BitcastOptionsT());
  w.boundary({0}, {1});
  return w;
}

TfliteWriter spectrum() {
  TfliteWriter w;
  w.add("x", kF32, {3, 1, 7});
  w.constant("lengths", kI32, {2}, std::vector<std::int32_t>{1, 8});
  w.add("c", TensorType::COMPLEX64, {3, 1, 5});
  w.add("d", TensorType::COMPLEX64, {3, 5});
  w.add("y", kF32, {3, 5});
  w.add_operator(Code::RFFT2D, {0, 1}, {2}, schema::Rfft2dOptionsT());
  w.add_operator(Code::SQUEEZE, {2}, {3}, schema::SqueezeOptionsT());
  w.add_operator(Code::COMPLEX_ABS, {3}, {4});
  w.boundary({0}, {4});
  return w;
}

TfliteWriter rank() {
  TfliteWriter w;
  w.add("x", kF32, {2, 5, 3});
  w.add("y", kI32, {});
  w.add_operator(Code::RANK, {0}, {1}, schema::RankOptionsT());
  w.boundary({0}, {1});
  return w;
}

TEST(TfliteVolumes, becomeNodes) {
  EXPECT_THAT(imported(conv_3d()), AllOf(HasSubstr("{perm=[4, 0, 1, 2, 3]}"),
                                         HasSubstr("filter_layout=\"OHWI\", group=2"), HasSubstr("strides=[1, 2, 3]")));
  EXPECT_THAT(imported(conv_3d_transpose()), AllOf(HasSubstr("{perm=[3, 0, 1, 2, 4]}"), HasSubstr("ConvTranspose.18("),
                                                   HasSubstr("output_padding=[0, 0, 0]")));
  EXPECT_THAT(imported(normalised()), HasSubstr("{alpha=2.5, beta=0.75, bias=1.0, size=5}"));
  EXPECT_THAT(imported(segments()), AllOf(HasSubstr("{reduction=\"max\"}"), HasSubstr("Slice.18(")));
  EXPECT_THAT(imported(segment_sum()), HasSubstr("{reduction=\"add\"}"));
  EXPECT_THAT(imported(diagonals()), AllOf(HasSubstr("Pad.18("), HasSubstr("Where.18(")));
  EXPECT_THAT(imported(matrix_diag()), HasSubstr("Where.18("));
  EXPECT_THAT(imported(bitcast()), HasSubstr("BitCast.18(%0) {to=6}"));
  EXPECT_THAT(imported(spectrum()), AllOf(HasSubstr("Pad.18("), HasSubstr("{onesided=1}"), HasSubstr("f32[3,5,2]"),
                                          HasSubstr("ReduceL2.18(")));
  EXPECT_THAT(imported(rank()), HasSubstr("i64[1] = [3]"));
}

class TfliteVolumeRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(TfliteVolumeRefusal, saysWhatIsWrong) {
  TfliteWriter w = GetParam().make();
  ASSERT_EQ(errors(w.bytes()), "") << "the model is wrong before it is changed";
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, TfliteVolumeRefusal,
    testing::Values(
        Refusal{conv_3d, [](auto& w) { w.tensor(0).type = kI8; }, "unsupported element type of input 0 'x' (found i8"},
        Refusal{conv_3d, [](auto& w) { w.tensor(0).shape = {1, 4, 5, 6}; }, "unsupported shape of input 0 'x'"},
        Refusal{conv_3d, [](auto& w) { w.tensor(1).shape[3] = 4; },
                "the filter does not fit the input's channels (found 4 of 6"},
        Refusal{conv_3d, [](auto& w) { w.template options<schema::Conv3DOptionsT>(0).stride_d = 0; },
                "stride out of range (found depth 0, expected 1 or more)"},
        Refusal{conv_3d, [](auto& w) { w.tensor(1).shape[0] = 5; },
                "the window is larger than its input (found depth 5, expected at most 4)"},
        Refusal{conv_3d_transpose, [](auto& w) { w.tensor(0).buffer = 0, w.boundary({0, 1, 2}, {3}); },
                "the output's shape must be constant"},
        Refusal{conv_3d_transpose, [](auto& w) { w.tensor(1).shape[4] = 3; },
                "the filter does not fit the input's channels (found 3, expected 4)"},
        Refusal{conv_3d_transpose, [](auto& w) { w.template options<schema::Conv3DOptionsT>(0).dilation_w_factor = 0; },
                "dilation out of range (found width 0, expected 1 or more)"},
        Refusal{normalised,
                [](auto& w) { w.template options<schema::LocalResponseNormalizationOptionsT>(0).radius = -1; },
                "radius out of range (found -1, expected 0 to 16777216)"},
        Refusal{normalised,
                [](auto& w) { w.template options<schema::LocalResponseNormalizationOptionsT>(0).beta = NAN; },
                "an option is no number (found nan, expected a number)"},
        Refusal{segments, [](auto& w) { w.tensor(0).shape = {2, 2}; }, "is no beginning of that of input 0 'x'"},
        Refusal{segments,
                [](auto& w) {
                  const std::int32_t ids[] = {0, 2, 1};
                  std::memcpy(w.model.buffers[w.tensor(1).buffer]->data.data(), ids, sizeof ids);
                },
                "a segment is out of range (found 2, expected below 2)"},
        Refusal{segments, [](auto& w) { w.tensor(3).shape = {3, 2}; },
                "the number of segments is not that of the output"},
        Refusal{segments, [](auto& w) { w.tensor(0).type = w.tensor(3).type = kI64; }, "unsupported element type"},
        Refusal{segment_sum,
                [](auto& w) {
                  const std::int32_t ids[] = {-1, 0, 1};
                  std::memcpy(w.model.buffers[w.tensor(1).buffer]->data.data(), ids, sizeof ids);
                },
                "a segment is out of range (found -1, expected 0 or more, below 2)"},
        Refusal{segment_sum, [](auto& w) { w.tensor(3).shape = {2, 3}; }, "the shape of the output 'y' does not fit"},
        Refusal{diagonals, [](auto& w) { w.tensor(1).shape = {2, 4}; }, "the shape of input 1 'd' does not fit"},
        Refusal{diagonals, [](auto& w) { w.tensor(0).shape = w.tensor(2).shape = {4}; },
                "there are no matrices (found 1 dimensions, expected 2 or more)"},
        Refusal{matrix_diag, [](auto& w) { w.tensor(0).shape = {}; }, "there is no dimension to lay out"},
        Refusal{matrix_diag, [](auto& w) { w.tensor(0).shape = {5000}, w.tensor(1).shape = {5000, 5000}; },
                "the matrices are too large (found 5000 by 5000, expected at most 16777216 elements)"},
        Refusal{bitcast, [](auto& w) { w.tensor(1).type = kI64; },
                "element types of other sizes (found f32 and i64, expected two of one size)"},
        Refusal{bitcast, [](auto& w) { w.tensor(1).type = TensorType::BOOL; },
                "unsupported element type of the output 'y'"},
        Refusal{spectrum,
                [](auto& w) {
                  const std::int32_t lengths[] = {1, 6};
                  std::memcpy(w.model.buffers[w.tensor(1).buffer]->data.data(), lengths, sizeof lengths);
                },
                "length out of range (found 6, expected a power of two up to 16777216)"},
        Refusal{spectrum, [](auto& w) { w.tensor(0).shape = {7}; }, "there is no image (found 1 dimensions"},
        Refusal{spectrum, [](auto& w) { w.tensor(2).shape = {3, 1, 4}; }, "the shape of the output 'c' does not fit"},
        Refusal{spectrum,
                [](auto& w) {
                  w.model.operator_codes[2]->deprecated_builtin_code = 101,
                  w.model.operator_codes[2]->builtin_code = Code::ABS;
                },
                "'ABS 'y' (#2)': no complex numbers are expected there (found tensor 3 'd')"},
        Refusal{spectrum, [](auto& w) { w.tensor(2).type = kF32; },
                "complex numbers are expected there (found tensor 2 'c')"},
        Refusal{rank, [](auto& w) { w.tensor(1).type = kI64; }, "unsupported element type of the output 'y'"}));

}  // namespace
}  // namespace byoc::test
