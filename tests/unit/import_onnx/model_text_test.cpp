// ONNX models as protobuf's text format.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "sdk/model/import/import.hpp"
#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using test::ModelFile;
using testing::HasSubstr;

std::string import_text(const std::string& content, const std::string& name = "model.textproto") {
  const ModelFile folder;
  folder.write(content, name);
  Diagnostics diags;
  const auto g = import_model(folder.path(name), diags);
  if (g) return ir::print(*g);
  std::string out;
  for (Diagnostic d : diags.all()) {
    d.file.clear();
    out += to_string(d) + "\n";
  }
  return out;
}

// As people write it by hand.
constexpr char kByHand[] = R"(# a small model
ir_version: 10
opset_import { domain: "" version: 13 }
opset_import: { domain: "mine", version: 1 }
graph {
  name: "g"
  node {
    input: "x" input: "k"
    output: "s"
    op_type: 'Add'
    metadata_props { key: "namespace" value: "a/b" }
  }
  node { input: ["s"] output: ["y"] op_type: "Act" domain: "mine" overload: "two" }
  initializer {
    dims: 2
    data_type: 1
    float_data: [1.5, -2]
    name: "k"
  }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" }
}
functions { name: "Act" domain: "mine" overload: "one" input: "a" output: "b" opset_import { version: 13 }
            node { op_type: "Neg" input: "a" output: "b" } }
functions { name: "Act" domain: "mine" overload: "two" input: "a" output: "b" opset_import { version: 13 }
            node { op_type: "Relu" input: "a" output: "b" } }
)";

TEST(ModelText, isReadAsTheBytesWouldBe) {
  const std::string text = import_text(kByHand);
  EXPECT_THAT(text, HasSubstr("= [1.5, -2.0]"));
  EXPECT_THAT(text, HasSubstr("Add.13("));
  // The field that tells overloads apart is newer than the library's own description.
  EXPECT_THAT(text, HasSubstr("Relu.13("));
  EXPECT_THAT(text, testing::Not(HasSubstr("Neg")));
}

TEST(ModelText, isFoundBySuffixOrFirstWord) {
  const std::string expected = import_text(kByHand);
  for (const char* name : {"model.txtpb", "model.pbtxt", "model.prototxt", "model.onnxtxt", "model.onnx", "model"})
    EXPECT_EQ(import_text(kByHand, name), expected) << name;
  // "graph" is also the first word of byoc's own text.
  EXPECT_EQ(import_text("graph { output { name: \"y\" } node { op_type: \"Relu\" input: \"x\" output: \"y\" } input { "
                        "name: \"x\" type { tensor_type { elem_type: 1 shape {} } } } } ir_version: 8 opset_import { "
                        "version: 13 }")
                .substr(0, 5),
            "graph");
}

TEST(ModelText, saysWhatTheProtobufSays) {
  ModelFile m;
  m.input("x", {2}).output("y");
  const std::string raw("\0\0\x80\x3f\0\0\0\xff", 8);
  m.initialiser("k", ::onnx::TensorProto::FLOAT, {2}).set_raw_data(raw);
  m.node("Add", {"x", "k"}, {"y"});
  std::string text;
  ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(m.model, &text));
  EXPECT_EQ(import_text(text), m.text());
}

TEST(ModelText, refusals) {
  EXPECT_THAT(import_text("ir_version: 8\ngraph {\n  nodes { }\n}"),
              HasSubstr("error: 'line 3, column 9': is not the text of an ONNX model: "));
  EXPECT_THAT(import_text("ir_version: 8\ngraph {"), HasSubstr("is not the text of an ONNX model"));
  EXPECT_THAT(import_text("ir_version: many"), HasSubstr("line 1, column 13"));
  EXPECT_THAT(import_text("<ir_version: 8, opset_import: [\"\" : 13]>\nagraph (float[N] x) => (float[N] y) { y = "
                          "Relu(x) }",
                          "model.onnxtxt"),
              HasSubstr("is in ONNX's own syntax, which is not read (found '<', expected protobuf's text format"));
}

}  // namespace
}  // namespace byoc
