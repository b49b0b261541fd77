// Where ONNX is silent, or ONNX Runtime's answer is the one that users see: by the evaluator and in C.
#include "tests/conformance/one_operator.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;

TEST(OrtChoices, compressIgnoresWhatIsBeyondTheAxis) {
  Case m(11);
  m.in("x", {2, 3}, {1, 2, 3, 4, 5, 6}).constant("c", {4}, {0, 1, 1, 1}, TensorProto::BOOL);
  ModelFile::set_int(m.op("Compress", {"x", "c"}), "axis", 1);
  m.gives({2, 2}, {2, 3, 5, 6}).check();
}

TEST(OrtChoices, fractionsThatBecomeFewBitsAreRounded) {
  Case m(23);
  m.in("x", {4}, {1.6, -1.4, 2.5, 5.7});
  ModelFile::set_int(m.op("Cast", {"x"}), "to", std::int64_t{22});  // int4
  ModelFile::set_int(m.node("Cast", {"y0"}, {"wide"}), "to", TensorProto::INT32);
  m.graph().mutable_output(0)->set_name("wide");
  m.gives({4}, {2, -1, 3, 6}, TensorProto::INT32).check();
}

// 1, 3 and 10: the positions 1/4 and 5/4 of the axis that has twice as many elements.
TEST(OrtChoices, resizedIntegersAreRounded) {
  Case m(13);
  m.in("x", {1, 1, 1, 3}, {1, 3, 10}, TensorProto::UINT8).constant("scales", {4}, {1, 1, 1, 2});
  auto& n = m.op("Resize", {"x", "", "scales"});
  set_text(n, "mode", "linear");
  m.gives({1, 1, 1, 6}, {1, 2, 2, 5, 8, 10}, TensorProto::UINT8).check();
}

TEST(OrtChoices, anRnnWithNothingToReadFromTheEndHasNoState) {
  Case m(14);
  m.in("x", {1, 2, 1}, {1, 1}).constant("w", {1, 1, 1}, {0.5}).constant("r", {1, 1, 1}, {0});
  m.constant("lengths", {2}, {1, 0}, TensorProto::INT32).constant("h", {1, 2, 1}, {3, 4});
  auto& n = m.op("RNN", {"x", "w", "r", "", "lengths", "h"}, 2);
  ModelFile::set_int(n, "hidden_size", 1);
  set_text(n, "direction", "reverse");
  m.gives({1, 1, 2, 1}, {std::tanh(0.5), 0}).gives({1, 2, 1}, {std::tanh(0.5), 0}).check();
}

TEST(OrtChoices, indicesOfAPoolOfIntegers) {
  Case m(12);
  m.in("x", {1, 1, 1, 4}, {5, 7, 7, 1}, TensorProto::UINT8);
  auto& n = m.op("MaxPool", {"x"}, 2);
  ModelFile::set_ints(n, "kernel_shape", {1, 2});
  m.gives({1, 1, 1, 3}, {7, 7, 7}, TensorProto::UINT8).gives({1, 1, 1, 3}, {1, 1, 2}, TensorProto::INT64).check();
}

TEST(OrtChoices, negativeScales) {
  Case m(21);
  m.in("x", {1, 2}, {3, -3}).constant("s", {}, {-0.5}).constant("z", {}, {1}, TensorProto::INT8);
  m.op("QuantizeLinear", {"x", "s", "z"});
  m.gives({1, 2}, {-5, 7}, TensorProto::INT8).check();
  Case back(21);
  back.in("x", {1, 2}, {-5, 7}, TensorProto::INT8).constant("s", {}, {-0.5}).constant("z", {}, {1}, TensorProto::INT8);
  back.op("DequantizeLinear", {"x", "s", "z"});
  back.gives({1, 2}, {3, -3}).check();
}

// The weight of a layer of mixed types is what its result is.
TEST(OrtChoices, layersOfMixedTypes) {
  Case m(17);
  m.in("x", {1, 2}, {3, 5}, TensorProto::FLOAT16).constant("w", {2}, {1, 2});
  m.op("LayerNormalization", {"x", "w"});
  m.gives({1, 2}, {-0.999995, 1.99999}).check();
}

TEST(OrtChoices, valuesOfOldPadsHaveTheTypeOfTheirInput) {
  Case m(10);
  m.in("x", {2}, {1, 2}, TensorProto::DOUBLE);
  auto& n = m.op("Pad", {"x"});
  ModelFile::set_ints(n, "pads", {1, 0});
  ModelFile::set_float(n, "value", 7);
  m.gives({3}, {7, 1, 2}, TensorProto::DOUBLE).check();
}

TEST(OrtChoices, anEmptyAutoPadIsTheDefault) {
  Case m(12);
  m.in("x", {1, 1, 3}, {1, 3, 2});
  auto& n = m.op("MaxPool", {"x"});
  ModelFile::set_ints(n, "kernel_shape", {2});
  set_text(n, "auto_pad", "");
  m.gives({1, 1, 2}, {3, 3}).check();
}

TEST(OrtChoices, featuresOfAVectorAreARow) {
  Case m(13);
  m.import_opset("ai.onnx.ml", 1);
  m.in("x", {3}, {1, 2, 3}).constant("i", {2}, {2, 0}, TensorProto::INT64);
  m.op("ArrayFeatureExtractor", {"x", "i"}).set_domain("ai.onnx.ml");
  m.gives({1, 2}, {3, 1}).check();
}

TEST(OrtChoices, areRefused) {
  Case grid(20);
  grid.in("t", {1, 2, 3}, {1, 0, 0, 0, 1, 0}).axes("size", {1, 1, 0, 2});
  grid.op("AffineGrid", {"t", "size"});
  EXPECT_THAT(grid.refusal(), HasSubstr("theta does not fit the size"));
  Case top(9);
  top.in("x", {2}, {1, 2});
  ModelFile::set_int(top.op("TopK", {"x"}, 2), "k", 0);
  EXPECT_THAT(top.refusal(), HasSubstr("k is out of range (found 0, expected at least 1)"));
}

}  // namespace
}  // namespace byoc::test
