// Sequences and optionals as tensors, with counts and flags.
#include <random>

#include "sdk/model/prepare/bound_inputs.hpp"
#include "tests/unit/bounded/bounding.hpp"

namespace byoc::test {
namespace {

Tensor sequence(std::vector<Tensor> items) { return evaluate::sequence_of(DType::f32, std::move(items)); }
Tensor row(float start) { return floats({2}, {start, start + 0.5F}); }
Tensor rows(int count) {
  std::vector<Tensor> items;
  for (int i = 0; i < count; ++i) items.push_back(row(static_cast<float>(i + 1)));
  return sequence(std::move(items));
}

TEST(Bounds, areRead) {
  EXPECT_EQ(parse_bound("8")->elements, 8U);
  const auto with_shape = parse_bound("8[2,3],16B");
  ASSERT_TRUE(with_shape);
  EXPECT_EQ(with_shape->shapes, (std::vector<std::vector<ir::Dim>>{{2, 3}}));
  EXPECT_EQ(with_shape->text_bytes, 16U);
  EXPECT_EQ(parse_bound("[2],[]")->shapes, (std::vector<std::vector<ir::Dim>>{{2}, {}}));
  EXPECT_EQ(parse_bound("0B")->text_bytes, 0U);
  for (const char* bad : {"", "x", "-1", "8x", "[2", "[2,]", "[-2]", "8,8", "16B,8", "1025", "9999999B", "B"})
    EXPECT_FALSE(parse_bound(bad)) << bad;
}

TEST(BoundedSequence, isTensorsAndACount) {
  const Bounded b = run_bounded("input %s \"s\" : seq(f32[2]) output %s", {{"s", "3"}}, {rows(2)});
  EXPECT_EQ(b.error, "");
  EXPECT_THAT(b.text, HasSubstr("bounded input s f32 0 3 sequence count 3"));
  EXPECT_THAT(b.text, HasSubstr("bounded output s f32 0 3 sequence count 3"));
  EXPECT_THAT(b.text, HasSubstr("\"s_count\" : i32[]"));
  ASSERT_EQ(b.outputs.size(), 1U);
  EXPECT_EQ(difference(b.outputs[0], rows(2), {}), "");
}

TEST(BoundedSequence, ofExactElementsHasNoCount) {
  const Bounded b =
      run_bounded("input %s \"s\" : seq(f32?) output %s", {{"s", "[2],[1]"}}, {sequence({row(1), floats({1}, {7})})});
  EXPECT_EQ(b.error, "");
  EXPECT_THAT(b.text, HasSubstr("bounded input s f32 0 2 sequence\n"));
}

TEST(BoundedSequence, everyOperator) {
  const std::string in = "input %s \"s\" : seq(f32[2]) input %x \"x\" : f32[2] input %p \"p\" : i64[] ";
  const char* kUses[] = {
      "%y = SequenceInsert.11(%s, %x, %p) output %y",
      "%y = SequenceInsert.11(%s, %x) output %y",
      "%y = SequenceErase.11(%s, %p) output %y",
      "%y = SequenceErase.11(%s) output %y",
      "%y = SequenceAt.11(%s, %p) output %y",
      "%t = SequenceInsert.11(%s, %x, %p) %u = SequenceErase.11(%t, %p) %y = SequenceAt.11(%t, %p) output %u output %y",
      "%y = SequenceLength.11(%s) output %y",
      "%t = SequenceInsert.11(%s, %x) %y = SequenceLength.11(%t) %z = Identity.14(%t) output %y output %z",
  };
  for (const char* use : kUses)
    for (const char* room : {"4", "2[2]", "[2],[2]"})
      for (int count = 0; count <= 2; ++count)
        for (std::int64_t p = -3; p <= 3; ++p) {
          if (std::string(room).starts_with("[") && count != 2) continue;
          EXPECT_EQ(difference_of(in + use, {{"s", room}}, {rows(count), row(9), integer(p)}), "")
              << use << " " << room << " " << count << " " << p;
        }
}

TEST(BoundedSequence, aCountOutOfRangeFails) {
  Diagnostics diags;
  const auto g = prepared("input %s \"s\" : seq(f32[2]) output %s", {{"s", "2"}}, false, diags);
  ASSERT_TRUE(g);
  for (const std::int32_t count : {-1, 3}) {
    Diagnostics run;
    const std::vector<Tensor> in{row(1), row(2), tensor<std::int32_t>(DType::i32, {}, {count})};
    EXPECT_FALSE(evaluate::run(*g, in, run)) << count;
  }
}

TEST(BoundedOptional, isATensorAndAFlag) {
  const std::string in = "input %o \"o\" : optional(f32[2]) ";
  ir::TensorType type{DType::f32, std::vector<ir::Dim>{2}};
  const std::vector<Tensor> values{evaluate::optional_of(type, row(3)), evaluate::optional_of(type, std::nullopt)};
  for (const Tensor& value : values) {
    EXPECT_EQ(difference_of(in + "%y = OptionalHasElement.18(%o) output %y", {}, {value}), "");
    EXPECT_EQ(difference_of(in + "%y = OptionalGetElement.18(%o) output %y", {}, {value}), "");
    EXPECT_EQ(difference_of(in + "output %o", {}, {value}), "");
  }
  const Bounded b = run_bounded(in + "output %o", {}, {values[1]});
  EXPECT_THAT(b.text, HasSubstr("bounded input o f32 0 1 optional given 1"));
}

TEST(BoundedOptional, ofASequence) {
  const std::string in = "input %o \"o\" : optional(seq(f32[2])) ";
  ir::TensorType type{DType::f32, std::vector<ir::Dim>{2}};
  type.container = ir::Container::sequence;
  for (int count = -1; count < 3; ++count) {
    const Tensor value = evaluate::optional_of(type, count < 0 ? std::nullopt : std::optional(rows(count)));
    EXPECT_EQ(difference_of(in + "output %o", {{"o", "3"}}, {value}), "");
    EXPECT_EQ(difference_of(in + "%s = OptionalGetElement.18(%o) %y = SequenceLength.11(%s) output %y output %s",
                            {{"o", "3"}}, {value}),
              "");
  }
}

TEST(BoundedControl, branchesOfDifferentLengths) {
  const std::string graph =
      "input %c \"c\" : bool[] input %s \"s\" : seq(f32[2]) input %x \"x\" : f32[2] "
      "%y = If.16(%c, %s, %x) {then_branch=graph \"a\" { input %s : seq(f32[2]) input %x : f32[2] "
      "%t = SequenceInsert.11(%s, %x) output %t }, else_branch=graph \"b\" { input %s : seq(f32[2]) input %x : f32[2] "
      "%t = SequenceConstruct.11(%x) output %t }} output %y";
  for (const bool taken : {true, false})
    for (int count = 0; count < 3; ++count)
      EXPECT_EQ(difference_of(graph, {{"s", "2"}}, {truth(taken), rows(count), row(5)}), "") << taken << count;
}

TEST(BoundedControl, aLoopOverExactElementsIsWrittenOut) {
  const std::string graph =
      "input %s \"s\" : seq(f32?) %n = SequenceLength.11(%s) %e = SequenceEmpty.11() {dtype=1} "
      "%y = Loop.16(%n, _, %e, %s) {captures=1, body=graph \"b\" { input %i : i64[] input %c : bool[] input %t : "
      "seq(f32?) "
      "input %s : seq(f32?) %x = SequenceAt.11(%s, %i) %a = Add.14(%x, %x) %u = SequenceInsert.11(%t, %a) "
      "output %c output %u }} output %y";
  EXPECT_EQ(difference_of(graph, {{"s", "[2],[1]"}}, {sequence({row(1), floats({1}, {7})})}), "");
}

std::string refusal(const std::string& statements, const Room& room = {}) {
  Diagnostics diags;
  EXPECT_FALSE(prepared(statements, room, false, diags)) << statements;
  return error_text(diags);
}

TEST(BoundedSequence, refusals) {
  const std::string s = "input %s \"s\" : seq(f32?) output %s", x = "input %x \"x\" : f32[2] output %x";
  EXPECT_THAT(refusal(s),
              HasSubstr("is a sequence, which only an executor for hosts takes, that finds types while it "
                        "runs (found seq(f32?), expected room for it, as in --bound s=8, or --executor vm on a host)"));
  EXPECT_THAT(refusal(s, {{"s", "8"}}),
              HasSubstr("nothing says the shape of the elements (found seq(f32?), expected --bound NAME=8[2,3])"));
  EXPECT_THAT(refusal(s, {{"s", "8[2],[3]"}}), HasSubstr("--bound says several shapes and a number of elements"));
  EXPECT_THAT(refusal(s, {{"s", "eight"}}), HasSubstr("--bound is none (found 'eight', expected 8, 8[2,3]"));
  EXPECT_THAT(refusal(s, {{"t", "8"}}), HasSubstr("--bound names no input of the model (found 't')"));
  EXPECT_THAT(refusal(s, {{"s", "8B"}}), HasSubstr("--bound says room that this input has no use for"));
  EXPECT_THAT(refusal(x, {{"x", "8"}}), HasSubstr("expected a sequence, an optional or strings"));
  EXPECT_THAT(refusal("input %o \"o\" : optional(f32[2]) output %o", {{"o", "8"}}),
              HasSubstr("--bound says a number of elements of what is no sequence"));
}

// What is given to such a model may be too much for it.
TEST(BoundedSequence, valuesWithoutRoom) {
  const std::string s = "input %s \"s\" : seq(f32[2]) output %s";
  EXPECT_THAT(run_bounded(s, {{"s", "1"}}, {rows(2)}).error,
              HasSubstr("has another number of elements than there is room for (found 2, expected at most 1)"));
  EXPECT_THAT(run_bounded(s, {{"s", "[2]"}}, {rows(2)}).error, HasSubstr("(found 2, expected 1)"));
  EXPECT_THAT(run_bounded(s, {{"s", "2"}}, {sequence({floats({1}, {1})})}).error,
              HasSubstr("has another type than there is room for (found f32[1], expected f32[2])"));
}

}  // namespace
}  // namespace byoc::test
