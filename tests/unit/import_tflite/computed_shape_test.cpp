// TRANSPOSE_CONV whose output shape is computed: folded where the model says what it comes to, checked by a run where
// not.
#include <gmock/gmock.h>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/model_files.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;

// As Keras exporters write it: the batch of x, and lengths of their own, packed. x i8[1,2,3,4] -> y i8[1,4,9,3].
TfliteWriter packed_shape(std::int32_t height) {
  TfliteWriter w = transpose_conv_model();  // 0: shape, 1: w, 2: x, 3: b, 4: y
  w.tensor(0).buffer = 0;
  const auto dims = w.add("dims", kI32, {4}), batch = w.add("batch", kI32, {});
  std::vector<std::int32_t> slice = {dims};
  for (const std::int32_t at : {0, 1, 1}) slice.push_back(w.constant<std::int32_t>("at", kI32, {1}, {at}));
  std::vector<std::int32_t> lengths = {batch};
  for (const std::int32_t length : {height, 9, 3})
    lengths.push_back(w.constant<std::int32_t>("length", kI32, {}, {length}));
  schema::ShapeOptionsT shape;
  shape.out_type = kI32;
  w.add_operator(BuiltinOperator::SHAPE, {2}, {dims}, shape);
  schema::StridedSliceOptionsT strided;
  strided.shrink_axis_mask = 1;
  w.add_operator(BuiltinOperator::STRIDED_SLICE, slice, {batch}, strided);
  schema::PackOptionsT pack;
  pack.values_count = 4;
  w.add_operator(BuiltinOperator::PACK, lengths, {0}, pack);
  return w;
}

TEST(TfliteComputedShape, isFoldedWhereTheModelSaysIt) {
  Diagnostics diags;
  auto graph = import_bytes(packed_shape(4).bytes(), diags);
  ASSERT_TRUE(graph) << to_string(diags.all()[0]);
  ASSERT_TRUE(prepare(*graph, {}, diags)) << to_string(diags.all()[0]);
  ASSERT_EQ(graph->nodes.size(), 1U) << ir::print(*graph);
  EXPECT_EQ(graph->nodes[0].op, "ConvTranspose");
}

TEST(TfliteComputedShape, thatIsNotTheStatedOneIsRefused) {
  Diagnostics diags;
  auto graph = import_bytes(packed_shape(5).bytes(), diags);
  ASSERT_TRUE(graph) << to_string(diags.all()[0]);
  EXPECT_FALSE(prepare(*graph, {}, diags));
  EXPECT_THAT(to_string(diags.all().back()),
              HasSubstr("'byoc.Expect 'y' (#0)': the model was made for other numbers (found [1,5,9,3], expected "
                        "[1,4,9,3])"));
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An int16 layer of TensorFlow Lite Micro's own tests, with its results. The shapes that come with them are none: the
// kernel does not look at them.
TEST(TfliteComputedShape, asAnInputIsChecked) {
  const auto path = model_file("computed_shape/transpose_conv0.tflite");
  if (!path) GTEST_SKIP() << "../shared/models/computed_shape is not there";
  const std::filesystem::path folder = std::filesystem::path(*path).parent_path();
  Diagnostics diags;
  auto graph = import_tflite(*path, diags);
  ASSERT_TRUE(graph && prepare(*graph, {}, diags)) << to_string(diags.all()[0]);
  const auto run = [&](const std::string& shape, const std::string& x) {
    std::vector<evaluate::Tensor> inputs;
    for (const std::string& bytes : {shape, x}) {
      const auto data = std::as_bytes(std::span(bytes));
      inputs.push_back({graph->values[graph->inputs[inputs.size()]].type, Blob::own({data.begin(), data.end()})});
    }
    return evaluate::run(*graph, inputs, diags);
  };
  for (const std::string k : {"0", "1"}) {
    const std::string shape = contents(folder / ("input_0_" + k + ".raw"));
    const std::string x = contents(folder / ("input_1_" + k + ".raw"));
    const auto results = run(shape, x);
    ASSERT_TRUE(results) << to_string(diags.all()[0]);
    const auto found = (*results)[0].bytes.bytes();
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(found.data()), found.size()),
              contents(folder / ("output_0_" + k + ".raw")));
    const auto words = [](std::int32_t height) {
      const std::int32_t all[] = {1, height, 12, 64};
      return std::string(reinterpret_cast<const char*>(all), sizeof all);
    };
    EXPECT_TRUE(run(words(3), x));
    EXPECT_FALSE(run(words(9), x));
    EXPECT_THAT(to_string(diags.all().back()),
                HasSubstr("the model was made for other numbers (found [1,9,12,64], expected [1,3,12,64])"));
  }
}

}  // namespace
}  // namespace byoc::test
