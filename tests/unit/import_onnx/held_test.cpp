// Sequences, optionals and strings.
#include <gmock/gmock.h>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc::test {
namespace {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;
using testing::HasSubstr;

void set_texts(::onnx::NodeProto& n, const std::string& name, const std::vector<std::string>& texts) {
  auto& a = ModelFile::attribute(n, name, AttributeProto::STRINGS);
  for (const std::string& t : texts) a.add_strings(t);
}

TEST(OnnxHeld, typesOfInputs) {
  ModelFile m(15);
  auto* s = m.graph().add_input();
  s->set_name("s");
  s->mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(
      TensorProto::FLOAT);
  auto* o = m.graph().add_input();
  o->set_name("o");
  o->mutable_type()
      ->mutable_optional_type()
      ->mutable_elem_type()
      ->mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(TensorProto::STRING);
  m.output("y").node("SequenceLength", {"s"}, {"y"});
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("input %0 \"s\" : seq(f32?)"));
  EXPECT_THAT(text, HasSubstr("input %1 \"o\" : optional(seq(string?))"));
  o->mutable_type()->mutable_optional_type()->mutable_elem_type()->mutable_optional_type();
  EXPECT_THAT(m.text(), HasSubstr("found an optional inside"));
}

TEST(OnnxHeld, typeOfAnEmptyOptional) {
  ModelFile m(15);
  auto& n = m.output("y").node("Optional", {}, {"y"});
  auto& type = *ModelFile::attribute(n, "type", AttributeProto::TYPE_PROTO).mutable_tp();
  type.mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT64);
  EXPECT_THAT(m.text(), HasSubstr("Optional.15() {type=\"seq(i64)\"}"));
  type.mutable_map_type();
  EXPECT_THAT(m.text(), HasSubstr("attribute 'type' is a type that is not supported (expected a tensor or a sequence"));
}

TEST(OnnxHeld, constantsOfStrings) {
  ModelFile m(13);
  auto& n = m.output("y").node("Constant", {}, {"c"});
  set_texts(n, "value_strings", {"a", "b"});
  m.node("Identity", {"c"}, {"y"});
  EXPECT_THAT(m.text(), HasSubstr("string[2] = [\"a\", \"b\"]"));
}

// A body that captures `k` of the graph around it.
ModelFile mapped() {
  ModelFile m(17);
  m.input("k", {2}).output("y");
  m.node("SequenceConstruct", {"k", "k"}, {"s"});
  auto& n = m.node("SequenceMap", {"s"}, {"y"});
  auto& body = *ModelFile::attribute(n, "body", AttributeProto::GRAPH).mutable_g();
  ModelFile::describe(*body.add_input(), "e", {2});
  ModelFile::describe(*body.add_output(), "r", {2});
  auto& add = *body.add_node();
  add.set_op_type("Add");
  add.add_input("e");
  add.add_input("k");
  add.add_output("r");
  return m;
}

TEST(OnnxHeld, sequenceMapIsALoop) {
  const std::string text = mapped().text();
  EXPECT_THAT(text, HasSubstr("SequenceLength.11("));
  EXPECT_THAT(text, HasSubstr("SequenceEmpty.11() {dtype=1}"));
  EXPECT_THAT(text, HasSubstr("= Loop.17("));
  EXPECT_THAT(text, HasSubstr("captures=2"));
  EXPECT_THAT(text, HasSubstr("SequenceAt.11("));
  EXPECT_THAT(text, HasSubstr("SequenceInsert.11("));
  ModelFile m = mapped();
  m.graph().mutable_node(1)->mutable_attribute(0)->mutable_g()->add_input()->set_name("f");
  EXPECT_THAT(m.text(),
              HasSubstr("its body takes or gives another number of values (found 3 and 1, expected 2 and 1)"));
  ModelFile untyped = mapped();
  auto& body = *untyped.graph().mutable_node(1)->mutable_attribute(0)->mutable_g();
  body.mutable_output(0)->clear_type();
  EXPECT_THAT(untyped.text(), HasSubstr("SequenceEmpty.11() {dtype=1}"));  // it follows from the elements
  untyped.import_opset("acme", 1);
  body.mutable_node(0)->set_domain("acme");
  EXPECT_THAT(untyped.text(), HasSubstr("the element types that its body gives are not known"));
}

TEST(OnnxHeld, labelEncoderTakesItsListsAsOperands) {
  ModelFile m(13);
  m.import_opset("ai.onnx.ml", 2);
  m.input("x", {2}, TensorProto::STRING).output("y");
  auto& n = m.node("LabelEncoder", {"x"}, {"y"});
  n.set_domain("ai.onnx.ml");
  EXPECT_THAT(m.text(), HasSubstr("needs one list of keys and one of values"));
  set_texts(n, "keys_strings", {"a", "b"});
  ModelFile::set_ints(n, "values_int64s", {5, 6});
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("string[2] = [\"a\", \"b\"]"));
  EXPECT_THAT(text, HasSubstr("i64[2] = [5, 6]"));
  EXPECT_THAT(text, HasSubstr("i64[1] = [-1]"));
  set_texts(n, "values_strings", {"a", "b"});
  EXPECT_THAT(m.text(), HasSubstr("needs one list of keys and one of values"));
}

TEST(OnnxHeld, labelEncoderOfVersion1) {
  ModelFile m(13);
  m.import_opset("ai.onnx.ml", 1);
  m.input("x", {2}, TensorProto::INT64).output("y");
  auto& n = m.node("LabelEncoder", {"x"}, {"y"});
  n.set_domain("ai.onnx.ml");
  EXPECT_THAT(m.text(), HasSubstr("needs its classes"));
  set_texts(n, "classes_strings", {"a", "b"});
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("i64[2] = [0, 1]"));
  EXPECT_THAT(text, HasSubstr("string[1] = [\"_Unused\"]"));
}

TEST(OnnxHeld, labelEncoderNeedsADefaultOfOtherTypes) {
  ModelFile m(13);
  m.import_opset("ai.onnx.ml", 4);
  m.input("x", {2}, TensorProto::STRING).output("y");
  auto& n = m.node("LabelEncoder", {"x"}, {"y"});
  n.set_domain("ai.onnx.ml");
  set_texts(n, "keys_strings", {"a"});
  auto& t = *ModelFile::attribute(n, "values_tensor", AttributeProto::TENSOR).mutable_t();
  t.set_data_type(TensorProto::BOOL);
  t.add_dims(1);
  t.add_int32_data(1);
  EXPECT_THAT(m.text(), HasSubstr("needs a default_tensor for values of this type (found bool)"));
}

}  // namespace
}  // namespace byoc::test
