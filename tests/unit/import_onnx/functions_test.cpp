// Functions of a model become the nodes of their bodies.
#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using test::ModelFile;
using testing::HasSubstr;

::onnx::FunctionProto& function(ModelFile& m, const std::string& name, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs, std::int64_t opset = 13) {
  auto& f = *m.model.add_functions();
  f.set_domain("mine");
  f.set_name(name);
  for (const auto& i : inputs) f.add_input(i);
  for (const auto& o : outputs) f.add_output(o);
  f.add_opset_import()->set_version(opset);
  auto* own = f.add_opset_import();
  own->set_domain("mine");
  own->set_version(1);
  return f;
}

::onnx::NodeProto& body(::onnx::FunctionProto& f, const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& domain = "") {
  auto& n = *f.add_node();
  n.set_op_type(op);
  n.set_domain(domain);
  for (const auto& i : inputs) n.add_input(i);
  for (const auto& o : outputs) n.add_output(o);
  return n;
}

void refer(::onnx::NodeProto& n, const std::string& name, const std::string& to,
           ::onnx::AttributeProto::AttributeType type) {
  auto& a = *n.add_attribute();
  a.set_name(name);
  a.set_ref_attr_name(to);
  a.set_type(type);
}

::onnx::NodeProto& call(ModelFile& m, const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
  auto& n = m.node(op, inputs, outputs);
  n.set_domain("mine");
  return n;
}

ModelFile model() {
  ModelFile m(13);
  m.import_opset("mine", 1);
  m.input("x", {2, 3}).output("y");
  return m;
}

TEST(Functions, becomeTheirBodies) {
  ModelFile m = model();
  auto& f = function(m, "Act", {"v"}, {"w"});
  f.add_attribute("slope");
  auto& leaky = body(f, "LeakyRelu", {"v"}, {"t"});
  refer(leaky, "alpha", "slope", ::onnx::AttributeProto::FLOAT);
  body(f, "Tanh", {"t"}, {"w"});
  ModelFile::set_float(call(m, "Act", {"x"}, {"a"}), "slope", 0.25f);
  call(m, "Act", {"a"}, {"y"});  // without the attribute: the operator's own default
  EXPECT_EQ(m.text(), R"(graph "model" requant=onnx {
  input %0 "x" : f32[2,3]
  %1 "the Act#1/t" : ? = LeakyRelu.13(%0) {alpha=0.25} @"the Act" #0
  %2 "a" : ? = Tanh.13(%1) @"the Act" #1
  %3 "the Act#2/t" : ? = LeakyRelu.13(%2) @"the Act" #2
  %4 "y" : ? = Tanh.13(%3) @"the Act" #3
  output %4
}
)");
}

TEST(Functions, callOthersAndFollowTheirOwnOperatorSets) {
  ModelFile m = model();
  auto& outer = function(m, "Outer", {"v"}, {"w"});
  outer.add_attribute("to");
  auto& inner_call = body(outer, "Inner", {"v", ""}, {"w"}, "mine");
  refer(inner_call, "axis", "to", ::onnx::AttributeProto::INT);
  auto& inner = function(m, "Inner", {"v", "nothing"}, {"w"}, 11);
  inner.add_attribute("axis");
  auto& softmax = body(inner, "Flatten", {"v"}, {"w"});
  refer(softmax, "axis", "axis", ::onnx::AttributeProto::INT);
  ModelFile::set_int(call(m, "Outer", {"x"}, {"y"}), "to", 0);
  EXPECT_THAT(m.text(), HasSubstr("Flatten.11(%0) {axis=0}"));
  outer.mutable_opset_import(1)->set_domain("other");
  m.model.mutable_functions(0)->mutable_node(0)->set_op_type("Nowhere");
  EXPECT_THAT(m.text(), HasSubstr("operator set 'mine' is not imported by the function"));
}

TEST(Functions, passInputsThrough) {
  ModelFile m = model();
  function(m, "Same", {"v"}, {"v", "v"});
  m.output("z");
  call(m, "Same", {"x"}, {"y", "z"});
  EXPECT_THAT(m.text(), HasSubstr("\"y\" : ? = Identity.13(%0)"));
  EXPECT_THAT(m.text(), HasSubstr("\"z\" : ? = Identity.13(%0)"));
}

// Fields that are newer than the installed onnx.proto: overloads, and attributes with defaults.
TEST(Functions, haveOverloadsAndDefaults) {
  ModelFile m = model();
  auto& first = function(m, "F", {"v"}, {"w"});
  body(first, "Relu", {"v"}, {"w"});
  auto& second = function(m, "F", {"v"}, {"w"});
  auto& leaky = body(second, "LeakyRelu", {"v"}, {"w"});
  refer(leaky, "alpha", "slope", ::onnx::AttributeProto::FLOAT);
  ::onnx::AttributeProto slope;
  slope.set_name("slope");
  slope.set_type(::onnx::AttributeProto::FLOAT);
  slope.set_f(0.5f);
  auto unknown = [](auto& message, int field, const std::string& text) {
    message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(field, text);
  };
  unknown(second, 13, "leaky");
  unknown(second, 11, slope.SerializeAsString());
  auto& n = call(m, "F", {"x"}, {"y"});
  EXPECT_THAT(m.text(), HasSubstr("Relu.13(%0)"));
  unknown(n, 8, "leaky");
  EXPECT_THAT(m.text(), HasSubstr("LeakyRelu.13(%0) {alpha=0.5}"));
}

TEST(Functions, refusals) {
  {
    ModelFile m = model();
    body(function(m, "A", {"v"}, {"w"}), "B", {"v"}, {"w"}, "mine");
    body(function(m, "B", {"v"}, {"w"}), "A", {"v"}, {"w"}, "mine");
    call(m, "A", {"x"}, {"y"});
    EXPECT_THAT(m.text(), HasSubstr("function calls itself (found mine.A -> mine.B -> mine.A)"));
  }
  {
    ModelFile m = model();
    body(function(m, "A", {"v"}, {"w"}), "Relu", {"v"}, {"w"});
    auto& n = call(m, "A", {"x", "x"}, {"y"});
    EXPECT_THAT(m.text(), HasSubstr("does not fit the function's signature (found 2 inputs and 1 outputs, expected at "
                                    "most 1 and 1)"));
    n.mutable_input()->RemoveLast();
    ModelFile::set_int(n, "k", 1);
    EXPECT_THAT(m.text(), HasSubstr("attribute 'k' is none of the function's"));
  }
  {
    ModelFile m = model();
    auto& f = function(m, "A", {"v"}, {"w"});
    f.add_attribute("k");
    auto& flatten = body(f, "Flatten", {"v"}, {"w"});
    refer(flatten, "axis", "k", ::onnx::AttributeProto::INT);
    ModelFile::set_float(call(m, "A", {"x"}, {"y"}), "k", 1);
    EXPECT_THAT(m.text(), HasSubstr("attribute 'axis' refers to one of another type (found FLOAT, expected INT)"));
    function(m, "A", {"v"}, {"w"});
    EXPECT_THAT(m.text(), HasSubstr("function 'mine.A'': is defined twice"));
  }
}

// F<depth> calls F<depth - 1> and so on, `calls` times each; F0 is a Relu.
ModelFile calling(int depth, int calls) {
  ModelFile m = model();
  body(function(m, "F0", {"v"}, {"w"}), "Relu", {"v"}, {"w"});
  for (int i = 1; i <= depth; ++i) {
    auto& f = function(m, "F" + std::to_string(i), {"v"}, {"w"});
    for (int k = 0; k < calls; ++k)
      body(f, "F" + std::to_string(i - 1), {k == 0 ? "v" : "t" + std::to_string(k - 1)},
           {k + 1 == calls ? "w" : "t" + std::to_string(k)}, "mine");
  }
  call(m, "F" + std::to_string(depth), {"x"}, {"y"});
  return m;
}

TEST(Functions, callEachOtherSixtyFourDeepAtMost) {
  EXPECT_EQ(calling(63, 1).import().errors, "");
  for (const int depth : {64, 15000})
    EXPECT_THAT(calling(depth, 1).text(),
                HasSubstr("functions call each other too deeply (found mine.F" + std::to_string(depth) +
                          " -> ... -> mine.F" + std::to_string(depth - 64) + ", expected at most 64 deep)"));
}

// The nodes that are made of functions are in proportion to their bytes: a chain that doubles ends as soon as a file of
// its size may.
TEST(Functions, becomeNoMoreNodesThanTheirBytesPayFor) {
  EXPECT_EQ(calling(8, 2).import().errors, "");
  for (const auto& [depth, calls] : {std::pair(12, 2), {14, 2}, {25, 2}, {63, 2}, {9, 4}, {6, 16}})
    EXPECT_THAT(calling(depth, calls).text(), HasSubstr("functions make the model too large for what they are"))
        << depth << " " << calls;
  // Calls that come to nothing count.
  ModelFile m = calling(63, 2);
  m.model.mutable_functions(0)->clear_node();
  m.model.mutable_functions(0)->set_output(0, "v");
  EXPECT_THAT(m.text(), HasSubstr("functions make the model too large for what they are"));
  // A large function that is called often is what functions are for.
  ModelFile wide = model();
  auto& f = function(wide, "F", {"v"}, {"w"});
  for (int i = 0; i < 100; ++i)
    body(f, "Relu", {i == 0 ? "v" : "t" + std::to_string(i - 1)}, {i == 99 ? "w" : "t" + std::to_string(i)});
  for (int i = 0; i < 20; ++i)
    call(wide, "F", {i == 0 ? "x" : "c" + std::to_string(i - 1)}, {i == 19 ? "y" : "c" + std::to_string(i)});
  EXPECT_EQ(wide.import().errors, "");
}

// A body inside a body counts, wherever it comes from.
TEST(Functions, bodiesInFunctionsAreNestedSixteenDeepAtMost) {
  ModelFile m = model();
  m.input("c", {}, ::onnx::TensorProto::BOOL);
  body(function(m, "F0", {"c", "v"}, {"w"}), "Relu", {"v"}, {"w"});
  for (int i = 1; i <= 17; ++i) {
    auto& n = body(function(m, "F" + std::to_string(i), {"c", "v"}, {"w"}), "If", {"c"}, {"w"});
    for (const char* branch : {"then_branch", "else_branch"}) {
      auto& g = *ModelFile::attribute(n, branch, ::onnx::AttributeProto::GRAPH).mutable_g();
      auto& inner = *g.add_node();
      inner.set_op_type(branch[0] == 't' ? "F" + std::to_string(i - 1) : "Relu");
      inner.set_domain(branch[0] == 't' ? "mine" : "");
      if (branch[0] == 't') inner.add_input("c");
      inner.add_input("v");
      inner.add_output("r");
      g.add_output()->set_name("r");
    }
  }
  auto& n = call(m, "F16", {"c", "x"}, {"y"});
  EXPECT_EQ(m.import().errors, "");
  n.set_op_type("F17");
  EXPECT_THAT(m.text(), HasSubstr("graphs are nested too deeply (expected at most 16 deep)"));
}

TEST(Functions, makeNoMoreThanSoManyBytes) {
  ModelFile m = calling(9, 2);
  ModelFile::attribute(*m.model.mutable_functions(0)->mutable_node(0), "long", ::onnx::AttributeProto::STRING)
      .set_s(std::string(1 << 20, 'x'));
  EXPECT_THAT(m.text(), HasSubstr("functions make the model too large (expected at most 1000000 nodes and 268435456 "
                                  "bytes)"));
}

TEST(Fused, becomeWhatTheyWereFusedFrom) {
  ModelFile m(13);
  m.import_opset("com.microsoft", 1);
  m.input("x", {2, 3}).input("w", {3, 3}).output("y");
  const auto only = [&](const std::string& op, const std::vector<std::string>& inputs) -> ::onnx::NodeProto& {
    m.graph().clear_node();
    auto& n = m.node(op, inputs, {"y"});
    n.set_domain("com.microsoft");
    return n;
  };
  const auto text = [](::onnx::NodeProto& n, const std::string& name, const std::string& value) {
    ModelFile::attribute(n, name, ::onnx::AttributeProto::STRING).set_s(value);
  };
  only("Gelu", {"x"});
  EXPECT_THAT(m.text(), HasSubstr("\"y\" : ? = Gelu.20(%0) {approximate=\"none\"}"));
  only("FastGelu", {"x", "x"});
  EXPECT_THAT(m.text(), HasSubstr("{approximate=\"tanh\"}"));
  auto& gemm = only("FusedGemm", {"x", "w"});
  text(gemm, "activation", "LeakyRelu");
  ModelFile::set_float(gemm, "activation_alpha", 0.125f);
  EXPECT_THAT(m.text(), HasSubstr("LeakyRelu.20(%3) {alpha=0.125}"));
  text(only("FusedGemm", {"x", "w"}), "activation", "Cube");
  EXPECT_THAT(m.text(), HasSubstr("activation is not supported (found Cube"));
  auto& product = only("FusedMatMul", {"x", "w"});
  ModelFile::set_int(product, "transB", 1);
  ModelFile::set_float(product, "alpha", 2);
  EXPECT_THAT(m.text(), HasSubstr("Transpose.20(%1) {perm=[1, 0]}"));
  ModelFile::set_int(product, "transBatchA", 1);
  EXPECT_THAT(m.text(), HasSubstr("transBatchA and transBatchB need stacks of matrices of one rank"));
  only("SkipLayerNormalization", {"x", "x", "w", "", "w"});
  EXPECT_THAT(m.text(), HasSubstr("LayerNormalization.20(%4, %1) {axis=-1, epsilon="));
  auto& conv = only("FusedConv", {"x", "w", "", "x"});
  text(conv, "activation", "Clip");
  EXPECT_THAT(m.text(), HasSubstr("Add.20("));
}

}  // namespace
}  // namespace byoc
