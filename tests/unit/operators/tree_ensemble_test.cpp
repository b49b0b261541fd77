// ai.onnx.ml.TreeEnsemble through all layers.
#include <gmock/gmock.h>

#include <cstring>

#include "tests/support/text_bench.hpp"
#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc::test {
namespace {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// x[0] <= 1 ? leaf 0 : (x[1] in {2, 3} ? leaf 1 : leaf 2)
struct Trees : ModelFile {
  Trees() : ModelFile(21) {
    import_opset("ai.onnx.ml", 5);
    input("x", {4, 2}).output("y");
    node("TreeEnsemble", {"x"}, {"y"}).set_domain("ai.onnx.ml");
    set_int(tree(), "n_targets", 2);
    for (const auto& [name, values] : std::map<std::string, std::vector<std::int64_t>>{{"leaf_targetids", {0, 1, 1}},
                                                                                       {"nodes_featureids", {0, 1}},
                                                                                       {"nodes_truenodeids", {0, 1}},
                                                                                       {"nodes_trueleafs", {1, 1}},
                                                                                       {"nodes_falsenodeids", {1, 2}},
                                                                                       {"nodes_falseleafs", {0, 1}},
                                                                                       {"tree_roots", {0}}})
      set_ints(tree(), name, values);
    reals("leaf_weights", {5, 6, -7});
    reals("nodes_splits", {1, 0});
    reals("membership_values", {2, 3, NAN});
    auto& modes = *attribute(tree(), "nodes_modes", AttributeProto::TENSOR).mutable_t();
    modes.set_data_type(TensorProto::UINT8);
    modes.add_dims(2);
    modes.set_raw_data(std::string{'\0', '\6'});
  }

  ::onnx::NodeProto& tree() { return *graph().mutable_node(0); }
  ::onnx::AttributeProto& find(const std::string& name) {
    for (auto& a : *tree().mutable_attribute())
      if (a.name() == name) return a;
    return attribute(tree(), name, AttributeProto::INTS);
  }
  void reals(const std::string& name, const std::vector<float>& values) {
    auto& t = *attribute(tree(), name, AttributeProto::TENSOR).mutable_t();
    t.set_data_type(TensorProto::FLOAT);
    t.add_dims(static_cast<std::int64_t>(values.size()));
    t.set_raw_data(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
  }
};

TEST(TreeEnsemble, becomesTables) {
  Trees m;
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("= byoc.TreeEnsemble.1(%0, "));
  EXPECT_THAT(text, HasSubstr("{aggregate=\"sum\", n_targets=2}"));
  // The set of two is two nodes; what is below a node stands before it.
  EXPECT_THAT(text, HasSubstr("f32[3] = [3.0, 2.0, 1.0]"));
  EXPECT_THAT(text, HasSubstr("i32[3,4] = [1, 4, -2, -3, 1, 4, -2, 0, 0, 0, -1, 1]"));
  EXPECT_THAT(text, HasSubstr("i32[1] = [2]"));
}

TEST(TreeEnsemble, isRefusedByName) {
  const auto refused = [](const auto& change) {
    Trees m;
    change(m);
    return m.import().errors;
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_THAT(refused([](auto& m) { m.find("tree_roots").set_ints(0, 2); }), HasSubstr("there is no such node"));
  EXPECT_THAT(refused([](auto& m) { m.find("nodes_truenodeids").set_ints(0, 3); }), HasSubstr("there is no such leaf"));
  EXPECT_THAT(refused([](auto& m) { m.find("nodes_falsenodeids").set_ints(0, 0); }),
              HasSubstr("the nodes of a tree form a circle (found 0)"));
  EXPECT_THAT(refused([](auto& m) { m.find("leaf_targetids").set_ints(0, 2); }),
              HasSubstr("a leaf has no target (found 2, expected less than 2)"));
  EXPECT_THAT(refused([](auto& m) { m.find("nodes_trueleafs").add_ints(1); }), HasSubstr("different lengths"));
  EXPECT_THAT(refused([](auto& m) { m.find("leaf_targetids").add_ints(1); }), HasSubstr("different lengths"));
  EXPECT_THAT(refused([](auto& m) { m.find("nodes_modes").mutable_t()->set_raw_data(std::string{'\0', '\7'}); }),
              HasSubstr("a node has an unknown mode"));
  EXPECT_THAT(refused([](auto& m) { m.find("membership_values").mutable_t()->set_raw_data(std::string(12, '\0')); }),
              HasSubstr("membership_values end before"));
  EXPECT_THAT(refused([](auto& m) { ModelFile::set_int(m.tree(), "post_transform", 5); }),
              HasSubstr("post_transform is unknown (found 5"));
  EXPECT_THAT(refused([](auto& m) { ModelFile::set_int(m.tree(), "aggregate_function", 4); }),
              HasSubstr("aggregate_function is unknown (found 4"));
  EXPECT_THAT(refused([](auto& m) { m.find("leaf_weights").mutable_t()->set_data_type(TensorProto::INT32); }),
              HasSubstr("leaf_weights has an element type that is not supported (found i32"));
  // A tree that is a line.
  EXPECT_THAT(refused([](auto& m) {
                for (const char* name : {"nodes_featureids", "nodes_truenodeids", "nodes_trueleafs",
                                         "nodes_falsenodeids", "nodes_falseleafs"})
                  m.find(name).clear_ints();
                for (int n = 0; n < 2000; ++n) {
                  m.find("nodes_featureids").add_ints(0);
                  m.find("nodes_truenodeids").add_ints(0);
                  m.find("nodes_trueleafs").add_ints(1);
                  m.find("nodes_falsenodeids").add_ints(n < 1999 ? n + 1 : 0);
                  m.find("nodes_falseleafs").add_ints(n == 1999);
                }
                for (const char* name : {"nodes_modes", "nodes_splits"}) {
                  auto& t = *m.find(name).mutable_t();
                  t.set_dims(0, 2000);
                  t.set_raw_data(std::string(t.data_type() == TensorProto::FLOAT ? 8000 : 2000, '\0'));
                }
              }),
              HasSubstr("a tree is too deep (expected 1000 nodes)"));
}

// Two trees: x[0] <= 1 ? 4 : 5, and a leaf alone; the first leaf weighs two targets.
struct TreeModel : ModelFile {
  explicit TreeModel(const std::string& op, const std::string& prefix, int type = TensorProto::FLOAT) : ModelFile(21) {
    import_opset("ai.onnx.ml", 3);
    input("x", {4, 2}, type).output("y");
    const bool classifies = prefix == "class_";
    node(op, {"x"}, classifies ? std::vector<std::string>{"y", "scores"} : std::vector<std::string>{"y"})
        .set_domain("ai.onnx.ml");
    if (classifies) output("scores");
    for (const auto& [name, values] :
         std::map<std::string, std::vector<std::int64_t>>{{"nodes_treeids", {0, 0, 0, 1}},
                                                          {"nodes_nodeids", {0, 1, 2, 0}},
                                                          {"nodes_featureids", {0, 0, 0, 0}},
                                                          {"nodes_truenodeids", {1, 0, 0, 0}},
                                                          {"nodes_falsenodeids", {2, 0, 0, 0}},
                                                          {prefix + "treeids", {0, 1, 0, 0}},
                                                          {prefix + "nodeids", {1, 0, 2, 1}},
                                                          {prefix + "ids", {0, 0, 1, 1}}})
      set_ints(tree(), name, values);
    reals("nodes_values", {1, 0, 0, 0});
    reals(prefix + "weights", {4, 6, 5, 7});
    auto& modes = attribute(tree(), "nodes_modes", AttributeProto::STRINGS);
    for (const char* mode : {"BRANCH_LEQ", "LEAF", "LEAF", "LEAF"}) modes.add_strings(mode);
    if (classifies)
      set_ints(tree(), "classlabels_int64s", {10, 20});
    else
      set_int(tree(), "n_targets", 2);
  }

  ::onnx::NodeProto& tree() { return *graph().mutable_node(0); }
  ::onnx::AttributeProto& find(const std::string& name) {
    for (auto& a : *tree().mutable_attribute())
      if (a.name() == name) return a;
    return attribute(tree(), name, AttributeProto::INTS);
  }
  void reals(const std::string& name, const std::vector<float>& values) {
    auto& a = attribute(tree(), name, AttributeProto::FLOATS);
    for (const float v : values) a.add_floats(v);
  }
};

TEST(TreeEnsembleRegressor, becomesTables) {
  TreeModel m("TreeEnsembleRegressor", "target_");
  m.reals("base_values", {1, 2});
  ModelFile::attribute(m.tree(), "post_transform", AttributeProto::STRING).set_s("LOGISTIC");
  ModelFile::attribute(m.tree(), "aggregate_function", AttributeProto::STRING).set_s("AVERAGE");
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("{aggregate=\"average\", n_targets=2}"));
  EXPECT_THAT(text, HasSubstr("i32[1,4] = [0, 0, -1, -2]"));
  EXPECT_THAT(text, HasSubstr("i32[2] = [0, -3]"));       // roots
  EXPECT_THAT(text, HasSubstr("i32[4] = [0, 2, 3, 4]"));  // the first leaf has two weights
  EXPECT_THAT(text, HasSubstr("i32[4] = [0, 1, 1, 0]"));  // targets
  EXPECT_THAT(text, HasSubstr("f32[4] = [4.0, 7.0, 5.0, 6.0]"));
  EXPECT_THAT(text, HasSubstr("Add.20("));
  EXPECT_THAT(text, HasSubstr("Sigmoid.20("));
}

TEST(TreeEnsembleClassifier, givesLabelsAndScores) {
  const std::string text = TreeModel("TreeEnsembleClassifier", "class_", TensorProto::INT64).text();
  EXPECT_THAT(text, HasSubstr("CastLike.20(%0, "));  // integers are compared as float32
  EXPECT_THAT(text, HasSubstr("ArgMax.20("));
  EXPECT_THAT(text, HasSubstr("i64[2] = [10, 20]"));
  EXPECT_THAT(text, HasSubstr("\"y\" : ? = Gather.20("));
}

TEST(TreeEnsembleClassifier, takesWeightsOfTheFirstOfTwoClasses) {
  TreeModel m("TreeEnsembleClassifier", "class_");
  for (const int i : {2, 3}) m.find("class_ids").set_ints(i, 0);
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("n_targets=1"));
  EXPECT_THAT(text, HasSubstr("Greater.20("));
  EXPECT_THAT(text, Not(HasSubstr("Sigmoid")));
  m.find("class_weights").set_floats(0, -4);
  EXPECT_THAT(m.text(), HasSubstr("Neg.20("));
  ModelFile::attribute(m.tree(), "post_transform", AttributeProto::STRING).set_s("LOGISTIC");
  EXPECT_THAT(m.text(), HasSubstr("Sigmoid.20("));
}

TEST(TreeEnsembleRegressor, hasEveryPostTransform) {
  for (const auto& [name, op] :
       std::map<std::string, std::string>{{"SOFTMAX", "Softmax"}, {"SOFTMAX_ZERO", "ReduceMax"}, {"PROBIT", "Sign"}}) {
    TreeModel m("TreeEnsembleRegressor", "target_");
    ModelFile::attribute(m.tree(), "post_transform", AttributeProto::STRING).set_s(name);
    EXPECT_THAT(m.text(), HasSubstr(" = " + op + "."));
  }
}

TEST(TreeEnsembleRegressor, isRefusedByName) {
  const auto refused = [](const auto& change) {
    TreeModel m("TreeEnsembleRegressor", "target_");
    change(m);
    return m.import().errors;
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_THAT(refused([](auto& m) { m.find("nodes_treeids").add_ints(1); }),
              HasSubstr("the tables of the nodes have different lengths"));
  EXPECT_THAT(refused([](auto& m) { m.find("target_ids").add_ints(1); }),
              HasSubstr("the tables of the leaves have different lengths"));
  EXPECT_THAT(refused([](auto& m) { m.find("nodes_nodeids").set_ints(2, 1); }),
              HasSubstr("a node is there twice (found 1)"));
  EXPECT_THAT(refused([](auto& m) { m.find("nodes_truenodeids").set_ints(0, 9); }),
              HasSubstr("there is no such node (found 9)"));
  EXPECT_THAT(refused([](auto& m) { m.find("nodes_modes").set_strings(0, "BRANCH_MAYBE"); }),
              HasSubstr("a node has an unknown mode (found BRANCH_MAYBE"));
  EXPECT_THAT(refused([](auto& m) { m.find("target_nodeids").set_ints(0, 9); }),
              HasSubstr("a weight belongs to no node (found 9)"));
  EXPECT_EQ(refused([](auto& m) { m.find("target_nodeids").set_ints(0, 0); }), "");  // of an inner node
  EXPECT_THAT(refused([](auto& m) { m.reals("base_values", {1}); }),
              HasSubstr("base_values has the wrong length (found 1, expected 2)"));
  for (const char* name : {"post_transform", "aggregate_function"})
    EXPECT_THAT(refused([&](auto& m) { ModelFile::attribute(m.tree(), name, AttributeProto::STRING).set_s("MAYBE"); }),
                HasSubstr(name));
  TreeModel classes("TreeEnsembleClassifier", "class_");
  for (const int i : {0, 1, 2, 3}) classes.find("class_ids").set_ints(i, 1);
  EXPECT_THAT(classes.import().errors, HasSubstr("weights of one class alone are not supported in this form"));
  TreeModel named("TreeEnsembleClassifier", "class_");
  named.find("classlabels_int64s").set_name("classlabels_strings");
  named.find("classlabels_strings").set_type(AttributeProto::STRINGS);
  EXPECT_THAT(named.import().errors, HasSubstr("needs one list of class labels (found none"));
  ModelFile untyped(21);
  untyped.import_opset("ai.onnx.ml", 3);
  untyped.input("x", {2, 2}).output("y");
  untyped.import_opset("acme", 1);
  untyped.node("Features", {"x"}, {"p"}).set_domain("acme");
  untyped.node("TreeEnsembleRegressor", {"p"}, {"y"}).set_domain("ai.onnx.ml");
  EXPECT_THAT(untyped.import().errors, HasSubstr("the element type of the input is not stated"));
}

constexpr const char* kTree =
    "const %s : T[3] = [3.0, 2.0, 1.0] const %n : i32[3,4] = [1, 4, -2, -3, 1, 12, -2, 0, 0, 0, -1, 1] "
    "const %r : i32[2] = [2, 0] const %f : i32[4] = [0, 1, 3, 3] const %t : i32[3] = [0, 1, 0] "
    "const %w : T[3] = [5.0, 6.0, -7.0] ";

std::vector<float> evaluated(const std::string& aggregate) {
  std::string text = "graph \"t\" requant=onnx {\n input %x : f32[5,2] " + std::string(kTree) +
                     "%y : f32[5,2] = byoc.TreeEnsemble.1(%x, %s, %n, %r, %f, %t, %w) {aggregate=\"" + aggregate +
                     "\", n_targets=2} output %y\n}";
  for (std::size_t at = text.find(": T["); at != std::string::npos; at = text.find(": T["))
    text.replace(at, 3, ": f32");
  Diagnostics diags;
  const auto graph = ir::parse(text, "t.byoc", diags);
  if (!graph) return {};
  const std::vector<float> x = {1, 9, 2, 3, 2, 2, 2, 4, 2, NAN};
  const auto bytes = std::as_bytes(std::span(x));
  const std::vector<evaluate::Tensor> inputs = {
      {graph->values[graph->inputs[0]].type, Blob::own({bytes.begin(), bytes.end()})}};
  const auto outputs = evaluate::run(*graph, inputs, diags);
  if (!outputs) return {};
  std::vector<float> y(10);
  std::memcpy(y.data(), (*outputs)[0].bytes.data(), sizeof(float) * y.size());
  return y;
}

// The second tree is the first one's last node: x[1] == 3 ? leaf 1 : leaf 2, which has no targets.
TEST(TreeEnsemble, givesTargetsTheirWeights) {
  EXPECT_THAT(evaluated("sum"), ElementsAre(5, 0, -14, 12, -7, 6, 0, 0, -7, 6));
  EXPECT_THAT(evaluated("average"), ElementsAre(2.5F, 0, -7, 6, -3.5F, 3, 0, 0, -3.5F, 3));
  const float most = std::numeric_limits<float>::max();
  EXPECT_THAT(evaluated("min"), ElementsAre(5, most, -7, 6, -7, 6, most, most, -7, 6));
  EXPECT_THAT(evaluated("max"), ElementsAre(5, -most, -7, 6, -7, 6, -most, -most, -7, 6));
}

TEST(TreeEnsemble, isCompiled) {
  for (const char* aggregate : {"sum", "average", "min", "max"})
    for (const char* type : {"f32", "f64"}) {
      const std::string node =
          std::string("%y : T[7,2] = byoc.TreeEnsemble.1(%x, %s, %n, %r, %f, %t, %w) {aggregate=\"") + aggregate +
          "\", n_targets=2} output %y";
      EXPECT_EQ(TextBench(std::string("input %x : T[7,2] ") + kTree + node, type).check(host_machine()), "")
          << aggregate << " " << type;
    }
}

// Which look at nothing.
TEST(TreeEnsemble, ofLeavesAloneIsCompiled) {
  const std::string leaves =
      "input %x : T[3,2] const %s : T[0] = [] const %n : i32[0,4] = [] const %r : i32[2] = [-1, -2] "
      "const %f : i32[3] = [0, 1, 2] const %t : i32[2] = [0, 0] const %w : T[2] = [5.0, 6.0] "
      "%y : T[3,1] = byoc.TreeEnsemble.1(%x, %s, %n, %r, %f, %t, %w) {aggregate=\"sum\", n_targets=1} output %y";
  EXPECT_EQ(TextBench(leaves, "f32").check(host_machine()), "");
}

}  // namespace
}  // namespace byoc::test
