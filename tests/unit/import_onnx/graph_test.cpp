// Inputs, initialisers, types, names, and every refusal of the graph around the nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using ::onnx::TensorProto;
using test::ModelFile;
using testing::HasSubstr;

ModelFile relu() {
  ModelFile m;
  m.input("x", {2}).output("y");
  m.node("Relu", {"x"}, {"y"});
  return m;
}

TEST(Graph, initialisersThatAreInputsAreConstants) {
  ModelFile m(9);
  m.model.set_ir_version(3);
  m.input("x", {2}).input("w", {2}).output("y");
  m.initialiser("w", TensorProto::FLOAT, {2}).set_raw_data(std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  m.node("Add", {"x", "w"}, {"y"});
  EXPECT_EQ(m.text(), R"(graph "model" requant=onnx {
  input %1 "x" : f32[2]
  const %0 "w" : f32[2] = [1.0, 2.0]
  %2 "y" : ? = Add.9(%1, %0) @"the Add" #0
  output %2
}
)");
  m.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(3);
  EXPECT_THAT(m.text(), HasSubstr("'input 'w'': its initialiser has another type (found f32[2], expected f32[3])"));
}

TEST(Graph, openDimsAreSymbols) {
  ModelFile m = relu();
  auto* shape = m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(0)->set_dim_param("N");
  shape->add_dim();
  shape->add_dim()->set_dim_param("N");
  shape->add_dim()->set_dim_param("x_dim1_2");
  auto* other = m.graph().add_value_info();
  ModelFile::describe(*other, "y", {});
  other->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param("N");
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("symbols=[N, x_dim1, x_dim1_2]"));
  EXPECT_THAT(text, HasSubstr("input %0 \"x\" : f32[N,x_dim1,N,x_dim1_2]"));
  EXPECT_THAT(text, HasSubstr("%1 \"y\" : f32[N] ="));
}

TEST(Graph, inputsMayBeOutputs) {
  ModelFile m;
  m.input("x", {2}).output("x").output("x");
  EXPECT_THAT(m.text(), HasSubstr("output %0\n  output %0\n"));
}

TEST(Graph, refusals) {
  const auto refused = [](const std::function<void(ModelFile&)>& change) {
    ModelFile m = relu();
    change(m);
    const auto imported = m.import();
    EXPECT_FALSE(imported.graph);
    return imported.errors;
  };
  EXPECT_THAT(refused([](auto& m) { m.model.clear_graph(); }), HasSubstr("is not an ONNX model"));
  EXPECT_THAT(refused([](auto& m) { m.model.set_ir_version(2); }),
              HasSubstr("the IR version is not supported (found 2, expected 3 to 13)"));
  EXPECT_THAT(refused([](auto& m) { m.model.set_ir_version(99); }), HasSubstr("found 99"));
  EXPECT_THAT(refused([](auto& m) { m.model.mutable_opset_import(0)->set_version(0); }),
              HasSubstr("the version of operator set ai.onnx is not supported (found 0, expected 1 to 28)"));
  EXPECT_THAT(
      refused([](auto& m) { m.model.mutable_opset_import(0)->set_version(5); }),
      HasSubstr("operator is not supported in this version (found Relu of opset 5, expected opset 6 or newer)"));
  EXPECT_THAT(refused([](auto& m) { m.model.mutable_opset_import(0)->set_version(29); }), HasSubstr("found 29"));
  EXPECT_THAT(refused([](auto& m) { m.import_opset("ai.onnx", 12); }), HasSubstr("'' is imported twice"));
  EXPECT_THAT(refused([](auto& m) { m.model.clear_opset_import(); }),
              HasSubstr("does not import the operator set ai.onnx"));
  EXPECT_THAT(refused([](auto& m) { m.graph().clear_output(); }), HasSubstr("the graph has no outputs"));
  EXPECT_THAT(refused([](auto& m) { m.output("z"); }), HasSubstr("'output 'z'': nothing computes it"));
  EXPECT_THAT(refused([](auto& m) { m.input("", {1}); }), HasSubstr("has no name"));
  EXPECT_THAT(refused([](auto& m) { m.input("x", {2}); }), HasSubstr("'input 'x'': is listed twice"));
  EXPECT_THAT(refused([](auto& m) { m.node("Relu", {"x"}, {"y"}); }),
              HasSubstr("'Relu 'the Relu' (#1)': 'y' is defined twice"));
  EXPECT_THAT(refused([](auto& m) { m.input("i", {-5}); }),
              HasSubstr("'value 'i'': has a negative dimension (found -5, expected 0 or more)"));
  EXPECT_THAT(refused([](auto& m) { m.input("i", {1ll << 40, 1ll << 40}); }), HasSubstr("the tensor is too large"));
  EXPECT_THAT(refused([](auto& m) { m.input("i", {1}, TensorProto::COMPLEX64); }),
              HasSubstr("has an element type that is not supported (found complex64)"));
  EXPECT_THAT(refused([](auto& m) { m.input("i", {1}, 99); }), HasSubstr("found element type 99"));
  EXPECT_THAT(refused([](auto& m) {
                auto* i = m.graph().add_input();
                i->set_name("i");
                i->mutable_type()->mutable_map_type();
              }),
              HasSubstr("is neither a dense tensor, nor a sequence or an optional of such, which is all that is "
                        "supported (found a map)"));
  EXPECT_THAT(refused([](auto& m) {
                m.node("Relu", {"b"}, {"a"});
                m.node("Relu", {"a"}, {"b"});
              }),
              HasSubstr("is on a cycle"));
}

// Paddle's exporter writes -1 for a length that only a run tells.
TEST(Graph, aLengthOfMinusOneIsOpen) {
  ModelFile m;
  m.input("x", {-1, 3}).output("y");
  m.node("Relu", {"x"}, {"y"});
  EXPECT_THAT(m.text(), HasSubstr("input %0 \"x\" : f32[x_dim0,3]"));
}

// f32 elements at places of a tensor of zeros.
void fill(::onnx::SparseTensorProto& sparse, const std::string& name, std::vector<std::int64_t> dims,
          std::vector<std::int64_t> index_dims, std::vector<std::int64_t> indices, std::vector<float> elements) {
  sparse.mutable_values()->set_name(name);
  sparse.mutable_values()->set_data_type(TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(static_cast<std::int64_t>(elements.size()));
  for (const float f : elements) sparse.mutable_values()->add_float_data(f);
  sparse.mutable_indices()->set_data_type(TensorProto::INT64);
  for (const std::int64_t d : index_dims) sparse.mutable_indices()->add_dims(d);
  for (const std::int64_t i : indices) sparse.mutable_indices()->add_int64_data(i);
  for (const std::int64_t d : dims) sparse.add_dims(d);
}

TEST(Graph, sparseInitialisersAreReadAsAWhole) {
  ModelFile m;
  m.input("x", {2, 3}).output("y");
  fill(*m.graph().add_sparse_initializer(), "flat", {2, 3}, {2}, {1, 5}, {7, 8});
  fill(*m.graph().add_sparse_initializer(), "placed", {2, 3}, {2, 2}, {0, 2, 1, 0}, {3, 4});
  auto& constant = m.node("Constant", {}, {"c"});
  fill(*ModelFile::attribute(constant, "sparse_value", ::onnx::AttributeProto::SPARSE_TENSOR).mutable_sparse_tensor(),
       "", {3}, {1}, {2}, {9});
  m.node("Sum", {"x", "flat", "placed", "c"}, {"y"});
  const std::string text = m.text();
  EXPECT_THAT(text, HasSubstr("\"flat\" : f32[2,3] = [0.0, 7.0, 0.0, 0.0, 0.0, 8.0]"));
  EXPECT_THAT(text, HasSubstr("\"placed\" : f32[2,3] = [0.0, 0.0, 3.0, 4.0, 0.0, 0.0]"));
  EXPECT_THAT(text, HasSubstr("\"c\" : f32[3] = [0.0, 0.0, 9.0]"));
}

TEST(Graph, damagedSparseInitialisersAreRefused) {
  const auto refused = [](std::vector<std::int64_t> dims, std::vector<std::int64_t> index_dims,
                          std::vector<std::int64_t> indices) {
    ModelFile m;
    m.output("w");
    fill(*m.graph().add_sparse_initializer(), "w", std::move(dims), std::move(index_dims), std::move(indices), {1, 2});
    return m.import().errors;
  };
  EXPECT_THAT(
      refused({2, 3}, {2}, {1, 6}),
      HasSubstr("'initialiser 'w'': is a sparse tensor with an element beyond its end (found element 1, expected "
                "positions inside of the shape)"));
  EXPECT_THAT(refused({2, 3}, {2, 2}, {0, 0, 0, 3}), HasSubstr("an element beyond its end (found element 1"));
  EXPECT_THAT(refused({2, 3}, {2}, {-1, 0}), HasSubstr("an element beyond its end (found element 0"));
  EXPECT_THAT(
      refused({2, 3}, {3}, {0, 1, 2}),
      HasSubstr("is a sparse tensor without a position for each element (found 3, expected 2, or as many for each "
                "of 2 dimensions)"));
  EXPECT_THAT(refused({1 << 20, 1 << 20}, {2}, {0, 1}), HasSubstr("is too large, or has a negative dimension"));
  EXPECT_THAT(refused({1 << 12}, {2}, {0, 1}),
              HasSubstr("is a sparse tensor that is too large for what is stored of it (found 16384 bytes, expected at "
                        "most 1024 times the bytes of its elements)"));
  ModelFile few;
  few.output("w");
  auto& sparse = *few.graph().add_sparse_initializer();
  fill(sparse, "w", {4}, {1}, {0}, {1});
  sparse.mutable_values()->set_data_type(22);  // INT4
  sparse.mutable_values()->clear_float_data();
  sparse.mutable_values()->add_int32_data(1);
  EXPECT_THAT(few.import().errors,
              HasSubstr("whose elements are not supported (found i4, expected a list of elements"));
}

// A model of scikit-learn's states maps for its scores.
TEST(Graph, mapsThatAModelGivesAreTensors) {
  ModelFile m(17);
  m.import_opset("ai.onnx.ml", 3);
  m.input("x", {2, 3}).output("scores");
  auto& zip = m.node("ZipMap", {"x"}, {"scores"});
  zip.set_domain("ai.onnx.ml");
  ModelFile::set_ints(zip, "classlabels_int64s", {0, 1, 2});
  auto& maps = *m.graph().mutable_output(0)->mutable_type()->mutable_sequence_type();
  maps.mutable_elem_type()->mutable_map_type()->set_key_type(TensorProto::INT64);
  EXPECT_THAT(m.text(), HasSubstr("\"scores\" : ? = Identity.20(%0)"));
}

TEST(Graph, severalErrorsAreReportedTogether) {
  ModelFile m;
  m.input("x", {2}).output("y");
  m.node("ImageDecoder", {"x"}, {"y"});
  m.node("RandomNormal", {"x"}, {"z"});
  const std::string errors = m.text();
  EXPECT_THAT(errors, HasSubstr("ImageDecoder of opset 13"));
  EXPECT_THAT(errors, HasSubstr("RandomNormal of opset 13"));
}

}  // namespace
}  // namespace byoc
