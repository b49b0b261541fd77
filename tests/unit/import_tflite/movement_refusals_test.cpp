// What operators that move elements, and those on single tensors, refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using Code = BuiltinOperator;

class TfliteMovementRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(TfliteMovementRefusal, saysWhatIsWrong) {
  TfliteWriter w = GetParam().make();
  ASSERT_EQ(errors(w.bytes()), "") << "the model is wrong before it is changed";
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

// x f32 of a shape, int32 constants behind it, y f32 of a shape.
template <class Options>
TfliteWriter moving(Code code, std::vector<std::int32_t> from, std::vector<std::int32_t> to,
                    const std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>>& constants,
                    Options options) {
  TfliteWriter w;
  w.add("x", kF32, std::move(from));
  w.add("y", kF32, std::move(to));
  std::vector<std::int32_t> inputs = {0};
  for (const auto& [shape, values] : constants) inputs.push_back(w.constant("c", kI32, shape, values));
  w.add_operator(code, inputs, {1}, std::move(options));
  w.boundary({0}, {1});
  return w;
}
template <class T>
void set(TfliteWriter& w, std::size_t constant, std::vector<T> values) {
  auto& data = w.model.buffers[1 + constant]->data;
  data.resize(values.size() * sizeof(T));
  std::memcpy(data.data(), values.data(), data.size());
}

TfliteWriter split() {
  TfliteWriter w;
  w.constant("axis", kI32, {}, std::vector<std::int32_t>{1});
  w.add("x", kF32, {2, 4});
  w.add("a", kF32, {2, 2});
  w.add("b", kF32, {2, 2});
  schema::SplitOptionsT o;
  o.num_splits = 2;
  w.add_operator(Code::SPLIT, {0, 1}, {2, 3}, o);
  w.boundary({1}, {2, 3});
  return w;
}
TfliteWriter split_v() {
  TfliteWriter w;
  w.add("x", kF32, {2, 4});
  w.constant("lengths", kI32, {2}, std::vector<std::int32_t>{1, -1});
  w.constant("axis", kI32, {}, std::vector<std::int32_t>{1});
  w.add("a", kF32, {2, 1});
  w.add("b", kF32, {2, 3});
  schema::SplitVOptionsT o;
  o.num_splits = 2;
  w.add_operator(Code::SPLIT_V, {0, 1, 2}, {3, 4}, o);
  w.boundary({0}, {3, 4});
  return w;
}
TfliteWriter unpack() {
  TfliteWriter w;
  w.add("x", kF32, {2, 4});
  w.add("a", kF32, {4});
  w.add("b", kF32, {4});
  schema::UnpackOptionsT o;
  o.num = 2;
  w.add_operator(Code::UNPACK, {0}, {1, 2}, o);
  w.boundary({0}, {1, 2});
  return w;
}
TfliteWriter pack() {
  schema::PackOptionsT o;
  o.values_count = 1;
  return moving(Code::PACK, {3}, {1, 3}, {}, o);
}
TfliteWriter gather() {
  schema::GatherOptionsT o;
  o.axis = 1;
  return moving(Code::GATHER, {2, 4}, {2, 3}, {{{3}, {0, 3, 1}}}, o);
}
TfliteWriter gather_nd() {
  return moving(Code::GATHER_ND, {2, 4}, {3}, {{{3, 2}, {0, 3, 1, 0, 1, 1}}}, schema::GatherNdOptionsT());
}
TfliteWriter slice() {
  return moving(Code::SLICE, {2, 4}, {1, 3}, {{{2}, {1, 1}}, {{2}, {1, -1}}}, schema::SliceOptionsT());
}
TfliteWriter strided() {
  schema::StridedSliceOptionsT o;
  o.shrink_axis_mask = 1;
  return moving(Code::STRIDED_SLICE, {2, 4}, {2}, {{{2}, {1, 3}}, {{2}, {2, -9}}, {{2}, {1, -2}}}, o);
}
TfliteWriter mirror_pad() {
  return moving(Code::MIRROR_PAD, {2, 3}, {3, 5}, {{{2, 2}, {1, 0, 1, 1}}}, schema::MirrorPadOptionsT());
}
TfliteWriter padv2() {
  TfliteWriter w = moving(Code::PADV2, {2, 3}, {3, 3}, {{{2, 2}, {1, 0, 0, 0}}, {{1}, {0}}}, schema::PadV2OptionsT());
  w.tensor(3).type = kF32;
  return w;
}
TfliteWriter space_to_batch() {
  return moving(Code::SPACE_TO_BATCH_ND, {1, 3, 4, 1}, {4, 2, 2, 1}, {{{2}, {2, 2}}, {{2, 2}, {1, 0, 0, 0}}},
                schema::SpaceToBatchNDOptionsT());
}
TfliteWriter batch_to_space() {
  return moving(Code::BATCH_TO_SPACE_ND, {4, 2, 2, 1}, {1, 3, 4, 1}, {{{2}, {2, 2}}, {{2, 2}, {1, 0, 0, 0}}},
                schema::BatchToSpaceNDOptionsT());
}
TfliteWriter depth_to_space() {
  schema::DepthToSpaceOptionsT o;
  o.block_size = 2;
  return moving(Code::DEPTH_TO_SPACE, {1, 1, 1, 8}, {1, 2, 2, 2}, {}, o);
}
TfliteWriter resize() {
  schema::ResizeBilinearOptionsT o;
  o.align_corners = true;
  return moving(Code::RESIZE_BILINEAR, {1, 2, 2, 3}, {1, 4, 5, 3}, {{{2}, {4, 5}}}, o);
}
TfliteWriter broadcast_to() {
  return moving(Code::BROADCAST_TO, {1, 3}, {2, 3}, {{{2}, {2, 3}}}, schema::BroadcastToOptionsT());
}
TfliteWriter embedding() {
  TfliteWriter w;
  w.add("at", kI32, {2});
  w.constant("table", kI8, {2, 2}, std::vector<std::int8_t>(4, 1), q(0.5f, 0));
  w.add("y", kF32, {2, 2});
  w.add_operator(Code::EMBEDDING_LOOKUP, {0, 1}, {2});
  w.boundary({0}, {2});
  return w;
}
TfliteWriter arg_max() {
  TfliteWriter w = moving(Code::ARG_MAX, {2, 3}, {2}, {{{}, {-1}}}, schema::ArgMaxOptionsT());
  w.tensor(1).type = kI32;
  return w;
}
TfliteWriter hard_swish() { return unary_model(Code::HARD_SWISH, q(0.5f, 3)); }
TfliteWriter log_softmax() { return unary_model(Code::LOG_SOFTMAX, q(1.0f / 16, 127)); }
TfliteWriter l2() {
  TfliteWriter w = unary_model(Code::L2_NORMALIZATION, q(1.0f / 128, 0));
  w.op(0).builtin_options.Set(schema::L2NormOptionsT());
  return w;
}
TfliteWriter quantize_from_i8() { return unary_model(Code::QUANTIZE, q(0.5f, 3)); }

INSTANTIATE_TEST_SUITE_P(
    All, TfliteMovementRefusal,
    testing::Values(
        Refusal{split, [](auto& w) { w.template options<schema::SplitOptionsT>(0).num_splits = 3; },
                "num_splits is not the number of outputs (found 3, expected 2)"},
        Refusal{split, [](auto& w) { w.tensor(1).shape = {2, 5}; },
                "the axis does not split into equal pieces (found 5, expected a multiple of 2)"},
        Refusal{split, [](auto& w) { set<std::int32_t>(w, 0, {2}); }, "axis out of range (found 2, expected -2 to 1)"},
        Refusal{split_v, [](auto& w) { set<std::int32_t>(w, 0, {5, -1}); },
                "the lengths of the pieces do not fit the axis"},
        Refusal{split_v, [](auto& w) { set<std::int32_t>(w, 0, {-1, -1}); },
                "the lengths of the pieces do not fit the axis"},
        Refusal{unpack, [](auto& w) { w.template options<schema::UnpackOptionsT>(0).num = 3; },
                "num is not the number of outputs and of the dimension (found 3, 2 and 2)"},
        Refusal{unpack, [](auto& w) { w.tensor(2).type = kI8; }, "element types of"},
        Refusal{pack, [](auto& w) { w.template options<schema::PackOptionsT>(0).values_count = 2; },
                "values_count is not the number of inputs (found 2, expected 1)"},
        Refusal{pack, [](auto& w) { w.tensor(0).type = w.tensor(1).type = TensorType::UINT8; },
                "uint8 kernels are not supported: input 0 'x'"},
        Refusal{gather, [](auto& w) { set<std::int32_t>(w, 0, {0, 4, 1}); },
                "a position is out of range (found 4, expected 0 to 3)"},
        Refusal{gather, [](auto& w) { w.template options<schema::GatherOptionsT>(0).batch_dims = 2; },
                "batch_dims out of range (found 2, expected 0 to 1)"},
        Refusal{gather, [](auto& w) { w.template options<schema::GatherOptionsT>(0).batch_dims = 1; },
                "the batch dimensions of input 0 'x' and input 1 'c' differ"},
        Refusal{gather_nd, [](auto& w) { set<std::int32_t>(w, 0, {0, 3, 2, 0, 1, 1}); },
                "a position is out of range (found 2, expected 0 to 1)"},
        Refusal{gather_nd, [](auto& w) { w.tensor(2).shape = {2, 3}; },
                "the last dimension of input 1 'c' must count dimensions of input 0 'x' (found 3, expected 1 to 2)"},
        Refusal{slice, [](auto& w) { set<std::int32_t>(w, 0, {1, 5}); }, "the slice of dimension 1 is out of range"},
        Refusal{slice, [](auto& w) { w.tensor(2).buffer = 0, w.boundary({0, 2}, {1}); },
                "the begin must be constant (found a computed tensor)"},
        Refusal{strided, [](auto& w) { set<std::int32_t>(w, 2, {1, 0}); }, "a stride is 0"},
        Refusal{strided, [](auto& w) { set<std::int32_t>(w, 0, {2, 3}); },
                "the index of a dimension that shrinks is out of range (found 2, expected within 2)"},
        Refusal{mirror_pad, [](auto& w) { set<std::int32_t>(w, 0, {2, 0, 1, 1}), w.tensor(1).shape = {4, 5}; },
                "a mirrored padding is longer than its dimension (found 2, expected at most 1)"},
        Refusal{padv2, [](auto& w) { w.tensor(3).type = kI32; }, "element types of"},
        Refusal{space_to_batch, [](auto& w) { set<std::int32_t>(w, 0, {2, 3}); },
                "padded dimension 2 is no multiple of its block (found 4, expected a multiple of 3)"},
        Refusal{space_to_batch, [](auto& w) { set<std::int32_t>(w, 0, {2, 0}); }, "block length out of range (found 0"},
        Refusal{batch_to_space, [](auto& w) { set<std::int32_t>(w, 0, {2, 3}); },
                "the batch is no multiple of the blocks (found 4, expected a multiple of 6)"},
        Refusal{batch_to_space, [](auto& w) { set<std::int32_t>(w, 1, {5, 0, 0, 0}); },
                "the crops are longer than dimension 1"},
        Refusal{depth_to_space, [](auto& w) { w.template options<schema::DepthToSpaceOptionsT>(0).block_size = 3; },
                "the square of block_size does not divide the channels (found 3"},
        Refusal{resize,
                [](auto& w) { w.template options<schema::ResizeBilinearOptionsT>(0).half_pixel_centers = true; },
                "align_corners and half_pixel_centers exclude each other"},
        Refusal{resize, [](auto& w) { w.tensor(0).type = w.tensor(1).type = kI16; }, "input 0 'x' has no quantisation"},
        Refusal{broadcast_to, [](auto& w) { w.tensor(0).shape = {2, 2}; },
                "shapes of the inputs do not broadcast (found 2 against 3)"},
        Refusal{broadcast_to, [](auto& w) { set<std::int32_t>(w, 0, {2, 4}); },
                "the shape of the output 'y' does not fit"},
        Refusal{embedding, [](auto& w) { w.tensor(1).quantization->zero_point = {3}; },
                "unsupported zero point of input 1 'table' (found 3, expected 0)"},
        Refusal{embedding, [](auto& w) { w.tensor(1).shape = {4}; }, "unsupported shape of input 1"},
        Refusal{arg_max, [](auto& w) { w.tensor(1).type = kI16; }, "unsupported element type of the output 'y'"},
        Refusal{hard_swish, [](auto& w) { w.tensor(1).quantization->scale = {0.003f}; },
                "the output's scale is too small for the input's"},
        Refusal{log_softmax, [](auto& w) { w.tensor(1).quantization->zero_point = {0}; },
                "unsupported quantisation of the output 'y'"},
        Refusal{l2,
                [](auto& w) {
                  w.template options<schema::L2NormOptionsT>(0).fused_activation_function =
                      ActivationFunctionType::RELU;
                },
                "unsupported fused activation (found RELU, expected NONE)"},
        Refusal{quantize_from_i8,
                [](auto& w) {
                  w.tensor(1).quantization->scale = {1, 2, 3}, w.tensor(1).quantization->zero_point = {0, 0, 0},
                  w.tensor(1).quantization->quantized_dimension = 1;
                },
                "the output 'y' is quantised per axis"},
        Refusal{quantize_from_i8,
                [](auto& w) { w.tensor(0).type = TensorType::UINT8, w.tensor(0).quantization->zero_point = {-1}; },
                "unsupported zero point of input 0 'x'"}));

}  // namespace
}  // namespace byoc::test
