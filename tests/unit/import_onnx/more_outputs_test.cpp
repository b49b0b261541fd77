#include "sdk/model/import/onnx/more_outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx-ml.pb.h>

namespace byoc::onnx_import {
namespace {

using ::testing::ElementsAre;

::onnx::ModelProto two_nodes() {
  ::onnx::ModelProto out;
  out.set_ir_version(8);
  ::onnx::GraphProto& graph = *out.mutable_graph();
  graph.set_name("g");
  graph.add_input()->set_name("x");
  for (const auto& [from, to] : {std::pair("x", "h"), {"h", "y"}}) {
    ::onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Relu");
    node.add_input(from);
    node.add_output(to);
  }
  graph.add_output()->set_name("y");
  return out;
}

std::string more(const std::string& model, const std::set<std::string>& names) {
  return with_more_outputs(std::as_bytes(std::span(model)), names);
}

TEST(MoreOutputs, AreValuesThatNodesCompute) {
  const std::string made = more(two_nodes().SerializeAsString(), {"h", "x", "y", "unknown", ""});
  ::onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(made));
  EXPECT_EQ(model.graph().node_size(), 2);
  EXPECT_EQ(model.graph().name(), "g");
  std::vector<std::string> names;
  for (const auto& output : model.graph().output()) names.push_back(output.name());
  EXPECT_THAT(names, ElementsAre("y", "h"));
}

TEST(MoreOutputs, AreNothingWithoutSuchNames) {
  EXPECT_EQ(more(two_nodes().SerializeAsString(), {"x", "y"}), "");
  EXPECT_EQ(more("no model", {"h"}), "");
  EXPECT_EQ(more(two_nodes().SerializeAsString().substr(0, 9), {"h"}), "");
}

}  // namespace
}  // namespace byoc::onnx_import
