// ONNX Runtime's own quantised operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using ::onnx::TensorProto;
using test::ModelFile;
using testing::HasSubstr;

// A model with int8 inputs a and b, scale s and zero point z.
ModelFile quantised() {
  ModelFile m;
  m.import_opset("com.microsoft", 1);
  m.input("a", {2, 2}, TensorProto::INT8).input("b", {2, 2}, TensorProto::INT8).output("y");
  m.initialiser("s", TensorProto::FLOAT, {}).add_float_data(0.5f);
  m.initialiser("z", TensorProto::INT8, {}).add_int32_data(3);
  return m;
}

::onnx::NodeProto& node(ModelFile& m, const std::string& op, const std::vector<std::string>& inputs) {
  auto& n = m.node(op, inputs, {"y"});
  n.set_domain("com.microsoft");
  return n;
}

TEST(Contributed, binary) {
  ModelFile m = quantised();
  node(m, "QLinearAdd", {"a", "s", "z", "b", "s", "z", "s", "z"});
  EXPECT_EQ(m.text(), R"(graph "model" requant=onnx {
  input %2 "a" : i8[2,2]
  input %3 "b" : i8[2,2]
  const %0 "s" : f32[] = [0.5]
  const %1 "z" : i8[] = [3]
  %5 : ? = DequantizeLinear.13(%2, %0, %1) {axis=0} @"the QLinearAdd" #0 of "com.microsoft.QLinearAdd"
  %6 : ? = DequantizeLinear.13(%3, %0, %1) {axis=0} @"the QLinearAdd" #0 of "com.microsoft.QLinearAdd"
  %7 : ? = Add.13(%5, %6) @"the QLinearAdd" #0 of "com.microsoft.QLinearAdd"
  %4 "y" : ? = QuantizeLinear.13(%7, %0, %1) @"the QLinearAdd" #0 of "com.microsoft.QLinearAdd"
  output %4
}
)");
  m.graph().mutable_node(0)->mutable_input()->RemoveLast();
  EXPECT_THAT(m.text(), HasSubstr("needs the zero point of its output, which says its type"));
}

TEST(Contributed, unary) {
  ModelFile pool = quantised();
  ModelFile::set_int(node(pool, "QLinearGlobalAveragePool", {"a", "s", "z", "s", "z"}), "channels_last", 1);
  EXPECT_THAT(pool.text(), HasSubstr("GlobalAveragePool.13(%5) {data_layout=\"NHWC\"}"));
  ModelFile average = quantised();
  auto& window = node(average, "QLinearAveragePool", {"a", "s", "z", "s", "z"});
  ModelFile::set_ints(window, "kernel_shape", {2});
  ModelFile::set_int(window, "count_include_pad", 1);
  EXPECT_THAT(average.text(), HasSubstr("AveragePool.13(%5) {count_include_pad=1, kernel_shape=[2]}"));
  ModelFile softmax = quantised();
  auto& n = node(softmax, "QLinearSoftmax", {"a", "s", "z", "s", "z"});
  EXPECT_THAT(softmax.text(), HasSubstr("attribute 'opset' is missing"));
  ModelFile::set_int(n, "opset", 11);
  EXPECT_THAT(softmax.text(), HasSubstr("Softmax.13(%8) {axis=-1}"));
  n.mutable_attribute(0)->set_i(13);
  EXPECT_THAT(softmax.text(), HasSubstr("Softmax.13("));
  // Steps of 0.3 become 3 to 1.
  softmax.initialiser("third", TensorProto::FLOAT, {}).add_float_data(0.3F);
  n.set_input(3, "third");
  EXPECT_THAT(softmax.text(), HasSubstr("f32[] = [0.33333334]"));
  ModelFile leaky = quantised();
  ModelFile::set_float(node(leaky, "QLinearLeakyRelu", {"a", "s", "", "s", "z"}), "alpha", 0.25f);
  const std::string text = leaky.text();
  EXPECT_THAT(text, HasSubstr("DequantizeLinear.13(%2, %0) {axis=0}"));
  EXPECT_THAT(text, HasSubstr("LeakyRelu.13(%5) {alpha=0.25}"));
}

TEST(Contributed, concat) {
  ModelFile m = quantised();
  auto& n = node(m, "QLinearConcat", {"s", "z", "a", "s", "z", "b", "s", "z"});
  ModelFile::set_int(n, "axis", 1);
  EXPECT_THAT(m.text(), HasSubstr("Concat.13(%5, %6) {axis=1}"));
  n.mutable_input()->RemoveLast();
  EXPECT_THAT(m.text(), HasSubstr("has the wrong number of inputs (found 7, expected 2, and 3 for each value)"));
}

TEST(Contributed, gemm) {
  ModelFile m = quantised();
  m.initialiser("c", TensorProto::INT32, {2}).add_int32_data(1);
  m.graph().mutable_initializer(2)->add_int32_data(2);
  auto& n = node(m, "QGemm", {"a", "s", "z", "b", "s", "z", "c", "s", "z"});
  ModelFile::set_int(n, "transB", 1);
  std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("f32[] = [0.25]"));
  EXPECT_THAT(text, HasSubstr("Gemm.13(%6, %7, %9) {transB=1}"));
  EXPECT_THAT(text, HasSubstr("\"y\" : ? = QuantizeLinear.13(%10, %0, %1)"));
  while (n.input_size() > 7) n.mutable_input()->RemoveLast();
  EXPECT_THAT(m.text(), HasSubstr("\"y\" : ? = Gemm.13(%6, %7, %9) {transB=1}"));
  m.input("other", {});
  n.set_input(1, "other");
  // Scales that are inputs are multiplied at run time.
  text = m.text();
  EXPECT_THAT(text, HasSubstr("Mul.13(%5, %0)"));
  EXPECT_THAT(text, HasSubstr("\"y\" : ? = Gemm.13("));
}

}  // namespace
}  // namespace byoc
