// ATAN2, RIGHT_SHIFT, BUCKETIZE, FAKE_QUANT, DILATE, WHERE, UNIQUE, NON_MAX_SUPPRESSION_V4 and V5, and MediaPipe's
// operators on landmarks: what they become, and what they refuse. tests/e2e/layers has what they compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/flex_options.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Code = BuiltinOperator;

TfliteWriter pair_of(Code code, TensorType type) {
  TfliteWriter w;
  w.add("a", type, {2, 3});
  w.add("b", type, {2, 3});
  w.add("y", type, {2, 3});
  w.add_operator(code, {0, 1}, {2});
  w.boundary({0, 1}, {2});
  return w;
}
TfliteWriter angle() { return pair_of(Code::ATAN2, kF32); }
TfliteWriter shift() { return pair_of(Code::RIGHT_SHIFT, kI16); }

TfliteWriter buckets() {
  TfliteWriter w;
  w.add("x", kF32, {4});
  w.add("y", kI32, {4});
  schema::BucketizeOptionsT o;
  o.boundaries = {-1, 0.5F, 0.5F, 3};
  w.add_operator(Code::BUCKETIZE, {0}, {1}, o);
  w.boundary({0}, {1});
  return w;
}

TfliteWriter fake_quant() {
  TfliteWriter w;
  w.add("x", kF32, {4});
  w.add("y", kF32, {4});
  schema::FakeQuantOptionsT o;
  o.min = -0.5F, o.max = 1.4F, o.num_bits = 2;  // steps of 1.9 / 3; 0 is nearest to the first of them
  w.add_operator(Code::FAKE_QUANT, {0}, {1}, o);
  w.boundary({0}, {1});
  return w;
}

TfliteWriter dilated() {
  TfliteWriter w;
  w.add("x", kI8, {2, 3}, q(0.5F, 3));
  w.constant("d", kI32, {2}, std::vector<std::int32_t>{1, 2});
  w.constant("v", kI8, {}, std::vector<std::int8_t>{7}, q(0.5F, 3));
  w.add("y", kI8, {2, 5}, q(0.5F, 3));
  w.add_operator(Code::DILATE, {0, 1, 2}, {3});
  w.boundary({0}, {3});
  return w;
}

TfliteWriter where() {
  TfliteWriter w;
  w.add("x", TensorType::BOOL, {2, 3});
  w.add("y", kI64, {1, 2});
  w.add_operator(Code::WHERE, {0}, {1}, schema::WhereOptionsT());
  w.boundary({0}, {1});
  return w;
}

TfliteWriter unique() {
  TfliteWriter w;
  w.add("x", kI32, {5});
  w.add("y", kI32, {1});
  w.add("i", kI32, {5});
  w.add_operator(Code::UNIQUE, {0}, {1, 2}, schema::UniqueOptionsT());
  w.boundary({0}, {1, 2});
  return w;
}

TfliteWriter suppression() {
  TfliteWriter w;
  w.add("boxes", kF32, {6, 4});
  w.add("scores", kF32, {6});
  w.constant("most", kI32, {}, std::vector<std::int32_t>{3});
  for (const char* name : {"overlap", "least", "sigma"}) w.constant(name, kF32, {}, std::vector<float>{0.5F});
  w.add("chosen", kI32, {3});
  w.add("values", kF32, {});
  w.add("count", kI32, {});
  w.add_operator(Code::NON_MAX_SUPPRESSION_V5, {0, 1, 2, 3, 4, 5}, {6, 7, 8}, schema::NonMaxSuppressionV5OptionsT());
  w.boundary({0, 1}, {6, 7, 8});
  return w;
}

std::vector<std::uint8_t> landmark_options(std::vector<std::int64_t> subset, double scale = 1.5) {
  flexbuffers::Builder b;
  b.Map([&] {
    for (const char* name : {"left_rotation_idx", "output_height", "output_width"}) b.Int(name, 2);
    b.Int("right_rotation_idx", 3);
    b.Double("scale_x", scale);
    b.Double("scale_y", 1);
    if (!subset.empty())
      b.TypedVector("subset_idxs", [&] {
        for (const std::int64_t i : subset) b.Int(i);
      });
  });
  b.Finish();
  return b.GetBuffer();
}

TfliteWriter placed() {
  TfliteWriter w;
  w.add("x", kF32, {1, 4, 3});
  w.add("y", kF32, {});
  add_custom(w, "Landmarks2TransformMatrix", {0}, {1}).custom_options = landmark_options({0, 1});
  w.boundary({0}, {1});
  return w;
}

TfliteWriter moved() {
  TfliteWriter w;
  w.add("x", kF32, {1, 5, 3});
  w.add("m", kF32, {1, 4, 4});
  w.add("y", kF32, {1, 5, 3});
  add_custom(w, "TransformLandmarks", {0, 1}, {2});
  w.boundary({0, 1}, {2});
  return w;
}

TfliteWriter sampled() {
  TfliteWriter w;
  w.add("x", kF32, {1, 5, 6, 2});
  w.add("m", kF32, {1, 4, 4});
  w.add("y", kF32, {1, 3, 4, 2});
  add_custom(w, "TransformTensorBilinear", {0, 1}, {2}, {{"output_height", 3}, {"output_width", 4}});
  w.boundary({0, 1}, {2});
  return w;
}

TEST(TfliteIntervals, becomeNodes) {
  EXPECT_THAT(imported(angle()), HasSubstr("byoc.Atan2.1(%0, %1)"));
  EXPECT_THAT(imported(shift()), HasSubstr("byoc.RightShift.1(%0, %1)"));
  EXPECT_THAT(imported(buckets()),
              AllOf(HasSubstr("f32[4] = [-1.0, 0.5, 0.5, 3.0]"), HasSubstr("byoc.Bucketize.1(%0")));
  EXPECT_THAT(imported(fake_quant()),
              AllOf(HasSubstr("Clip.18(%0"), HasSubstr("{offset=-0.6333333, scale=0.6333333}")));
  EXPECT_THAT(imported(dilated()),
              AllOf(HasSubstr("i8[2,3,2]"), HasSubstr("Pad.18("), HasSubstr("i8[2,6,1]"), HasSubstr("Slice.18(")));
  EXPECT_THAT(imported(where()), HasSubstr("= NonZero.18(%0) {rows=1}"));
  EXPECT_THAT(imported(unique()), AllOf(HasSubstr("Unique.18(%0) {sorted=0}"), HasSubstr("Cast.18(")));
  EXPECT_THAT(imported(suppression()),
              HasSubstr("byoc.SoftNonMaxSuppression.1(%0, %1, %3, %4, %5) {max_output_size=3}"));
  EXPECT_THAT(imported(placed()), AllOf(HasSubstr("byoc.Atan2.1("), HasSubstr("\"y\" : f32[1,4,4]")));
  EXPECT_THAT(imported(moved()), AllOf(HasSubstr("MatMul.18("), HasSubstr("Concat.18(")));
  EXPECT_THAT(imported(sampled()), HasSubstr("byoc.AffineSample.1(%0, %1) {output_height=3, output_width=4}"));
}

// Ends that are equal, and 0 in their middle after rounding.
TEST(TfliteIntervals, fakeQuantMovesItsRangeOntoZero) {
  TfliteWriter w = fake_quant();
  w.options<schema::FakeQuantOptionsT>(0).min = 0;
  EXPECT_THAT(imported(w), HasSubstr("{offset=-0.0, "));
}

class TfliteIntervalRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(TfliteIntervalRefusal, saysWhatIsWrong) {
  TfliteWriter w = GetParam().make();
  ASSERT_EQ(errors(w.bytes()), "") << "the model is wrong before it is changed";
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

template <class T>
void put(TfliteWriter& w, std::size_t tensor, T value) {
  std::memcpy(w.model.buffers[w.tensor(tensor).buffer]->data.data(), &value, sizeof value);
}
schema::FakeQuantOptionsT& fake_quant_range(TfliteWriter& w) { return w.options<schema::FakeQuantOptionsT>(0); }

INSTANTIATE_TEST_SUITE_P(
    All, TfliteIntervalRefusal,
    testing::Values(
        Refusal{angle, [](auto& w) { w.tensor(1).shape = {1, 3}; }, "the shape of input 1 'b' does not fit"},
        Refusal{angle, [](auto& w) { w.tensor(0).type = kI32; }, "unsupported element type of input 0 'a' (found i32"},
        Refusal{shift, [](auto& w) { w.tensor(1).type = kI32; },
                "unsupported element type of input 1 'b' (found i32, expected i16)"},
        Refusal{shift, [](auto& w) { w.tensor(0).shape = {2, 2}; }, "shapes of the inputs do not broadcast"},
        Refusal{shift,
                [](auto& w) {
                  w.tensor(0).quantization = std::make_unique<schema::QuantizationParametersT>();
                  w.tensor(0).quantization->scale = {0.5F};
                  w.tensor(0).quantization->zero_point = {0};
                },
                "kernels for plain integers take no quantisation: input 0 'a' (found i16 with a scale, expected none)"},
        Refusal{buckets, [](auto& w) { w.template options<schema::BucketizeOptionsT>(0).boundaries[2] = 0.25F; },
                "the boundaries do not ascend (found 0.250000, expected 0.500000 or more)"},
        Refusal{buckets, [](auto& w) { w.template options<schema::BucketizeOptionsT>(0).boundaries[0] = NAN; },
                "the boundaries do not ascend (found nan, expected a number)"},
        Refusal{buckets, [](auto& w) { w.op(0).builtin_options.Reset(); }, "the operator has no options"},
        Refusal{fake_quant, [](auto& w) { fake_quant_range(w).narrow_range = true; }, "narrow_range is not supported"},
        Refusal{fake_quant, [](auto& w) { fake_quant_range(w).num_bits = 17; },
                "unsupported num_bits (found 17, expected 2 to 16)"},
        Refusal{fake_quant, [](auto& w) { fake_quant_range(w).min = 0.5F; },
                "unsupported range (found 0.500000 to 1.400000, expected one that has 0 in it)"},
        Refusal{fake_quant, [](auto& w) { fake_quant_range(w).min = 0, fake_quant_range(w).max = 1e-45F; },
                "expected one whose steps are numbers)"},
        Refusal{dilated, [](auto& w) { put<std::int32_t>(w, 1, 0); },
                "a dilation is out of range (found 0, expected 1 or more)"},
        Refusal{dilated, [](auto& w) { w.tensor(3).shape = {2, 6}; }, "the shape of the output 'y' does not fit"},
        Refusal{dilated, [](auto& w) { w.tensor(0).shape = {2, 0}; }, "a dimension without elements (found 0"},
        Refusal{dilated, [](auto& w) { w.tensor(0).shape = {}; }, "there is no dimension to dilate"},
        Refusal{dilated,
                [](auto& w) {
                  w.tensor(2).shape = {2};
                  w.model.buffers[w.tensor(2).buffer]->data.resize(2);
                },
                "the padding value (found 2 elements, expected 1)"},
        Refusal{where, [](auto& w) { w.tensor(0).shape = {}; }, "there is no dimension to count along"},
        Refusal{where, [](auto& w) { w.tensor(1).type = kI32; }, "unsupported element type of the output 'y'"},
        Refusal{where,
                [](auto& w) {
                  w.tensor(0).type = kI8;
                  w.tensor(0).quantization = std::make_unique<schema::QuantizationParametersT>();
                  w.tensor(0).quantization->scale = {0.5F};
                  w.tensor(0).quantization->zero_point = {0};
                },
                "kernels for plain numbers take no quantisation: input 0 'x' (found i8 with a scale, expected none)"},
        Refusal{where,
                [](auto& w) {
                  w.add("z", kI64, {1, 2});
                  w.add_operator(Code::RESHAPE, {1}, {2});
                  w.boundary({0}, {2});
                },
                "'RESHAPE 'z' (#1)': reads a tensor whose shape only a run tells (found input 0, tensor 1 'y'"},
        Refusal{where, [](auto& w) { w.add_operator(Code::WHERE, {0}, {1}, schema::WhereOptionsT()); },
                "'WHERE 'y' (#1)': computes a tensor that is already given (found tensor 1 'y')"},
        Refusal{unique, [](auto& w) { w.tensor(0).shape = {5, 1}; }, "unsupported shape of input 0 'x'"},
        Refusal{unique, [](auto& w) { w.op(0).outputs.pop_back(), w.boundary({0}, {1}); },
                "wrong number of outputs (found 1, expected 2)"},
        Refusal{unique,
                [](auto& w) {
                  w.tensor(0).type = w.tensor(1).type = kI8;
                  w.tensor(0).quantization = std::make_unique<schema::QuantizationParametersT>();
                  w.tensor(0).quantization->scale = {0.5F};
                  w.tensor(0).quantization->zero_point = {0};
                },
                "quantisation of input 0 'x' and the output 'y' must be equal"},
        Refusal{suppression, [](auto& w) { w.tensor(0).shape = {6, 5}; }, "the shape of input 0 'boxes' does not fit"},
        Refusal{suppression, [](auto& w) { put<std::int32_t>(w, 2, -1); }, "the number of boxes is negative (found -1"},
        Refusal{suppression, [](auto& w) { w.tensor(2).buffer = 0, w.boundary({0, 1, 2}, {6, 7, 8}); },
                "the number of boxes must be constant"},
        Refusal{suppression, [](auto& w) { w.tensor(6).shape = {4}; }, "the shape of the output 'chosen' does not fit"},
        Refusal{suppression, [](auto& w) { w.op(0).outputs.pop_back(), w.boundary({0, 1}, {6, 7}); },
                "wrong number of outputs (found 2, expected 3)"},
        Refusal{placed, [](auto& w) { w.op(0).custom_options = landmark_options({}); },
                "the options have no list 'subset_idxs'"},
        Refusal{placed, [](auto& w) { w.op(0).custom_options = landmark_options({0, 4}); },
                "option 'subset_idxs' is out of range (found 4, expected 0 to 3)"},
        Refusal{placed, [](auto& w) { w.op(0).custom_options = landmark_options({0, 1, 2}); },
                "option 'subset_idxs' has no pairs (found 3 numbers, expected an even number)"},
        Refusal{placed, [](auto& w) { w.op(0).custom_options = landmark_options({0, 1}, 0); },
                "option 'scale_x' is out of range (found 0.000000, expected above 0)"},
        Refusal{placed, [](auto& w) { w.tensor(0).shape = {1, 4, 2}; }, "the shape of input 0 'x' does not fit"},
        Refusal{placed, [](auto& w) { w.tensor(0).shape = {1, 3, 3}; },
                "option 'right_rotation_idx' is out of range (found 3, expected 0 to 2)"},
        Refusal{moved, [](auto& w) { w.tensor(0).shape = w.tensor(2).shape = {1, 5, 4}; },
                "unsupported shape of input 0 'x' (found 4 numbers, expected 2 or 3)"},
        Refusal{moved, [](auto& w) { w.tensor(1).shape = {1, 16}; }, "the shape of input 1 'm' does not fit"},
        Refusal{sampled, [](auto& w) { w.tensor(2).shape = {1, 4, 3, 2}; }, "the shape of the output 'y' does not fit"},
        Refusal{sampled, [](auto& w) { w.tensor(0).shape = {2, 5, 6, 2}; }, "the shape of input 0 'x' does not fit"},
        Refusal{sampled,
                [](auto& w) {
                  w.op(0).custom_options = flex_options({{"output_height", 1 << 30}, {"output_width", 1 << 30}});
                },
                "the result is too large (found 1073741824 by 1073741824, expected fewer than 2^31 elements)"},
        Refusal{sampled, [](auto& w) { w.op(0).custom_options = flex_options({{"output_height", 3}}); },
                "the options have no number 'output_width'"}));

}  // namespace
}  // namespace byoc::test
