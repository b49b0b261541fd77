// Sequences, optionals and strings in the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/ir/texts.hpp"
#include "tests/unit/bytecode/modules.hpp"

namespace byoc::bytecode {
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

// Nor where an operator computes into memory of its own first.
TEST(VmHeld, sumsAreNoMoreThanMemoryMayHold) {
  const auto of = [](const std::string& node, const std::string& y, std::vector<std::int64_t> a_dims = {1024, 1},
                     std::vector<std::int64_t> b_dims = {1, 1024}) {
    const std::string open[] = {"", "A", "A,B", "A,B,C"};
    const Module m = interpreted("graph \"g\" requant=onnx symbols=[A,B,C] {\n  input %0 : f32[" + open[a_dims.size()] +
                                 "]\n  input %1 : f32[" + open[b_dims.size()] + "]\n  %2 : " + y + " = " + node +
                                 "\n  output %2\n}");
    return failed_run(m, {floats(a_dims, std::vector<float>(1024, 1)), floats(b_dims, std::vector<float>(1024, 1))},
                      {.memory = 16384});
  };
  const auto too_large = HasSubstr("the result is too large (found [1024,1024], expected at most 16384 bytes)");
  EXPECT_THAT(of("MatMul.13(%0, %1)", "f32?"), too_large);
  EXPECT_THAT(of("Gemm.13(%0, %1)", "f32?"), too_large);
  EXPECT_THAT(of("Gemm.13(%0, %1) {transA=1, transB=1}", "f32?", {1, 1024}, {1024, 1}), too_large);
  EXPECT_THAT(of("Conv.11(%0, %1)", "f32?", {1, 1, 1024}, {1024, 1, 1}),
              HasSubstr("the result is too large (found [1,1024,1024], expected at most 16384 bytes)"));
  const std::string text =
      "graph \"g\" requant=onnx symbols=[A,B] {\n  input %0 : string[A,1]\n  input %1 : string[1,B]\n"
      "  %2 : string? = StringConcat.20(%0, %1)\n  output %2\n}";
  EXPECT_THAT(
      failed_run(interpreted(text),
                 {tensor_of({64, 1}, std::vector<std::string>(64)), tensor_of({1, 64}, std::vector<std::string>(64))},
                 {.memory = 16384}),
      HasSubstr("takes more memory to compute than a node may (found 135168 bytes, expected at most 65536)"));
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
}  // namespace byoc::bytecode
