// Forms that some converters write: slices with masks, zeros of scale 0, integers that are divided.
#include <gmock/gmock.h>

#include <limits>
#include <numeric>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Integers = std::vector<std::int32_t>;

struct SlicedCube {
  Integers begin, end, strides;
  Integers dims;  // of the result
  std::int32_t ellipsis = 0, new_axis = 0, shrink = 0;
  bool offset = false;

  [[nodiscard]] std::string model() const {
    TfliteWriter w;
    const auto x = w.add("x", kI32, {2, 3, 4}), y = w.add("y", kI32, dims);
    Integers operands{x};
    for (const Integers* list : {&begin, &end, &strides})
      operands.push_back(w.constant<std::int32_t>("c", kI32, {static_cast<std::int32_t>(list->size())}, *list));
    schema::StridedSliceOptionsT options;
    options.ellipsis_mask = ellipsis;
    options.new_axis_mask = new_axis;
    options.shrink_axis_mask = shrink;
    options.offset = offset;
    w.add_operator(BuiltinOperator::STRIDED_SLICE, operands, {y}, options);
    w.boundary({x}, {y});
    return w.bytes();
  }

  // The input holds 0, 1, 2 ... in [2,3,4].
  [[nodiscard]] Integers run() const {
    Diagnostics diags;
    auto graph = import_bytes(model(), diags);
    if (!graph || !prepare(*graph, {}, diags)) {
      ADD_FAILURE() << to_string(diags.all().back());
      return {};
    }
    Integers elements(24);
    std::iota(elements.begin(), elements.end(), 0);
    const auto data = std::as_bytes(std::span(elements));
    const evaluate::Tensor input{graph->values[graph->inputs[0]].type, Blob::own({data.begin(), data.end()})};
    const auto results = evaluate::run(*graph, {&input, 1}, diags);
    if (!results) return {};
    Integers out((*results)[0].bytes.size() / sizeof(std::int32_t));
    std::memcpy(out.data(), (*results)[0].bytes.data(), (*results)[0].bytes.size());
    return out;
  }
};

TEST(TfliteStridedSlice, anEllipsisIsAllDimensionsThatAreNotNamed) {
  EXPECT_THAT((SlicedCube{{0, 1}, {0, 2}, {1, 1}, {2, 3, 1}, 1}.run()), ElementsAre(1, 5, 9, 13, 17, 21));
  EXPECT_THAT((SlicedCube{{1, 0, 1}, {2, 0, 3}, {1, 1, 1}, {1, 3, 2}, 2}.run()), ElementsAre(13, 14, 17, 18, 21, 22));
  // It may stand for none.
  EXPECT_THAT((SlicedCube{{1, 0, 1, 0}, {2, 0, 2, 2}, {1, 1, 1, 1}, {1, 1, 2}, 2}.run()), ElementsAre(16, 17));
}

TEST(TfliteStridedSlice, aNewDimensionIsOne) {
  const SlicedCube front{{0, 1, 2, 1}, {0, 2, 3, 3}, {1, 1, 1, 1}, {1, 1, 1, 2}, 0, 1};
  EXPECT_THAT(front.run(), ElementsAre(21, 22));
  // Behind an ellipsis, beside a dimension that goes.
  const SlicedCube behind{{0, 3, 0}, {0, 4, 0}, {1, 1, 1}, {2, 3, 1}, 1, 4, 2};
  EXPECT_THAT(behind.run(), ElementsAre(3, 7, 11, 15, 19, 23));
}

TEST(TfliteStridedSlice, anOffsetCountsFromTheBegin) {
  const SlicedCube counted{{1, 1, 1}, {1, 2, 2}, {1, 1, 1}, {1, 2, 2}, 0, 0, 0, true};
  EXPECT_THAT(counted.run(), ElementsAre(17, 18, 21, 22));
  const SlicedCube from_the_end{{-1, 0, -2}, {1, 3, 2}, {1, 2, 1}, {1, 2, 2}, 0, 0, 0, true};
  EXPECT_THAT(from_the_end.run(), ElementsAre(14, 15, 22, 23));
}

TEST(TfliteStridedSlice, hasOneEllipsisAndNamesNoMoreThanThereIs) {
  const auto refused = [](const SlicedCube& c) {
    Diagnostics diags;
    EXPECT_FALSE(import_bytes(c.model(), diags));
    return to_string(diags.all().back());
  };
  EXPECT_THAT(refused({{0, 0}, {0, 0}, {1, 1}, {2, 3, 4}, 3}),
              HasSubstr("more than one ellipsis (found 2, expected 1)"));
  EXPECT_THAT(refused({{0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1}}),
              HasSubstr("begin, end and strides need an element for each dimension (found 4, 4 and 4, expected 3)"));
}

// Zeros have any scale: writers state 0 for them.
TEST(TfliteZeros, ofScaleZeroAreZeros) {
  for (const BuiltinOperator code : {BuiltinOperator::ADD, BuiltinOperator::SUB, BuiltinOperator::MUL}) {
    TfliteWriter w;
    const auto x = w.add("x", kI8, {4}, {{0.5F}, {1}}), y = w.add("y", kI8, {4}, {{0.5F}, {1}});
    const auto zeros = w.constant<std::int8_t>("zeros", kI8, {4}, {3, 3, 3, 3}, {{0}, {3}});
    if (code == BuiltinOperator::ADD) w.add_operator(code, {x, zeros}, {y}, schema::AddOptionsT());
    if (code == BuiltinOperator::SUB) w.add_operator(code, {x, zeros}, {y}, schema::SubOptionsT());
    if (code == BuiltinOperator::MUL) w.add_operator(code, {x, zeros}, {y}, schema::MulOptionsT());
    w.boundary({x}, {y});
    Diagnostics diags;
    auto graph = import_bytes(w.bytes(), diags);
    ASSERT_TRUE(graph && prepare(*graph, {}, diags)) << to_string(diags.all().back());
    const std::vector<std::int8_t> values{-128, 0, 1, 127};
    const auto data = std::as_bytes(std::span(values));
    const evaluate::Tensor input{graph->values[graph->inputs[0]].type, Blob::own({data.begin(), data.end()})};
    const auto results = evaluate::run(*graph, {&input, 1}, diags);
    ASSERT_TRUE(results) << to_string(diags.all().back());
    std::vector<std::int8_t> out(4);
    std::memcpy(out.data(), (*results)[0].bytes.data(), 4);
    if (code == BuiltinOperator::MUL)
      EXPECT_THAT(out, ElementsAre(1, 1, 1, 1));
    else
      EXPECT_THAT(out, ElementsAre(-128, 0, 1, 127));
  }
}

// FLOOR_DIV and FLOOR_MOD of integers round down, whatever the signs.
TEST(TfliteFloorOfIntegers, roundsDown) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min(),
                         kMost = std::numeric_limits<std::int32_t>::max();
  for (const bool divides : {true, false}) {
    TfliteWriter w;
    const auto a = w.add("a", kI32, {8}), b = w.add("b", kI32, {8}), y = w.add("y", kI32, {8});
    if (divides)
      w.add_operator(BuiltinOperator::FLOOR_DIV, {a, b}, {y}, schema::FloorDivOptionsT());
    else
      w.add_operator(BuiltinOperator::FLOOR_MOD, {a, b}, {y}, schema::FloorModOptionsT());
    w.boundary({a, b}, {y});
    Diagnostics diags;
    auto graph = import_bytes(w.bytes(), diags);
    ASSERT_TRUE(graph && prepare(*graph, {}, diags)) << to_string(diags.all().back());
    std::vector<evaluate::Tensor> inputs;
    for (const Integers& list : {Integers{7, -7, 7, -7, 6, 0, kLeast, kMost}, Integers{2, 2, -2, -2, -3, 5, 3, -2}}) {
      const auto data = std::as_bytes(std::span(list));
      inputs.push_back({graph->values[graph->inputs[inputs.size()]].type, Blob::own({data.begin(), data.end()})});
    }
    const auto results = evaluate::run(*graph, inputs, diags);
    ASSERT_TRUE(results) << to_string(diags.all().back());
    Integers out(8);
    std::memcpy(out.data(), (*results)[0].bytes.data(), (*results)[0].bytes.size());
    if (divides)
      EXPECT_THAT(out, ElementsAre(3, -4, -4, 3, -2, 0, -715827883, -1073741824));
    else
      EXPECT_THAT(out, ElementsAre(1, 1, -1, -1, 0, 0, 1, -1));
  }
}

}  // namespace
}  // namespace byoc::test
