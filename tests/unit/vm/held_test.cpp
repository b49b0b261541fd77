// Sequences, optionals and strings in the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/evaluate/value.hpp"
#include "sdk/ir/texts.hpp"
#include "tests/unit/vm/modules.hpp"

namespace byoc::vm {
namespace {

using evaluate::optional_of;
using evaluate::sequence_of;
using evaluate::tensor_of;
using testing::ElementsAre;
using testing::HasSubstr;

// Rows of x backwards, one of each round behind the other, with "!" behind the strings.
const char kRows[] = R"(graph "g" requant=onnx symbols=[N] {
  input %0 "x" : string[2,N]
  const %1 : string[] = ["!"]
  %2 : string? = Scan.11(%0, %1) {body=graph "b" requant=onnx {
    input %0 : string[2]
    input %1 : string[]
    %2 : string[2] = StringConcat.20(%0, %1)
    output %2
  }, captures=1, num_scan_inputs=1, scan_input_axes=[1], scan_input_directions=[1], scan_output_axes=[1]}
  output %2
})";

// What there is of x as often as `n` says.
const char kGather[] = R"(graph "g" requant=onnx {
  input %0 "n" : i64[]
  input %1 "s" : seq(f32?)
  input %2 "x" : f32[2]
  %3 "all" : seq(f32?) = Loop.16(%0, _, %1, %2) {body=graph "b" requant=onnx {
    input %0 : i64[]
    input %1 : bool[]
    input %2 : seq(f32?)
    input %3 : f32[2]
    %4 : seq(f32?) = SequenceInsert.11(%2, %3)
    output %1
    output %4
  }, captures=1}
  output %3
})";

const char kOptional[] = R"(graph "g" requant=onnx {
  input %0 "o" : optional(f32[2])
  %1 "has" : bool[] = OptionalHasElement.18(%0)
  output %0
  output %1
})";

Tensor number(std::int64_t n) { return tensor<std::int64_t>(DType::i64, {}, {n}); }

TEST(VmHeld, stringsAreScannedAndStacked) {
  const auto out = run(interpreted(kRows), {tensor_of({2, 3}, {"a", "b", "c", "d", "e", "f"})});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_THAT(*out[0].type.dims, ElementsAre(2, 3));
  EXPECT_THAT(*out[0].texts, ElementsAre("c!", "b!", "a!", "f!", "e!", "d!"));
}

TEST(VmHeld, noRoundsStackNoStrings) {
  const auto out = run(interpreted(kRows), {tensor_of({2, 0}, {})});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_THAT(*out[0].type.dims, ElementsAre(2, 0));
  EXPECT_TRUE(out[0].texts->empty());
}

TEST(VmHeld, sequencesGoRoundALoop) {
  const auto out =
      run(interpreted(kGather), {number(2), sequence_of(DType::f32, {floats({}, {7})}), floats({2}, {1, 2})});
  ASSERT_EQ(out.size(), 1u);
  ASSERT_EQ(out[0].items->size(), 3u);
  EXPECT_THAT(elements<float>((*out[0].items)[0]), ElementsAre(7));
  EXPECT_THAT(elements<float>((*out[0].items)[2]), ElementsAre(1, 2));
}

TEST(VmHeld, anOptionalIsGivenAsOneOrAsWhatItHolds) {
  const Module m = interpreted(kOptional);
  ir::TensorType type;
  type.dtype = DType::f32;
  for (const Tensor& given : {floats({2}, {1, 2}), optional_of(type, floats({2}, {1, 2}))}) {
    const auto out = run(m, {given});
    ASSERT_EQ(out.size(), 2u);
    ASSERT_EQ(out[0].type.container, ir::Container::optional);
    EXPECT_THAT(elements<float>((*out[0].items)[0]), ElementsAre(1, 2));
    EXPECT_THAT(elements<std::uint8_t>(out[1]), ElementsAre(1));
  }
  EXPECT_THAT(elements<std::uint8_t>(run(m, {optional_of(type, std::nullopt)})[1]), ElementsAre(0));
}

TEST(VmHeld, refusesWhatIsNotWhole) {
  const auto refusal = HasSubstr("the input does not have the type that the model states");
  EXPECT_THAT(failed_run(interpreted(kRows), {tensor_of({2, 3}, {"a"})}), refusal);
  EXPECT_THAT(failed_run(interpreted(kRows), {floats({2, 1}, {1, 2})}), refusal);
  const Module m = interpreted(kGather);
  EXPECT_THAT(failed_run(m, {number(1), sequence_of(DType::i64, {}), floats({2}, {1, 2})}), refusal);
  EXPECT_THAT(failed_run(m, {number(1), sequence_of(DType::f32, {floats({3}, {1})}), floats({2}, {1, 2})}), refusal);
  EXPECT_THAT(failed_run(interpreted(kOptional), {floats({3}, {1, 2, 3})}), refusal);
}

// Nothing is allocated beyond it first.
TEST(VmHeld, aResultIsNoLargerThanMemoryMayBe) {
  const Module m = interpreted(R"(graph "g" requant=onnx {
  input %0 "shape" : i64[1]
  %1 "y" : ? = ConstantOfShape.9(%0) {}
  output %1
})");
  const std::vector<Tensor> inputs{tensor<std::int64_t>(DType::i64, {1}, {400'000'000})};
  EXPECT_THAT(failed_run(m, inputs, {.memory = 4096}),
              HasSubstr("the result is too large or has a negative dimension (found f32[400000000], expected at most "
                        "4096 bytes)"));
}

TEST(VmHeld, stringsAndItemsCountAsMemory) {
  const std::vector<Tensor> items(100, floats({}, {7}));
  EXPECT_THAT(failed_run(interpreted(kGather), {number(0), sequence_of(DType::f32, items), floats({2}, {1, 2})},
                         {.memory = 1000}),
              HasSubstr("the inputs of the run take more memory than its values may"));
  EXPECT_THAT(failed_run(interpreted(kGather), {number(1000), sequence_of(DType::f32, {}), floats({2}, {1, 2})},
                         {.memory = 10000}),
              HasSubstr("the values of the run take more memory than they may"));
  const Tensor x = tensor_of({2, 1}, {std::string(600, 'a'), ""});
  EXPECT_THAT(failed_run(interpreted(kRows), {x}, {.memory = 500}), HasSubstr("the inputs of the run"));
  EXPECT_THAT(failed_run(interpreted(kRows), {x}, {.memory = 1000}), HasSubstr("the values of the run"));
}

TEST(VmHeld, aConstantHoldsTheStringsOfItsType) {
  Module m = interpreted(kRows);
  m.constants[0].bytes = Blob::own({std::byte{9}, {}, {}, {}});
  EXPECT_THAT(refused(m), HasSubstr("does not have the size of its type"));
  m.constants[0].bytes = ir::pack_texts(std::vector<std::string>{"a", "b"});
  EXPECT_THAT(refused(m), HasSubstr("does not have the size of its type"));
  Module held = interpreted(kGather);
  held.constants[0].type = held.functions[0].parameters[1];
  EXPECT_THAT(refused(held), HasSubstr("does not have the size of its type"));
}

TEST(VmHeld, filesKeepThem) {
  for (const char* text : {kRows, kGather, kOptional}) {
    const std::vector<std::byte> bytes = write(interpreted(text));
    Diagnostics diags;
    const auto again = read(Blob::own({bytes.begin(), bytes.end()}), "m", diags);
    ASSERT_TRUE(again) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
    EXPECT_EQ(write(*again), bytes);
  }
}

}  // namespace
}  // namespace byoc::vm
