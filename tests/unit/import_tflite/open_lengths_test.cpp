// Lengths that a model leaves open, which the caller binds: what follows from them gets another shape than is stated.
#include <gmock/gmock.h>

#include "sdk/model/prepare/prepare.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using Lengths = std::map<std::string, std::int64_t>;

// Tensors whose shape is stated with a length of 1 where it is -1.
class OpenModel {
 public:
  std::int32_t open(const std::string& name, const std::vector<std::int32_t>& dims, TensorType type = kF32) {
    std::vector<std::int32_t> stated;
    for (const std::int32_t d : dims) stated.push_back(d == -1 ? 1 : d);
    const std::int32_t index = writer.add(name, type, stated);
    writer.tensor(static_cast<std::size_t>(index)).shape_signature = dims;
    return index;
  }
  std::int32_t numbers(const std::vector<std::int32_t>& values) {
    return writer.constant<std::int32_t>("c", kI32, {static_cast<std::int32_t>(values.size())}, values);
  }
  // The graph, prepared; the last error where there is none.
  [[nodiscard]] std::string text(Lengths lengths) const {
    const Folder folder;
    const std::string path = folder.file("model.tflite");
    write_file(path, writer.bytes());
    Diagnostics diags;
    auto g = import_tflite(path, diags, {}, &lengths);
    if (!g || !ir::verify(*g, diags) || !prepare(*g, {}, diags)) return to_string(diags.all().back());
    EXPECT_TRUE(lengths.empty());
    return ir::print(*g);
  }

  TfliteWriter writer;
};

// x [-1,-1,2]; twice x along dim 1, and a row of it, [-1,6].
OpenModel with_fixed_rank() {
  OpenModel m;
  TfliteWriter& w = m.writer;
  const auto x = m.open("x", {-1, -1, 2}), two = m.open("two", {-1, -1, 2}), y = m.open("y", {-1, 6});
  schema::ConcatenationOptionsT along;
  along.axis = 1;
  w.add_operator(BuiltinOperator::CONCATENATION, {x, x}, {two}, along);
  w.add_operator(BuiltinOperator::RESHAPE, {two, m.numbers({-1, 6})}, {y});
  w.boundary({x}, {y});
  return m;
}

TEST(TfliteOpenLengths, areBoundByTheNameOfTheTensorAndTheDim) {
  const OpenModel m = with_fixed_rank();
  const std::string text = m.text({{"x.0", 2}, {"x.1", 3}});
  EXPECT_THAT(text, HasSubstr("\"x\" : f32[2,3,2]"));
  EXPECT_THAT(text, HasSubstr("\"two\" : f32[2,6,2]"));
  EXPECT_THAT(text, HasSubstr("\"y\" : f32[4,6]"));
  EXPECT_THAT(m.text({{"x.1", 3}}), HasSubstr("\"y\" : f32[2,6]"));
}

TEST(TfliteOpenLengths, areStatedOnesOtherwise) {
  OpenModel m = with_fixed_rank();
  EXPECT_THAT(m.text({}), HasSubstr("have different sizes (found 2 and 6 elements)"));
  Diagnostics diags;
  EXPECT_FALSE(import_bytes(m.writer.bytes(), diags));
  EXPECT_EQ(to_string(diags.all()[0]).substr(to_string(diags.all()[0]).find("warning")),
            "warning: dimension 'x.1' is open (found length 1, expected a length, bound with --dim x.1=LENGTH)");
}

TEST(TfliteOpenLengths, mustBeThereAndInRange) {
  const OpenModel m = with_fixed_rank();
  EXPECT_THAT(m.text({{"x.2", 3}}),
              HasSubstr("the model has no open dimension of this name (found x.2, expected 'x.0', 'x.1')"));
  EXPECT_THAT(m.text({{"x.1", -1}}), HasSubstr("dimension 'x.1' is out of range (found -1, expected 0 to 2147483647)"));
  EXPECT_THAT(m.text({{"x.1", 4}}), HasSubstr("have different sizes (found 16 and 12 elements)"));
  // 2^31 - 1 squared, times 8 bytes.
  EXPECT_THAT(m.text({{"x.0", INT32_MAX}, {"x.1", INT32_MAX}}), HasSubstr("input 'x' is too large"));
}

// As Keras writes Flatten: the batch out of the shape of x, and what is left.
TEST(TfliteOpenLengths, leaveOneOfAComputedShape) {
  for (const bool one : {true, false}) {
    OpenModel m;
    TfliteWriter& w = m.writer;
    const auto x = m.open("x", {-1, -1, 2}), y = m.open("y", one ? std::vector{-1, 2} : std::vector{-1, -1});
    const auto shape = w.add("shape", kI32, {3}), wanted = w.add("wanted", kI32, {2});
    schema::ShapeOptionsT of;
    of.out_type = kI32;
    w.add_operator(BuiltinOperator::SHAPE, {x}, {shape}, of);
    w.add_operator(BuiltinOperator::SLICE, {shape, m.numbers({1}), m.numbers({2})}, {wanted});
    w.add_operator(BuiltinOperator::RESHAPE, {x, wanted}, {y});
    w.boundary({x}, {y});
    EXPECT_THAT(m.text({{"x.1", 5}}), HasSubstr("\"y\" : f32[5,2]"));
  }
}

// A shape that is computed follows from shapes; one that depends on elements does not.
TEST(TfliteOpenLengths, reachComputedShapes) {
  OpenModel m;
  TfliteWriter& w = m.writer;
  const auto x = m.open("x", {-1, 4}), y = m.open("y", {-1, 4}), shape = w.add("shape", kI32, {2});
  schema::ShapeOptionsT of;
  of.out_type = kI32;
  w.add_operator(BuiltinOperator::SHAPE, {x}, {shape}, of);
  w.add_operator(BuiltinOperator::FILL, {shape, w.constant<float>("v", kF32, {}, {1})}, {y});
  w.boundary({x}, {y});
  EXPECT_THAT(m.text({{"x.0", 5}}), HasSubstr("\"y\" : f32[5,4]"));
  EXPECT_THAT(m.text({}), HasSubstr("\"y\" : f32[1,4]"));
}

TEST(TfliteOpenLengths, doNotReachShapesThatOnlyARunTells) {
  for (const bool fills : {true, false}) {
    OpenModel m;
    TfliteWriter& w = m.writer;
    const auto x = m.open("x", {-1, 4}), y = m.open("y", {-1, fills ? 4 : -1});
    const auto n = w.add("n", kI32, {2}), twice = w.add("twice", kI32, {2});
    w.add_operator(BuiltinOperator::ADD, {n, n}, {twice}, schema::AddOptionsT());
    if (fills)
      w.add_operator(BuiltinOperator::FILL, {twice, w.constant<float>("v", kF32, {}, {1})}, {y});
    else
      w.add_operator(BuiltinOperator::RESHAPE, {x, twice}, {y});
    w.boundary({x, n}, {y});
    EXPECT_THAT(m.text({{"x.0", 5}}), HasSubstr(fills ? "the shape of the output is computed"
                                                      : "more than one dimension of the output 'y' is computed"));
  }
}

TEST(TfliteOpenLengths, reachSumsAndPacks) {
  OpenModel m;
  TfliteWriter& w = m.writer;
  const auto x = m.open("x", {-1}), sum = m.open("sum", {-1}), packed = m.open("packed", {-1, 2});
  w.add_operator(BuiltinOperator::ADD_N, {x, x, x}, {sum});
  schema::PackOptionsT pack;
  pack.values_count = 2;
  pack.axis = 1;
  w.add_operator(BuiltinOperator::PACK, {x, sum}, {packed}, pack);
  w.boundary({x}, {packed});
  EXPECT_THAT(m.text({{"x.0", 7}}), HasSubstr("\"packed\" : f32[7,2]"));
}

TEST(TfliteOpenLengths, reachPicturesOfAGivenSize) {
  OpenModel m;
  TfliteWriter& w = m.writer;
  const auto x = m.open("x", {-1, 2, 2, 3}), y = m.open("y", {-1, 4, 6, 3});
  w.add_operator(BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, {x, m.numbers({4, 6})}, {y},
                 schema::ResizeNearestNeighborOptionsT());
  w.boundary({x}, {y});
  EXPECT_THAT(m.text({{"x.0", 5}}), HasSubstr("\"y\" : f32[5,4,6,3]"));
}

}  // namespace
}  // namespace byoc::test
