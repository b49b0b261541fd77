// What the comparison of a run with the evaluator takes for the same.
#include "tests/support/differential.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sdk/model/ir/text.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

using evaluate::Tensor;
using ::testing::HasSubstr;

constexpr float kDenormal = 1e-40F;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
Tensor tensor(const ir::TensorType& type, const std::vector<T>& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  return {type, Blob::own({bytes.begin(), bytes.end()})};
}

// y = `op` of x and y, which a run found to be `y`.
template <class In, class Out>
std::string compared(const std::string& statements, const std::vector<In>& x, const std::vector<Out>& y, bool flushes) {
  Diagnostics diags;
  const auto graph = ir::parse("graph \"t\" requant=onnx {" + statements + "}", "t.byoc", diags);
  EXPECT_TRUE(graph) << error_text(diags);
  const ir::ValueId in = graph->inputs[0], out = graph->outputs[0];
  const Tensor input = tensor(graph->values[in].type, x), output = tensor(graph->values[out].type, y);
  return compare_values(*graph, {&input, 1}, {{out, output}}, {&output, 1},
                        std::vector<evaluate::Allowance>(graph->nodes.size()), flushes);
}

using Floats = std::vector<float>;

std::string of_floats(const std::string& statements, const Floats& x, const Floats& y, bool flushes) {
  return compared(statements, x, y, flushes);
}

constexpr const char* kSigns = "input %x : f32[3] %y : f32[3] = Sign.13(%x) output %y";

TEST(CompareValues, ADenormalMayBeZeroWhereVectorsFlush) {
  const Floats x{kDenormal, -kDenormal, 2};
  for (const bool flushes : {false, true}) EXPECT_EQ(of_floats(kSigns, x, {1, -1, 1}, flushes), "");
  // Element by element: what is left of a vector is computed one by one.
  EXPECT_EQ(of_floats(kSigns, x, {0, -1, 1}, true), "");
  EXPECT_THAT(of_floats(kSigns, x, {0, -1, 1}, false), HasSubstr("element 0 of 3 is 0, expected 1"));
  EXPECT_THAT(of_floats(kSigns, x, {0, 0, 0}, true), HasSubstr("element 2 of 3 is 0, expected 1"));
  EXPECT_THAT(of_floats(kSigns, x, {0, 1, 1}, true), HasSubstr("element 1 of 3 is 1, expected -1"));
}

TEST(CompareValues, FlushedOperandsOfOtherTypes) {
  const std::string signs = "input %x : bf16[2] %y : bf16[2] = Sign.13(%x) output %y";
  using Bits = std::vector<std::uint16_t>;
  EXPECT_EQ(compared(signs, Bits{1, 0x3f80}, Bits{0, 0x3f80}, true), "");
  EXPECT_THAT(compared(signs, Bits{1, 0x3f80}, Bits{0, 0x3f80}, false), HasSubstr("is 0, expected 1"));
  // Halves are floats that are no denormals.
  const std::string halves = "input %x : f16[2] %y : f16[2] = Sign.13(%x) output %y";
  EXPECT_THAT(compared(halves, Bits{1, 0x3c00}, Bits{0, 0x3c00}, true), HasSubstr("is 0, expected 1"));
  const std::string greater = "input %x : f32[2] const %z : f32[] = [0] %y : bool[2] = Greater.13(%x, %z) output %y";
  EXPECT_EQ(compared(greater, Floats{kDenormal, 1}, std::vector<std::uint8_t>{0, 1}, true), "");
  EXPECT_THAT(compared(greater, Floats{kDenormal, 1}, std::vector<std::uint8_t>{1, 0}, true), HasSubstr("element 1"));
}

// Constants flush, too, and so does what is not in memory.
TEST(CompareValues, FlushedConstantsAndValuesBetween) {
  const std::string product = "input %x : f32[1] const %c : f32[1] = [1e-40] %y : f32[1] = Mul.14(%x, %c) output %y";
  EXPECT_EQ(of_floats(product, {kInfinity}, {NAN}, true), "");
  EXPECT_THAT(of_floats(product, {kInfinity}, {NAN}, false), HasSubstr("is nan, expected inf"));
  const std::string chain =
      "input %x : f32[1] const %c : f32[1] = [1e-30] %p : f32[1] = Mul.14(%x, %c) %y : f32[1] = Sign.13(%p) output %y";
  EXPECT_EQ(of_floats(chain, {1e-10F}, {0}, true), "");
  EXPECT_THAT(of_floats(chain, {1e-10F}, {0}, false), HasSubstr("is 0, expected 1"));
}

}  // namespace
}  // namespace byoc::test
