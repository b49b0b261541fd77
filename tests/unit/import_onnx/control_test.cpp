// If, Loop and Scan: what a body captures becomes explicit.
#include <gmock/gmock.h>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using testing::Not;

::onnx::GraphProto& body(::onnx::NodeProto& n, const std::string& name) {
  auto& g = *ModelFile::attribute(n, name, ::onnx::AttributeProto::GRAPH).mutable_g();
  g.set_name(name);
  return g;
}

::onnx::NodeProto& add(::onnx::GraphProto& g, const std::string& op, const std::vector<std::string>& inputs,
                       const std::string& output) {
  auto& n = *g.add_node();
  n.set_op_type(op);
  for (const auto& i : inputs) n.add_input(i);
  n.add_output(output);
  return n;
}

// Both branches of one If, one of them with an If inside that captures from the outermost graph.
ModelFile nested() {
  ModelFile m;
  m.input("c", {}, ::onnx::TensorProto::BOOL).input("x", {2}).input("z", {2}).output("y");
  m.initialiser("k", ::onnx::TensorProto::FLOAT, {2}).add_float_data(1);
  m.graph().mutable_initializer(0)->add_float_data(2);
  auto& n = m.node("If", {"c"}, {"y"});
  auto& t = body(n, "then_branch");
  add(t, "Add", {"x", "k"}, "r");
  t.add_output()->set_name("r");
  auto& e = body(n, "else_branch");
  auto& inner = add(e, "If", {"c"}, "s");
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto& g = body(inner, branch);
    add(g, "Mul", {branch[0] == 't' ? "z" : "x", "x"}, "u");
    g.add_output()->set_name("u");
  }
  e.add_output()->set_name("s");
  return m;
}

TEST(OnnxControl, capturesBecomeInputsAndConstantsBecomeTheBodys) {
  const std::string text = nested().text();
  // x of the first branch; then the condition and z, which only the second one reads.
  EXPECT_THAT(text, HasSubstr("If.13("));
  const auto imported = nested().import();
  ASSERT_TRUE(imported.graph) << imported.errors;
  const ir::Node& node = imported.graph->nodes.at(0);
  EXPECT_EQ(node.inputs.size(), 4u);
  const auto& then_branch = *std::get<std::shared_ptr<ir::Graph>>(node.attributes.at("then_branch"));
  EXPECT_EQ(then_branch.inputs.size(), 3u);
  EXPECT_TRUE(then_branch.is_constant(then_branch.nodes[0].inputs[1]));
  const auto& else_branch = *std::get<std::shared_ptr<ir::Graph>>(node.attributes.at("else_branch"));
  EXPECT_EQ(else_branch.nodes[0].inputs.size(), 3u);
}

TEST(OnnxControl, aLoopMayLeaveOutWhatIsOptional) {
  ModelFile m;
  m.input("x", {2}).input("go", {}, ::onnx::TensorProto::BOOL).output("y");
  auto& n = m.node("Loop", {"", "go", "x"}, {"y"});
  auto& g = body(n, "body");
  ModelFile::describe(*g.add_input(), "i", {}, ::onnx::TensorProto::INT64);
  ModelFile::describe(*g.add_input(), "last", {}, ::onnx::TensorProto::BOOL);
  ModelFile::describe(*g.add_input(), "v", {2});
  add(g, "Add", {"v", "x"}, "w");
  add(g, "Identity", {"go"}, "again");
  g.add_output()->set_name("again");
  g.add_output()->set_name("w");
  const auto imported = m.import();
  ASSERT_TRUE(imported.graph) << imported.errors;
  const ir::Node& node = imported.graph->nodes.at(0);
  EXPECT_EQ(node.integer("captures", 0), 2);
  EXPECT_EQ(node.inputs.size(), 5u);
  EXPECT_EQ(node.inputs[0], ir::kNoValue);
}

TEST(OnnxControl, scanOfOpset8IsAScanOverTheBatch) {
  ModelFile m(8);
  m.input("h", {3, 2}).input("x", {3, 4, 2}).output("y").output("z");
  auto& n = m.node("Scan", {"", "h", "x"}, {"y", "z"});
  ModelFile::set_int(n, "num_scan_inputs", 1);
  ModelFile::set_ints(n, "directions", {1});
  auto& g = body(n, "body");
  ModelFile::describe(*g.add_input(), "a", {2});
  ModelFile::describe(*g.add_input(), "b", {2});
  add(g, "Add", {"a", "b"}, "s");
  g.add_output()->set_name("s");
  g.add_output()->set_name("s");
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("num_scan_inputs=2"));
  EXPECT_THAT(text, HasSubstr("num_scan_inputs=1, scan_input_directions=[1]"));
  EXPECT_THAT(text, Not(HasSubstr(" directions=")));
  // With lengths: both Scans read the numbers of steps, and the inner one the length; input and output go forwards.
  m.input("n", {3}, ::onnx::TensorProto::INT64);
  n.set_input(0, "n");
  const std::string bounded = m.text();
  EXPECT_THAT(bounded, HasSubstr("ReverseSequence.20("));
  EXPECT_THAT(bounded, HasSubstr("captures=0, num_scan_inputs=4"));
  EXPECT_THAT(bounded, HasSubstr("captures=1, num_scan_inputs=2"));
  EXPECT_THAT(bounded, HasSubstr("scan_input_directions=[0, 0]"));
  n.mutable_input()->RemoveLast();
  EXPECT_THAT(m.import().errors, HasSubstr("has fewer inputs than its body takes"));
}

// If inside If, `depth` of them.
ModelFile tower(int depth) {
  ModelFile m;
  m.input("c", {}, ::onnx::TensorProto::BOOL).input("x", {2}).output("y");
  ::onnx::GraphProto* g = &m.graph();
  for (int i = 0; i < depth; ++i) {
    auto& n = add(*g, "If", {"c"}, i == 0 ? "y" : "r" + std::to_string(i));
    n.set_name("level " + std::to_string(i));
    const std::string result = "r" + std::to_string(i + 1);
    ::onnx::GraphProto& other = body(n, "else_branch");
    add(other, "Abs", {"x"}, result);
    other.add_output()->set_name(result);
    g = &body(n, "then_branch");
    g->add_output()->set_name(result);
  }
  add(*g, "Neg", {"x"}, "r" + std::to_string(depth));
  return m;
}

TEST(OnnxControl, bodiesAreNestedSixteenDeepAtMost) {
  EXPECT_EQ(tower(16).import().errors, "");
  EXPECT_THAT(tower(17).import().errors,
              HasSubstr("'If 'level 16' (#0)': graphs are nested too deeply (expected at most 16 deep)"));
}

TEST(OnnxControl, refusesBodiesThatDoNotFit) {
  ModelFile m = nested();
  m.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(0, "nobody");
  EXPECT_THAT(m.import().errors, HasSubstr("reads 'nobody', which nothing computes"));
  ModelFile extra = nested();
  extra.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->add_output()->set_name("r");
  EXPECT_THAT(extra.import().errors, HasSubstr("gives another number of values than the node"));
  ModelFile missing = nested();
  missing.graph().mutable_node(0)->mutable_attribute()->RemoveLast();
  EXPECT_THAT(missing.import().errors, HasSubstr("attribute 'else_branch' is missing"));
}

}  // namespace
}  // namespace byoc::test
