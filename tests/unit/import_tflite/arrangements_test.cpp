// TILE, DYNAMIC_UPDATE_SLICE, ONE_HOT, TOPK_V2, SCATTER_ND, RANGE, REVERSE_SEQUENCE: what they become, and what they
// refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Code = BuiltinOperator;

TfliteWriter tile() { return shaping_model(Code::TILE, {2, 3}, {4, 3}, {2}, {2, 1}, schema::TileOptionsT()); }

TfliteWriter update() {
  TfliteWriter w;
  w.add("x", kF32, {3, 4});
  w.add("u", kF32, {2, 4});
  w.add("at", kI32, {2});
  w.add("y", kF32, {3, 4});
  w.add_operator(Code::DYNAMIC_UPDATE_SLICE, {0, 1, 2}, {3}, schema::DynamicUpdateSliceOptionsT());
  w.boundary({0, 1, 2}, {3});
  return w;
}

TfliteWriter one_hot() {
  TfliteWriter w;
  w.add("x", kI32, {2});
  w.constant("depth", kI32, {}, std::vector<std::int32_t>{3});
  w.add("on", kF32, {});
  w.add("off", kF32, {});
  w.add("y", kF32, {3, 2});
  w.add_operator(Code::ONE_HOT, {0, 1, 2, 3}, {4}, schema::OneHotOptionsT());
  w.boundary({0, 2, 3}, {4});
  return w;
}

TfliteWriter topk() {
  TfliteWriter w;
  w.add("x", kF32, {2, 5});
  w.constant("k", kI32, {}, std::vector<std::int32_t>{3});
  w.add("y", kF32, {2, 3});
  w.add("at", kI32, {2, 3});
  w.add_operator(Code::TOPK_V2, {0, 1}, {2, 3}, schema::TopKV2OptionsT());
  w.boundary({0}, {2, 3});
  return w;
}

TfliteWriter scatter_nd() {
  TfliteWriter w;
  w.constant("at", kI32, {2, 1}, std::vector<std::int32_t>{0, 2});
  w.add("u", kF32, {2, 4});
  w.constant("shape", kI32, {2}, std::vector<std::int32_t>{3, 4});
  w.add("y", kF32, {3, 4});
  w.add_operator(Code::SCATTER_ND, {0, 1, 2}, {3}, schema::ScatterNdOptionsT());
  w.boundary({1}, {3});
  return w;
}

TfliteWriter range() {
  TfliteWriter w;
  for (const std::int32_t v : {1, 8, 3}) w.constant("c", kI32, {}, std::vector<std::int32_t>{v});
  w.add("y", kI32, {3});
  w.add_operator(Code::RANGE, {0, 1, 2}, {3}, schema::RangeOptionsT());
  w.boundary({}, {3});
  return w;
}

TfliteWriter reverse_sequence() {
  TfliteWriter w;
  w.add("x", kF32, {2, 3, 4});
  w.add("lengths", kI32, {3});
  w.add("y", kF32, {2, 3, 4});
  schema::ReverseSequenceOptionsT o;
  o.seq_dim = 2;
  o.batch_dim = 1;
  w.add_operator(Code::REVERSE_SEQUENCE, {0, 1}, {2}, o);
  w.boundary({0, 1}, {2});
  return w;
}

TEST(TfliteArrangements, becomeNodes) {
  EXPECT_THAT(imported(tile()), AllOf(HasSubstr("i64[2] = [2, 1]"), HasSubstr("Tile.18(%0, %3)")));
  EXPECT_THAT(imported(update()), HasSubstr("byoc.DynamicUpdateSlice.1(%0, %1, %2)"));
  EXPECT_THAT(imported(one_hot()), AllOf(HasSubstr("Equal.18("), HasSubstr("Where.18(")));
  EXPECT_THAT(imported(topk()), AllOf(HasSubstr("TopK.18(%0, %5) {axis=-1}"), HasSubstr("Cast.18(%4) {to=6}")));
  EXPECT_THAT(imported(scatter_nd()), HasSubstr("{reduction=\"add\"}"));
  EXPECT_THAT(imported(range()), AllOf(HasSubstr("i32[3] = [1, 4, 7]"), HasSubstr("Identity.18(%4)")));
  EXPECT_THAT(imported(reverse_sequence()), AllOf(HasSubstr("Transpose.18(%0) {perm=[1, 2, 0]}"),
                                                  HasSubstr("ReverseSequence.18(%3, %1) {batch_axis=0, time_axis=1}"),
                                                  HasSubstr("Transpose.18(%4) {perm=[2, 0, 1]}")));
}

class TfliteArrangementRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(TfliteArrangementRefusal, saysWhatIsWrong) {
  TfliteWriter w = GetParam().make();
  ASSERT_EQ(errors(w.bytes()), "") << "the model is wrong before it is changed";
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

// The constant in the buffer of that number.
void set_buffer(TfliteWriter& w, std::size_t buffer, const std::vector<std::int32_t>& values) {
  auto& data = w.model.buffers[buffer]->data;
  data.resize(values.size() * 4);
  std::memcpy(data.data(), values.data(), data.size());
}

TfliteWriter reduce_any() {
  TfliteWriter w = shaping_model(Code::REDUCE_ANY, {2, 3}, {2}, {1}, {1}, schema::ReducerOptionsT());
  w.tensor(0).type = w.tensor(2).type = TensorType::BOOL;
  return w;
}
TfliteWriter gelu() {
  TfliteWriter w = unary_model(Code::GELU, {}, kF32, kF32);
  w.op(0).builtin_options.Set(schema::GeluOptionsT());
  return w;
}

INSTANTIATE_TEST_SUITE_P(
    All, TfliteArrangementRefusal,
    testing::Values(
        Refusal{tile, [](auto& w) { set_buffer(w, 1, {-2, 1}); },
                "a multiple is negative (found -2, expected 0 or more)"},
        Refusal{tile, [](auto& w) { set_buffer(w, 1, {3, 1}); }, "the shape of the output 'y' does not fit"},
        Refusal{tile,
                [](auto& w) {
                  w.tensor(1).type = kI64;
                  set_buffer(w, 1, {-1, 2147483647, 1, 0});
                },
                "a multiple is too large (found 9223372036854775807)"},
        Refusal{update, [](auto& w) { w.tensor(1).shape = {4, 4}; },
                "the update is larger than what it updates (found 4, expected at most 3)"},
        Refusal{update, [](auto& w) { w.tensor(1).shape = {4}; }, "unsupported shape of input 1 'u'"},
        Refusal{update, [](auto& w) { w.tensor(2).shape = {1}; }, "the shape of input 2 'at' does not fit"},
        Refusal{update, [](auto& w) { w.tensor(2).type = kF32; }, "unsupported element type of input 2 'at'"},
        Refusal{one_hot, [](auto& w) { w.tensor(2).shape = {2}; }, "the shape of input 2 'on' does not fit"},
        Refusal{one_hot, [](auto& w) { set_buffer(w, 1, {-1}); }, "the depth (found -1, expected 0 to 16777216)"},
        Refusal{one_hot, [](auto& w) { w.op(0).inputs[1] = 0; }, "the depth must be constant"},
        Refusal{one_hot, [](auto& w) { w.template options<schema::OneHotOptionsT>(0).axis = 2; },
                "axis out of range (found 2, expected -2 to 1)"},
        Refusal{topk, [](auto& w) { set_buffer(w, 1, {6}); }, "k is out of range (found 6, expected 0 to 5)"},
        Refusal{topk, [](auto& w) { w.op(0).outputs = {2}, w.boundary({0}, {2}); },
                "wrong number of outputs (found 1, expected 2)"},
        Refusal{topk, [](auto& w) { w.tensor(0).shape = {}; }, "there is no dimension to sort"},
        Refusal{topk, [](auto& w) { w.tensor(3).type = kI64; }, "unsupported element type of output 1 'at'"},
        Refusal{scatter_nd, [](auto& w) { set_buffer(w, 1, {0, 3}); },
                "a position is out of range (found 3, expected 0 to 2)"},
        Refusal{scatter_nd, [](auto& w) { w.tensor(0).shape = {1, 2}; }, "the shape of input 1 'u' does not fit"},
        Refusal{scatter_nd,
                [](auto& w) {
                  set_buffer(w, 2, {3}), w.tensor(3).shape = {3}, w.tensor(2).shape = {1}, w.tensor(0).shape = {1, 2};
                },
                "must count dimensions of the output 'y' (found 2, expected 1 to 1)"},
        Refusal{scatter_nd, [](auto& w) { set_buffer(w, 2, {3, 5}); }, "the shape of the output 'y' does not fit"},
        Refusal{range, [](auto& w) { set_buffer(w, 3, {0}); }, "the step does not lead from start to limit"},
        Refusal{range, [](auto& w) { set_buffer(w, 2, {14}); }, "the shape of the output does not fit (found 3"},
        Refusal{
            range,
            [](auto& w) { set_buffer(w, 2, {1 << 30}), set_buffer(w, 3, {1}), w.tensor(3).shape = {(1 << 30) - 1}; },
            "the range is too long (found 1073741823, expected at most 16777216)"},
        Refusal{range, [](auto& w) { w.tensor(0).buffer = 0, w.boundary({0}, {3}); },
                "start, limit and step must be constant (found input 0 'c', expected a constant)"},
        Refusal{reverse_sequence, [](auto& w) { w.template options<schema::ReverseSequenceOptionsT>(0).seq_dim = 1; },
                "batch and sequence are one dimension (found 1, expected two of them)"},
        Refusal{reverse_sequence, [](auto& w) { w.tensor(1).shape = {4}; }, "the shape of input 1 'lengths' does not"},
        Refusal{reduce_any, [](auto& w) { w.tensor(0).type = kI32; },
                "unsupported element type of input 0 'x' (found i32, expected bool)"},
        Refusal{gelu, [](auto& w) { w.tensor(0).type = kI32; },
                "unsupported element type of input 0 'x' (found i32, expected f32)"}));

}  // namespace
}  // namespace byoc::test
