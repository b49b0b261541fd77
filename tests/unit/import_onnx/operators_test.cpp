// What nodes of each opset become; every refusal of a node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using ::onnx::TensorProto;
using test::ModelFile;
using testing::HasSubstr;

TEST(Operators, typesInWhichNothingIsSetSayNothing) {
  ModelFile m(13);
  m.input("x", {2, 3}).output("y");
  m.node("Relu", {"x"}, {"a"});
  m.node("Tanh", {"a"}, {"y"});
  auto* info = m.graph().add_value_info();
  info->set_name("a");
  info->mutable_type();
  EXPECT_THAT(m.text(), HasSubstr("%1 \"a\" : ? = Relu.13(%0)"));
}

TEST(Operators, keepNamePositionVersionAndStatedTypes) {
  ModelFile m(13);
  m.input("x", {2, 3}).output("y");
  m.node("Relu", {"x"}, {"a"});
  m.node("Tanh", {"a"}, {"y"});
  ModelFile::describe(*m.graph().add_value_info(), "a", {2, 3});
  ModelFile::describe(*m.graph().add_value_info(), "nobody", {7});
  EXPECT_EQ(m.text(), R"(graph "model" requant=onnx {
  input %0 "x" : f32[2,3]
  %1 "a" : f32[2,3] = Relu.13(%0) @"the Relu" #0
  %2 "y" : ? = Tanh.13(%1) @"the Tanh" #1
  output %2
}
)");
}

TEST(Operators, areSorted) {
  ModelFile m;
  m.input("x", {2}).output("y");
  m.node("Tanh", {"a"}, {"y"});
  m.node("Relu", {"x"}, {"a"});
  const auto imported = m.import();
  ASSERT_TRUE(imported.graph) << imported.errors;
  EXPECT_EQ(imported.graph->nodes[0].op, "Relu");
  EXPECT_EQ(imported.graph->nodes[0].position, 1);
}

TEST(Operators, oldAttributesBecomeInputs) {
  ModelFile m(10);
  m.input("x", {4, 4}).output("y");
  auto& clip = m.node("Clip", {"x"}, {"a"});
  ModelFile::set_float(clip, "max", 6);
  ModelFile::set_ints(m.node("Squeeze", {"a"}, {"b"}), "axes", {0, 2});
  ModelFile::set_ints(m.node("ReduceMean", {"b"}, {"c"}), "axes", {1});
  auto& pad = m.node("Pad", {"c"}, {"d"});
  ModelFile::set_ints(pad, "pads", {1, 0});
  ModelFile::set_float(pad, "value", 2.5f);
  auto& split = m.node("Split", {"d"}, {"e", "unread", "y"});
  ModelFile::set_ints(split, "split", {1, 2, 1});
  EXPECT_EQ(m.text(), R"(graph "model" requant=onnx {
  input %0 "x" : f32[4,4]
  const %7 : f32[] = [6.0]
  const %8 : i64[2] = [0, 2]
  const %9 : i64[1] = [1]
  const %10 : i64[2] = [1, 0]
  const %11 : f32[] = [2.5]
  const %13 : i64[3] = [1, 2, 1]
  %1 "a" : ? = Clip.10(%0, _, %7) @"the Clip" #0
  %2 "b" : ? = Squeeze.10(%1, %8) @"the Squeeze" #1
  %3 "c" : ? = ReduceMean.10(%2, %9) @"the ReduceMean" #2
  %12 : ? = CastLike.20(%11, %3) @"the Pad" #3 of "Pad"
  %4 "d" : ? = Pad.10(%3, %10, %12) @"the Pad" #3
  %5 "e" : ?, _, %6 "y" : ? = Split.10(%4, %13) @"the Split" #4
  output %6
}
)");
}

TEST(Operators, oldSliceTakesInputs) {
  ModelFile m(9);
  m.input("x", {4, 4}).output("y");
  auto& slice = m.node("Slice", {"x"}, {"y"});
  ModelFile::set_ints(slice, "starts", {1});
  ModelFile::set_ints(slice, "ends", {3});
  ModelFile::set_ints(slice, "axes", {1});
  EXPECT_THAT(m.text(), HasSubstr("Slice.9(%0, %2, %3, %4) @"));
}

TEST(Operators, oldSoftmaxIsFlattenedAround) {
  ModelFile m(12);
  m.input("x", {1, 10, 1, 1}).output("y");
  m.node("Softmax", {"x"}, {"y"});
  EXPECT_EQ(m.text(), R"(graph "model" requant=onnx {
  input %0 "x" : f32[1,10,1,1]
  %2 : ? = Flatten.13(%0) {axis=1} @"the Softmax" #0 of "Softmax"
  %3 : ? = Softmax.13(%2) {axis=-1} @"the Softmax" #0
  %4 : ? = Shape.13(%0) @"the Softmax" #0 of "Softmax"
  %1 "y" : ? = Reshape.13(%3, %4) @"the Softmax" #0 of "Softmax"
  output %1
}
)");
}

TEST(Operators, newSoftmaxStays) {
  ModelFile m(13);
  m.input("x", {1, 10}).output("y");
  ModelFile::set_int(m.node("Softmax", {"x"}, {"y"}), "axis", 1);
  EXPECT_THAT(m.text(), HasSubstr("%1 \"y\" : ? = Softmax.13(%0) {axis=1}"));
}

TEST(Operators, sumBecomesAdds) {
  ModelFile m;
  m.input("x", {2}).input("z", {2}).output("y").output("one");
  m.node("Sum", {"x", "z", "x"}, {"y"});
  m.node("Sum", {"z"}, {"one"});
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("%4 : ? = Add.13(%0, %1) @\"the Sum\" #0 of \"Sum\"\n  %2 \"y\" : ? = Add.13(%4, %0)"));
  EXPECT_THAT(text, HasSubstr("\"one\" : ? = Identity.13(%1)"));
}

TEST(Operators, dropoutIsIdentityInInference) {
  ModelFile m(12);
  m.input("x", {2}).output("y");
  m.node("Dropout", {"x", "", "training"}, {"y", "mask"});
  auto& constant = m.node("Constant", {}, {"training"});
  auto& t = *ModelFile::attribute(constant, "value", ::onnx::AttributeProto::TENSOR).mutable_t();
  t.set_data_type(TensorProto::BOOL);
  t.set_raw_data(std::string(1, '\0'));
  EXPECT_THAT(m.text(), HasSubstr("= Identity.12(%0)"));
  t.set_raw_data(std::string(1, '\1'));
  EXPECT_THAT(m.text(), HasSubstr("training is not supported: it drops elements at random (found training_mode true, "
                                  "expected false, or a constant ratio of 0)"));
  auto& ratio = *m.graph().add_initializer();
  ratio.set_name("ratio");
  ratio.set_data_type(TensorProto::FLOAT);
  ratio.set_raw_data(std::string(4, '\0'));
  m.graph().mutable_node(0)->set_input(1, "ratio");
  EXPECT_THAT(m.text(), HasSubstr("= Identity.12(%1)"));
  ratio.set_raw_data(std::string("\0\0\0\x3f", 4));
  EXPECT_THAT(m.text(), HasSubstr("it drops elements at random"));
  m.graph().mutable_node(0)->set_input(2, "x");
  EXPECT_THAT(m.text(), HasSubstr("= Dropout.12(%1, %0, %1)"));  // a run says whether it trains
}

TEST(Operators, axisOfDftIsAnInput) {
  ModelFile m(17);
  m.input("x", {2, 8, 1}).output("y");
  auto& n = m.node("DFT", {"x"}, {"y"});
  EXPECT_THAT(m.text(), HasSubstr("i64[] = [1]\n  %1 \"y\" : ? = DFT.20(%0, _, %2)"));
  ModelFile::set_int(n, "axis", 0);
  EXPECT_THAT(m.text(), HasSubstr("i64[] = [0]"));
}

TEST(Operators, recurrentLayersMayGiveTheirLastStateAlone) {
  ModelFile m(14);
  m.input("x", {1, 1, 1}).input("w", {1, 1, 1}).output("h");
  m.node("RNN", {"x", "w", "w"}, {"", "h"});
  EXPECT_THAT(m.text(), HasSubstr("_, %2 \"h\" : ? = RNN.14(%0, %1, %1)"));
  m.graph().mutable_node(0)->set_output(0, "nobody");
  EXPECT_THAT(m.text(), HasSubstr("_, %2"));
  m.graph().mutable_node(0)->set_output(1, "");
  m.graph().clear_output();
  m.output("x");
  m.graph().mutable_node(0)->set_output(0, "");
  EXPECT_THAT(m.text(), HasSubstr("has no first output"));
}

TEST(Operators, batchNormalisation) {
  ModelFile m(8);
  m.input("x", {1, 2}).input("s", {2}).output("y");
  auto& n = m.node("BatchNormalization", {"x", "s", "s", "s", "s"}, {"y"});
  ModelFile::set_float(n, "momentum", 0.5f);
  ModelFile::set_float(n, "epsilon", 0.25f);
  EXPECT_THAT(m.text(), HasSubstr("BatchNormalization.8(%0, %1, %1, %1, %1) {epsilon=0.25}"));
  ModelFile::set_int(n, "spatial", 0);
  EXPECT_THAT(m.text(), HasSubstr("statistics per activation are not supported (found spatial 0, expected 1)"));
  m.model.mutable_opset_import(0)->set_version(14);
  n.mutable_attribute()->RemoveLast();
  ModelFile::set_int(n, "training_mode", 1);
  EXPECT_THAT(m.text(), HasSubstr("{epsilon=0.25, momentum=0.5, training_mode=1}"));
  m.output("mean");
  n.add_output("mean");
  n.mutable_attribute()->RemoveLast();
  EXPECT_THAT(m.text(), HasSubstr("output 1 is used, which only training has"));
}

TEST(Operators, constantsInEveryForm) {
  ModelFile m(13);
  for (const char* o : {"f", "fs", "i", "is", "t"}) m.output(o);
  ModelFile::set_float(m.node("Constant", {}, {"f"}), "value_float", 1.5f);
  auto& fs = ModelFile::attribute(m.node("Constant", {}, {"fs"}), "value_floats", ::onnx::AttributeProto::FLOATS);
  fs.add_floats(1);
  fs.add_floats(2);
  ModelFile::set_int(m.node("Constant", {}, {"i"}), "value_int", -7);
  ModelFile::set_ints(m.node("Constant", {}, {"is"}), "value_ints", {3, 4});
  auto& t = *ModelFile::attribute(m.node("Constant", {}, {"t"}), "value", ::onnx::AttributeProto::TENSOR).mutable_t();
  t.set_data_type(TensorProto::INT8);
  t.add_dims(2);
  t.add_int32_data(-1);
  t.add_int32_data(5);
  EXPECT_EQ(m.text(), R"(graph "model" requant=onnx {
  const %0 "f" : f32[] = [1.5]
  const %1 "fs" : f32[2] = [1.0, 2.0]
  const %2 "i" : i64[] = [-7]
  const %3 "is" : i64[2] = [3, 4]
  const %4 "t" : i8[2] = [-1, 5]
  output %0
  output %1
  output %2
  output %3
  output %4
}
)");
  m.graph().mutable_node(0)->clear_attribute();
  EXPECT_THAT(m.text(), HasSubstr("needs one value attribute (found 0, expected 1)"));
}

TEST(Operators, quantiseOutputTypeIsAZeroPoint) {
  ModelFile m(21);
  m.input("x", {2}).output("y");
  m.initialiser("s", TensorProto::FLOAT, {}).add_float_data(0.5f);
  auto& q = m.node("QuantizeLinear", {"x", "s"}, {"y"});
  ModelFile::set_int(q, "output_dtype", TensorProto::INT8);
  EXPECT_THAT(m.text(), HasSubstr("const %3 : i8[] = [0]"));
  q.mutable_attribute(0)->set_i(TensorProto::STRING);
  EXPECT_THAT(
      m.text(),
      HasSubstr("output_dtype is not supported (found string, expected an integer of at most 16 bits or a float "
                "of at most 8)"));
  q.mutable_attribute(0)->set_i(24);
  EXPECT_THAT(m.text(), HasSubstr("output_dtype is not supported (found float8e8m0"));
  q.mutable_attribute(0)->set_i(26);
  EXPECT_THAT(m.text(), HasSubstr("const %3 : i2[] = zeros"));
  q.mutable_attribute(0)->set_i(TensorProto::INT8);
  q.set_input(1, "x");
  // Of a scale that is computed, zeros of its shape.
  EXPECT_THAT(m.text(), HasSubstr("ConstantOfShape.20(%3)"));
  EXPECT_THAT(m.text(), HasSubstr("Cast.20(%4) {to=3}"));
  q.mutable_attribute(0)->set_name("block_size");
  EXPECT_THAT(m.text(), HasSubstr("block_size=3"));
}

TEST(Operators, refusalsNameTheNode) {
  const auto refused = [](ModelFile& m) {
    const auto imported = m.import();
    EXPECT_FALSE(imported.graph);
    return imported.errors;
  };
  {
    ModelFile m;
    m.input("x", {2}).output("y");
    m.node("ImageDecoder", {"x"}, {"y"});
    EXPECT_EQ(
        refused(m),
        "error: 'ImageDecoder 'the ImageDecoder' (#0)': operator is not supported in this version (found ImageDecoder "
        "of opset 13, expected opset 20 or newer)\n");
  }
  {
    ModelFile m;
    m.input("x", {2}).output("y");
    m.node("Frobnicate", {"x"}, {"y"});
    EXPECT_EQ(refused(m),
              "error: 'Frobnicate 'the Frobnicate' (#0)': operator is not supported (found Frobnicate of opset 13)\n");
  }
  {
    ModelFile m(15);
    m.input("x", {2}).output("y");
    m.node("Bernoulli", {"x"}, {"y"});
    EXPECT_THAT(refused(m), HasSubstr("operator is not supported: its results are random, and ONNX defines no sequence "
                                      "of numbers that they come from (found Bernoulli of opset 15)"));
  }
  {
    ModelFile m(8);
    m.input("x", {2}).output("y");
    m.node("ConstantOfShape", {"x"}, {"y"});
    EXPECT_THAT(refused(m), HasSubstr("operator is not supported in this version (found ConstantOfShape of opset 8, "
                                      "expected opset 9 or newer)"));
  }
  {
    ModelFile m;
    m.input("x", {2}).output("y");
    m.node("Relu", {"x"}, {"y"}).set_domain("com.example");
    EXPECT_THAT(refused(m), HasSubstr("operator set 'com.example' is not imported by the model"));
  }
  {
    ModelFile m;
    m.input("x", {2}).output("y");
    auto& n = m.node("Relu", {"x"}, {"y"});
    ModelFile::set_int(n, "alpha", 1);
    EXPECT_THAT(refused(m), HasSubstr("attribute 'alpha' is not supported (found opset 13)"));
    n.set_op_type("LeakyRelu");
    EXPECT_THAT(refused(m), HasSubstr("attribute 'alpha' has the wrong type (found INT, expected FLOAT)"));
    n.mutable_attribute(0)->set_type(::onnx::AttributeProto::FLOAT);
    *n.add_attribute() = n.attribute(0);
    EXPECT_THAT(refused(m), HasSubstr("attribute 'alpha' is given twice"));
    n.mutable_attribute()->RemoveLast();
    n.mutable_attribute(0)->set_ref_attr_name("outer");
    EXPECT_THAT(refused(m), HasSubstr("attribute 'alpha' refers to a function's attribute"));
  }
  {
    ModelFile m;
    m.input("x", {2}).output("y");
    m.node("Concat", {"x", "x"}, {"y"});
    EXPECT_THAT(refused(m), HasSubstr("'Concat 'the Concat' (#0)': attribute 'axis' is missing"));
  }
  {
    ModelFile m;
    m.input("x", {2}).output("y");
    m.node("Add", {"x"}, {"y"});
    EXPECT_THAT(refused(m), HasSubstr("has the wrong number of inputs (found 1, expected 2)"));
    m.graph().mutable_node(0)->add_input("");
    m.graph().mutable_node(0)->set_input(0, "");
    m.graph().mutable_node(0)->set_input(1, "x");
    EXPECT_THAT(refused(m), HasSubstr("input 0 is not given"));
    m.graph().mutable_node(0)->set_input(0, "nowhere");
    EXPECT_THAT(refused(m), HasSubstr("'Add 'the Add' (#0)': reads 'nowhere', which nothing computes"));
  }
  {
    ModelFile m;
    m.input("x", {1, 1, 2}).output("y").output("i");
    ModelFile::set_ints(m.node("AveragePool", {"x"}, {"y", "i"}), "kernel_shape", {2});
    EXPECT_THAT(refused(m), HasSubstr("output 1 'i' is used, which is not supported"));
  }
  {
    ModelFile m;
    m.input("x", {2}).output("x");
    m.node("Relu", {"x"}, {""});
    EXPECT_THAT(refused(m), HasSubstr("has no first output"));
  }
  {
    ModelFile m(18);
    m.input("x", {2}).output("y");
    ModelFile::set_int(m.node("Split", {"x"}, {"y"}), "num_outputs", 3);
    EXPECT_THAT(refused(m), HasSubstr("num_outputs does not fit the outputs (found 3, expected 1)"));
  }
}

// Operators of domains that are not known are nodes with what the model says of them; a codegen may know them.
TEST(Operators, thoseOfOtherDomainsStayAsTheyAre) {
  ModelFile m;
  m.input("x", {2}).output("y");
  m.import_opset("mine", 3);
  auto& n = m.node("Mine", {"x", "", "x"}, {"y", "unread"});
  n.set_domain("mine");
  ModelFile::set_int(n, "count", 4);
  ModelFile::set_ints(n, "sizes", {1, 2});
  EXPECT_THAT(m.text(), HasSubstr("= mine.Mine.3(%0, _, %0) {count=4, sizes=[1, 2]} @\"the Mine\" #0"));
  auto* table = n.add_attribute();
  table->set_name("table");
  table->set_type(::onnx::AttributeProto::TENSOR);
  const auto refused = m.import();
  EXPECT_FALSE(refused.graph);
  EXPECT_THAT(
      refused.errors,
      HasSubstr("'mine.Mine 'the Mine' (#0)': attribute 'table' of an operator that only a codegen knows cannot be "
                "handed over (found TENSOR, expected a number, a text, or a list of them)"));
}

}  // namespace
}  // namespace byoc
