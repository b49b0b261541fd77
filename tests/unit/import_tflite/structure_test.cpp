// Models whose tables are unusual but right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;

TEST(TfliteStructure, inputsMayBeOutputsAndOutputsMayRepeat) {
  TfliteWriter w = unary_model(BuiltinOperator::RELU, q(0.5f, 0));
  w.boundary({0}, {1, 0, 1});
  EXPECT_THAT(imported(w), HasSubstr("  output %1\n  output %0\n  output %1\n}"));
}

TEST(TfliteStructure, constantsMayBeOutputs) {
  TfliteWriter w = conv_model();
  w.boundary({0}, {3, 2});
  EXPECT_THAT(imported(w), HasSubstr("  output %3\n  output %2\n}"));
}

TEST(TfliteStructure, tensorsMayHaveNoNameOrShareOne) {
  TfliteWriter w = unary_model(BuiltinOperator::RELU, q(0.5f, 0));
  w.tensor(0).name = w.tensor(1).name = "";
  EXPECT_THAT(imported(w), HasSubstr("  %1 : i8[2,3] q(0.5, 0) #1 = Relu.18(%0) #0\n"));
  w.tensor(0).name = w.tensor(1).name = "t";
  EXPECT_THAT(imported(w), HasSubstr("  %1 \"t\" : i8[2,3] q(0.5, 0) #1 = Relu.18(%0) @\"t\" #0\n"));
}

TEST(TfliteStructure, tensorsMayShareABuffer) {
  TfliteWriter w;
  w.constant("a", kF32, {2}, std::vector<float>{1, 2});
  w.add("b", kF32, {2, 1});
  w.tensor(1).buffer = w.tensor(0).buffer;
  w.boundary({}, {0, 1});
  Diagnostics diags;
  auto g = import_bytes(w.bytes(), diags);
  ASSERT_TRUE(g);
  EXPECT_EQ(g->values[0].constant->bytes.data(), g->values[1].constant->bytes.data());
  EXPECT_NE(g->values[0].constant->bytes.file(), nullptr);
}

TEST(TfliteStructure, operatorsMayStandInAnyOrder) {
  TfliteWriter w = unary_model(BuiltinOperator::RELU, q(0.5f, 0));
  w.add("z", kI8, {2, 3}, q(0.5f, 0));
  w.add_operator(BuiltinOperator::RELU, {1}, {2});
  w.boundary({0}, {2});
  std::swap(w.graph().operators[0], w.graph().operators[1]);
  EXPECT_THAT(imported(w), HasSubstr("= Relu.18(%0) @\"y\" #1\n  %2 \"z\" : i8[2,3] q(0.5, 0) #2 = Relu.18(%1)"));
}

TEST(TfliteStructure, dataMayLieBehindTheFlatBuffer) {
  TfliteWriter w;
  w.add("a", kF32, {2});
  w.tensor(0).buffer = 1;
  w.model.buffers.push_back(std::make_unique<schema::BufferT>());
  w.boundary({}, {0});
  w.model.buffers[1]->offset = 2;  // any number, so that the field is there: the size is what counts
  w.model.buffers[1]->size = 8;
  const std::uint64_t start = (w.bytes().size() + 15) / 16 * 16;
  w.model.buffers[1]->offset = start;
  std::string bytes = w.bytes();
  ASSERT_LE(bytes.size(), start);
  bytes.resize(start);
  const float values[] = {1.5f, -2.0f};
  bytes.append(reinterpret_cast<const char*>(values), sizeof values);
  Diagnostics diags;
  auto g = import_bytes(bytes, diags);
  ASSERT_TRUE(g);
  EXPECT_THAT(ir::print(*g), HasSubstr("const %0 \"a\" : f32[2] #0 = [1.5, -2.0]"));
  EXPECT_EQ(g->values[0].constant->bytes.file_offset(), start);
  bytes.pop_back();
  EXPECT_THAT(errors(bytes), HasSubstr("'tensor 0 'a'': its buffer lies outside the file (found 8 bytes at"));
}

TEST(TfliteStructure, unusedTensorsAreNotLookedAt) {
  TfliteWriter w = unary_model(BuiltinOperator::RELU, q(0.5f, 0));
  w.add("unused", TensorType::STRING, {-1});
  w.tensor(2).buffer = 77;
  EXPECT_THAT(imported(w), HasSubstr("  value %2 \"unused\" : ? #2\n"));
}

TEST(TfliteStructure, theLengthsOfTheShapeBindAnOpenSignature) {
  TfliteWriter w = unary_model(BuiltinOperator::RELU, q(0.5f, 0));
  w.tensor(0).shape_signature = {-1, 3};
  EXPECT_THAT(imported(w), HasSubstr("input %0 \"x\" : i8[2,3]"));
}

TEST(TfliteStructure, oneZeroPointServesAllScales) {
  TfliteWriter w = conv_model();
  w.tensor(1).quantization->zero_point = {0};
  EXPECT_THAT(imported(w), HasSubstr("[0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0]"));
}

TEST(TfliteStructure, scalesOfFloatsAndUselessScalesOfBiasesAreDropped) {
  TfliteWriter w = depthwise_model();
  w.tensor(0).quantization = std::make_unique<schema::QuantizationParametersT>();
  w.tensor(0).quantization->scale = {0.5f};
  w.tensor(0).quantization->zero_point = {0};
  EXPECT_THAT(imported(w), HasSubstr("input %0 \"x\" : f32[1,4,4,2] #0\n"));
  TfliteWriter c = conv_model();
  c.tensor(2).quantization = std::make_unique<schema::QuantizationParametersT>();
  c.tensor(2).quantization->scale = {0.05f, 0.0f, 0.1f, 0.1f};
  c.tensor(2).quantization->zero_point = {0, 0, 0, 0};
  EXPECT_THAT(imported(c), HasSubstr("const %2 \"b\" : i32[4] #2 ="));
}

TEST(TfliteStructure, oldWritersFillOnlyTheByteOfTheOperatorCode) {
  TfliteWriter w = unary_model(BuiltinOperator::TANH, q(1.0f / 128, 0));
  w.model.operator_codes[0]->builtin_code = BuiltinOperator::ADD;  // 0: not written
  EXPECT_THAT(imported(w), HasSubstr("Tanh.18(%0)"));
}

TEST(TfliteStructure, furtherSubgraphsAreLeftAlone) {
  TfliteWriter w = unary_model(BuiltinOperator::RELU, q(0.5f, 0));
  w.model.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
  EXPECT_THAT(imported(w), HasSubstr("Relu.18(%0)"));
}

}  // namespace
}  // namespace byoc::test
