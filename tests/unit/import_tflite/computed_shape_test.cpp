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

// The text of the prepared graph, or why there is none.
std::string prepared(const TfliteWriter& w) {
  Diagnostics diags;
  auto graph = import_bytes(w.bytes(), diags);
  if (!graph || !ir::verify(*graph, diags) || !prepare(*graph, {}, diags)) return to_string(diags.all().back());
  return ir::print(*graph);
}

// This file computes the shape behind the operator that reads it, where nobody knows it yet.
TEST(TfliteComputedShape, thatIsNotTheStatedOneIsRefused) {
  EXPECT_THAT(prepared(packed_shape(5)),
              HasSubstr("'TRANSPOSE_CONV 'y' (#0)': the shape that the model computes is not the one that it states "
                        "(found [1,5,9,3], expected [1,4,9,3])"));
}

// x f32[2,5], its shape, and a tensor whose shape is stated as [1,1], which stands for one that is computed.
struct Placeholder {
  TfliteWriter w;
  std::int32_t x = w.add("x", kF32, {2, 5}), shape = w.add("shape", kI32, {2}), y = w.add("y", kF32, {1, 1});

  Placeholder() {
    schema::ShapeOptionsT options;
    options.out_type = kI32;
    w.add_operator(BuiltinOperator::SHAPE, {x}, {shape}, options);
  }
  std::string text(std::vector<std::int32_t> outputs = {}) {
    w.boundary({x}, outputs.empty() ? std::vector<std::int32_t>{y} : std::move(outputs));
    return prepared(w);
  }
};

TEST(TfliteComputedShape, ofAFillGoesOnBehindIt) {
  Placeholder m;
  const auto value = m.w.constant<float>("value", kF32, {}, {1.5F}), z = m.w.add("z", kF32, {1, 1});
  m.w.add_operator(BuiltinOperator::FILL, {m.shape, value}, {m.y}, schema::FillOptionsT());
  m.w.add_operator(BuiltinOperator::ADD, {m.x, m.y}, {z}, schema::AddOptionsT());
  EXPECT_THAT(m.text({z}), HasSubstr("\"z\" : f32[2,5]"));
}

TEST(TfliteComputedShape, ofAReshapeIsThatOfItsOperand) {
  Placeholder m;
  m.w.tensor(static_cast<std::size_t>(m.y)).shape = {1, 10};
  m.w.add_operator(BuiltinOperator::RESHAPE, {m.x, m.shape}, {m.y}, schema::ReshapeOptionsT());
  EXPECT_THAT(m.text(), HasSubstr("\"y\" : f32[2,5]"));
}

TEST(TfliteComputedShape, saysWhatIsCutPaddedAndRepeated) {
  {
    Placeholder m;
    const auto begin = m.w.constant<std::int32_t>("begin", kI32, {2}, {0, 0});
    m.w.add_operator(BuiltinOperator::SLICE, {m.x, begin, m.shape}, {m.y}, schema::SliceOptionsT());
    EXPECT_THAT(m.text(), HasSubstr("\"y\" : f32[2,5]"));
  }
  {
    Placeholder m;
    m.w.add_operator(BuiltinOperator::TILE, {m.x, m.shape}, {m.y}, schema::TileOptionsT());
    EXPECT_THAT(m.text(), HasSubstr("\"y\" : f32[4,25]"));
  }
  {
    Placeholder m;
    const auto pads = m.w.add("pads", kI32, {2, 2});
    schema::PackOptionsT pack;
    pack.values_count = 2;
    m.w.add_operator(BuiltinOperator::PACK, {m.shape, m.shape}, {pads}, pack);
    m.w.add_operator(BuiltinOperator::PAD, {m.x, pads}, {m.y}, schema::PadOptionsT());
    EXPECT_THAT(m.text(), HasSubstr("\"y\" : f32[9,12]"));  // 2 + 2 + 5 and 5 + 2 + 5
  }
}

// A shape that depends on the elements of an input is checked when the model runs.
TEST(TfliteComputedShape, thatOnlyARunTellsIsCheckedThen) {
  TfliteWriter w;
  const auto n = w.add("n", kI32, {2}), dims = w.add("dims", kI32, {2}), y = w.add("y", kF32, {2, 3});
  const auto one = w.constant<std::int32_t>("one", kI32, {2}, {1, 1});
  const auto value = w.constant<float>("value", kF32, {}, {1.5F});
  w.add_operator(BuiltinOperator::ADD, {n, one}, {dims}, schema::AddOptionsT());
  w.add_operator(BuiltinOperator::FILL, {dims, value}, {y}, schema::FillOptionsT());
  w.boundary({n}, {y});
  Diagnostics diags;
  auto graph = import_bytes(w.bytes(), diags);
  ASSERT_TRUE(graph && prepare(*graph, {}, diags)) << to_string(diags.all()[0]);
  const auto run = [&](std::vector<std::int32_t> lengths) {
    const auto data = std::as_bytes(std::span(lengths));
    const evaluate::Tensor input{graph->values[graph->inputs[0]].type, Blob::own({data.begin(), data.end()})};
    return static_cast<bool>(evaluate::run(*graph, {&input, 1}, diags));
  };
  EXPECT_TRUE(run({1, 2}));
  EXPECT_FALSE(run({1, 3}));
  EXPECT_THAT(
      to_string(diags.all().back()),
      HasSubstr("'FILL 'y' (#1)': the shape that the model computes is not the one that it states (found [2,4], "
                "expected [2,3])"));
}

// An input of the model says a shape that the file leaves open: what it states instead stands for nothing.
TEST(TfliteComputedShape, asAnInputIsNoPlaceholder) {
  TfliteWriter w;
  const auto dims = w.add("dims", kI32, {2}), y = w.add("y", kF32, {1, 1});
  w.tensor(static_cast<std::size_t>(y)).shape_signature = {-1, -1};
  const auto value = w.constant<float>("value", kF32, {}, {1.5F});
  w.add_operator(BuiltinOperator::FILL, {dims, value}, {y}, schema::FillOptionsT());
  w.boundary({dims}, {y});
  EXPECT_THAT(prepared(w), HasSubstr("'FILL 'y' (#0)': the shape of the output 'y' is an input of the model (found "
                                     "input 0 'dims', expected a shape that is constant, or that the model computes)"));
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
    EXPECT_THAT(
        to_string(diags.all().back()),
        HasSubstr("the shape that the model computes is not the one that it states (found [1,9,12,64], expected "
                  "[1,3,12,64])"));
  }
}

}  // namespace
}  // namespace byoc::test
