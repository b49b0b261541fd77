// Models that are odd but real: what exporters and tools leave in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/tensors.hpp"
#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using test::ModelFile;
using testing::HasSubstr;

TEST(OddModels, outputsThatNobodyReads) {
  ModelFile m;
  m.input("x", {4}).output("y");
  m.node("Split", {"x"}, {"y", "z"});
  m.node("Neg", {"z"}, {"nobody"});
  m.node("Dropout", {"x"}, {"kept", ""});
  const auto imported = m.import();
  ASSERT_TRUE(imported.graph) << imported.errors;
  ir::Graph g = *imported.graph;
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {}, diags)) << test::error_text(diags);
  EXPECT_EQ(g.nodes.size(), 1u) << ir::print(g);
}

// ONNX Runtime warns and goes on; models with such outputs are in use.
TEST(OddModels, shapesThatAreStatedWrongly) {
  const auto prepared = [](const std::vector<std::int64_t>& dims, int dtype, std::string& said) {
    ModelFile m;
    m.input("x", {4}).output("y");
    auto& stated = *m.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
    stated.set_elem_type(dtype);
    for (const std::int64_t d : dims) stated.mutable_shape()->add_dim()->set_dim_value(d);
    m.node("Relu", {"x"}, {"y"}).set_name("act");
    const auto imported = m.import();
    ir::Graph g = *imported.graph;
    Diagnostics diags;
    const bool fine = static_cast<bool>(prepare(g, {}, diags));
    said.clear();
    for (const Diagnostic& d : diags.all()) said += to_string(d) + "\n";
    return fine ? to_string(g.values[g.outputs[0]].type, g) : "";
  };
  std::string said;
  EXPECT_EQ(prepared({4}, ::onnx::TensorProto::FLOAT, said), "f32[4]");
  EXPECT_EQ(said, "");
  EXPECT_EQ(prepared({2, 3}, ::onnx::TensorProto::FLOAT, said), "f32[4]");
  EXPECT_THAT(said, HasSubstr("warning: 'Relu 'act' (#0)': output 0 is stated with another shape than the operator "
                              "gives, which counts (found f32[2,3], expected f32[4])"));
  EXPECT_EQ(prepared({4}, ::onnx::TensorProto::INT32, said), "");
  EXPECT_THAT(said, HasSubstr("error: 'Relu 'act' (#0)': output 0 does not have the type that the model states"));
}

TEST(OddModels, nodesThatShareAName) {
  ModelFile m;
  m.input("x", {4}).output("y");
  m.node("Relu", {"x"}, {"a"}).set_name("same");
  m.node("Neg", {"a"}, {"y"}).set_name("same");
  EXPECT_THAT(m.text(), HasSubstr("%2 \"y\" : ? = Neg.13(%1) @\"same\" #1"));
  // Values must not: nobody could tell which one is read.
  m.node("Neg", {"x"}, {"a"});
  EXPECT_THAT(m.text(), HasSubstr("a"));
  EXPECT_TRUE(m.import().errors.find("error") != std::string::npos);
}

TEST(OddModels, metadataAndDocumentation) {
  ModelFile m;
  m.input("x", {4}).output("y");
  m.node("Relu", {"x"}, {"y"}).set_doc_string("what it is for");
  const std::string plain = m.text();
  auto* entry = m.model.add_metadata_props();
  entry->set_key("author");
  entry->set_value("somebody");
  m.model.set_doc_string("words");
  m.model.set_producer_name("pytorch");
  m.graph().set_doc_string("more words");
  EXPECT_EQ(m.text(), plain);
}

// As PyTorch's dynamo exporter names values, and its functions of pkg.onnxscript.
TEST(OddModels, namesWithDotsAndFunctionsOfOnnxscript) {
  ModelFile m(18);
  m.import_opset("pkg.onnxscript.torch_lib.common", 1);
  m.import_opset("pkg.torch.2.4.0", 1);
  m.input("l_x_", {2, 3}).output("model.fc.1/add:0");
  auto& rank = *m.model.add_functions();
  rank.set_domain("pkg.onnxscript.torch_lib.common");
  rank.set_name("Rank");
  rank.add_input("input");
  rank.add_output("return_val");
  rank.add_opset_import()->set_version(18);
  auto& shape = *rank.add_node();
  shape.set_op_type("Shape");
  shape.add_input("input");
  shape.add_output("tmp");
  auto& size = *rank.add_node();
  size.set_op_type("Size");
  size.add_input("tmp");
  size.add_output("return_val");
  auto& layer = *m.model.add_functions();
  layer.set_domain("pkg.torch.2.4.0");
  layer.set_name("torch_nn_modules_linear_Linear_fc_1");
  layer.add_input("x.1");
  layer.add_output("add_1");
  layer.add_opset_import()->set_version(18);
  auto* common = layer.add_opset_import();
  common->set_domain("pkg.onnxscript.torch_lib.common");
  common->set_version(1);
  auto& call = *layer.add_node();
  call.set_op_type("Rank");
  call.set_domain("pkg.onnxscript.torch_lib.common");
  call.add_input("x.1");
  call.add_output("rank.0");
  auto& cast = *layer.add_node();
  cast.set_op_type("Cast");
  ModelFile::set_int(cast, "to", ::onnx::TensorProto::FLOAT);
  cast.add_input("rank.0");
  cast.add_output("real.0");
  auto& add = *layer.add_node();
  add.set_op_type("Add");
  add.add_input("x.1");
  add.add_input("real.0");
  add.add_output("add_1");
  m.node("torch_nn_modules_linear_Linear_fc_1", {"l_x_"}, {"model.fc.1/add:0"}).set_domain("pkg.torch.2.4.0");
  const auto imported = m.import();
  ASSERT_TRUE(imported.graph) << imported.errors;
  ir::Graph g = *imported.graph;
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {}, diags)) << test::error_text(diags);
  // The rank is known: one addition is left.
  ASSERT_EQ(g.nodes.size(), 1u) << ir::print(g);
  EXPECT_EQ(g.nodes[0].op, "Add");
  EXPECT_EQ(g.values[g.outputs[0]].name, "model.fc.1/add:0");
}

// A file with holes: it takes no room on the disk, and what is mapped of it takes none in memory.
TEST(OddModels, externalDataBehindTwoAndFourGigabytes) {
  ModelFile m;
  m.input("x", {4}, ::onnx::TensorProto::INT8).output("y").output("all");
  constexpr std::uint64_t kFar = (std::uint64_t{5} << 30) + 64;
  constexpr std::int64_t kMany = (std::int64_t{5} << 29) + 3;  // more than 2^31
  const auto external = [&](const char* name, std::vector<std::int64_t> dims, std::uint64_t offset,
                            std::uint64_t length) {
    auto& t = m.initialiser(name, ::onnx::TensorProto::INT8, std::move(dims));
    t.set_data_location(::onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"location", "weights.bin"},
                                     {"offset", std::to_string(offset)},
                                     {"length", std::to_string(length)}}) {
      auto* e = t.add_external_data();
      e->set_key(key);
      e->set_value(value);
    }
  };
  external("k", {4}, kFar, 4);
  external("all", {kMany}, 4096, static_cast<std::uint64_t>(kMany));
  m.node("Add", {"x", "k"}, {"y"});
  m.write("", "weights.bin");
  std::error_code failed;
  std::filesystem::resize_file(m.path("weights.bin"), kFar, failed);
  if (failed) GTEST_SKIP() << "no files with holes here: " << failed.message();
  std::ofstream(m.path("weights.bin"), std::ios::binary | std::ios::app) << "wxyz";
  const auto imported = m.import();
  ASSERT_TRUE(imported.graph) << imported.errors;
  std::size_t found = 0;
  for (const ir::Value& v : imported.graph->values) {
    if (v.name == "k") {
      ++found;
      EXPECT_EQ(v.constant->bytes.bytes()[3], std::byte{'z'});
      EXPECT_EQ(v.constant->bytes.file_offset(), kFar);
    } else if (v.name == "all") {
      ++found;
      EXPECT_EQ(v.constant->bytes.size(), static_cast<std::size_t>(kMany));
    }
  }
  EXPECT_EQ(found, 2u);
}

}  // namespace
}  // namespace byoc
