// Everything that TensorFlow Lite Micro registers is read, in every element type that its kernels take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "sdk/model/import/tflite/custom.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;
using Shape = std::vector<std::int32_t>;

// By the names of its resolver's functions, those of Ethos-U aside, whose operator is an NPU's.
TEST(TfliteMicro, everyOperatorIsKnown) {
  for (const Code code : {Code::ABS,
                          Code::ADD,
                          Code::ADD_N,
                          Code::ARG_MAX,
                          Code::ARG_MIN,
                          Code::ASSIGN_VARIABLE,
                          Code::AVERAGE_POOL_2D,
                          Code::BATCH_MATMUL,
                          Code::BATCH_TO_SPACE_ND,
                          Code::BROADCAST_ARGS,
                          Code::BROADCAST_TO,
                          Code::CALL_ONCE,
                          Code::CAST,
                          Code::CEIL,
                          Code::CONCATENATION,
                          Code::CONV_2D,
                          Code::COS,
                          Code::CUMSUM,
                          Code::DEPTH_TO_SPACE,
                          Code::DEPTHWISE_CONV_2D,
                          Code::DEQUANTIZE,
                          Code::DIV,
                          Code::DYNAMIC_UPDATE_SLICE,
                          Code::ELU,
                          Code::EMBEDDING_LOOKUP,
                          Code::EQUAL,
                          Code::EXP,
                          Code::EXPAND_DIMS,
                          Code::FILL,
                          Code::FLOOR,
                          Code::FLOOR_DIV,
                          Code::FLOOR_MOD,
                          Code::FULLY_CONNECTED,
                          Code::GATHER,
                          Code::GATHER_ND,
                          Code::GREATER,
                          Code::GREATER_EQUAL,
                          Code::HARD_SWISH,
                          Code::IF,
                          Code::L2_NORMALIZATION,
                          Code::L2_POOL_2D,
                          Code::LEAKY_RELU,
                          Code::LESS,
                          Code::LESS_EQUAL,
                          Code::LOG,
                          Code::LOG_SOFTMAX,
                          Code::LOGICAL_AND,
                          Code::LOGICAL_NOT,
                          Code::LOGICAL_OR,
                          Code::LOGISTIC,
                          Code::MAX_POOL_2D,
                          Code::MAXIMUM,
                          Code::MEAN,
                          Code::MINIMUM,
                          Code::MIRROR_PAD,
                          Code::MUL,
                          Code::NEG,
                          Code::NOT_EQUAL,
                          Code::PACK,
                          Code::PAD,
                          Code::PADV2,
                          Code::PRELU,
                          Code::QUANTIZE,
                          Code::READ_VARIABLE,
                          Code::REDUCE_MAX,
                          Code::REDUCE_MIN,
                          Code::RELU,
                          Code::RELU6,
                          Code::RESHAPE,
                          Code::RESIZE_BILINEAR,
                          Code::RESIZE_NEAREST_NEIGHBOR,
                          Code::REVERSE_V2,
                          Code::ROUND,
                          Code::RSQRT,
                          Code::SELECT_V2,
                          Code::SHAPE,
                          Code::SIN,
                          Code::SLICE,
                          Code::SOFTMAX,
                          Code::SPACE_TO_BATCH_ND,
                          Code::SPACE_TO_DEPTH,
                          Code::SPLIT,
                          Code::SPLIT_V,
                          Code::SQRT,
                          Code::SQUARE,
                          Code::SQUARED_DIFFERENCE,
                          Code::SQUEEZE,
                          Code::STRIDED_SLICE,
                          Code::SUB,
                          Code::SUM,
                          Code::SVDF,
                          Code::TANH,
                          Code::TRANSPOSE,
                          Code::TRANSPOSE_CONV,
                          Code::UNIDIRECTIONAL_SEQUENCE_LSTM,
                          Code::UNPACK,
                          Code::VAR_HANDLE,
                          Code::WHILE,
                          Code::ZEROS_LIKE}) {
    const auto known = tflite::supported_operators();
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const auto& entry) { return entry.code == code; }))
        << schema::EnumNameBuiltinOperator(code);
  }
  for (const char* name :
       {"CIRCULAR_BUFFER", "DECODE", "SignalDelay", "SignalEnergy", "SignalFftAutoScale", "SignalFilterBank",
        "SignalFilterBankLog", "SignalFilterBankSpectralSubtraction", "SignalFilterBankSquareRoot", "SignalFramer",
        "SignalIrfft", "SignalOverlapAdd", "SignalPCAN", "SignalRfft", "SignalStacker", "SignalWindow",
        "TFLite_Detection_PostProcess"}) {
    const auto known = tflite::custom_operators();
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const auto& row) { return row.name == name; })) << name;
  }
}

// The quantisation of a value that has one.
TfliteQuantisation of(TensorType type) {
  return type == kI8 ? q(0.25F, 3) : type == kI16 ? q(0.25F, 0) : TfliteQuantisation{};
}

struct NoOptions {};

// An operator on one or more values of a type, constants behind them, and its result.
struct Build {
  TfliteWriter w;
  std::vector<std::int32_t> inputs = {}, given = {};
  TensorType type;

  explicit Build(TensorType of_values) : type(of_values) {}
  Build& x(Shape shape) { return as(type, std::move(shape)); }
  Build& as(TensorType other, Shape shape) {
    const bool quantised = other == type;
    given.push_back(w.add("x", other, std::move(shape), quantised ? of(other) : TfliteQuantisation{}));
    inputs.push_back(given.back());
    return *this;
  }
  Build& integers(const std::vector<std::int32_t>& values, Shape shape) {
    inputs.push_back(w.constant("i", kI32, std::move(shape), values));
    return *this;
  }
  template <class Options>
  std::string to(Code code, TensorType result, const std::vector<Shape>& shapes, Options options,
                 TfliteQuantisation quantisation) {
    std::vector<std::int32_t> outputs;
    for (const Shape& shape : shapes) outputs.push_back(w.add("y", result, shape, quantisation));
    if constexpr (std::is_same_v<Options, NoOptions>)
      w.add_operator(code, inputs, outputs);
    else
      w.add_operator(code, inputs, outputs, std::move(options));
    w.boundary(given, outputs);
    return errors(w.bytes());
  }
  template <class Options>
  std::string to(Code code, const std::vector<Shape>& shapes, Options options) {
    return to(code, type, shapes, std::move(options), of(type));
  }
};

struct MicroRow {
  Code code;
  std::vector<TensorType> types;
  std::function<std::string(TensorType)> errors;  // of a model with that type
};

template <class Options = NoOptions>
MicroRow unary(Code code, std::vector<TensorType> types) {
  return {code, std::move(types), [code](TensorType t) { return Build(t).x({2, 3}).to(code, {{2, 3}}, Options()); }};
}
// A result with a scale of its own.
template <class Options>
MicroRow scaled(Code code, std::vector<TensorType> types, TfliteQuantisation of_i8, TfliteQuantisation of_i16,
                Options options) {
  return {code, std::move(types), [=](TensorType t) {
            return Build(t).x({2, 3}).to(code, t, {{2, 3}}, options,
                                         t == kI8    ? of_i8
                                         : t == kI16 ? of_i16
                                                     : TfliteQuantisation{});
          }};
}
template <class Options>
MicroRow pair(Code code, std::vector<TensorType> types) {
  return {code, std::move(types),
          [code](TensorType t) { return Build(t).x({2, 3}).x({2, 3}).to(code, {{2, 3}}, Options()); }};
}
template <class Options>
MicroRow comparison(Code code, std::vector<TensorType> types) {
  return {code, std::move(types),
          [code](TensorType t) { return Build(t).x({2, 3}).x({2, 3}).to(code, kBool, {{2, 3}}, Options(), {}); }};
}
template <class Options>
MicroRow arranged(Code code, std::vector<TensorType> types, Shape from, std::vector<Shape> to, Options options,
                  std::vector<std::pair<std::vector<std::int32_t>, Shape>> constants) {
  return {code, std::move(types), [=](TensorType t) {
            Build b(t);
            b.x(from);
            for (const auto& [values, shape] : constants) b.integers(values, shape);
            return b.to(code, to, options);
          }};
}

const std::vector<TensorType> kReal = {kF32}, kNumbers = {kF32, kI8, kI16}, kTwo = {kF32, kI8},
                              kPlain = {kF32, kI8, kI16, kI32}, kWide = {kF32, kI8, kI16, kI32, kI64},
                              kAll = {kF32, kI8, kI16, kI32, kI64, kBool};

std::vector<MicroRow> rows() {
  schema::SplitVOptionsT of_lengths;
  of_lengths.num_splits = 2;
  schema::PackOptionsT pack;
  pack.values_count = 1;
  schema::UnpackOptionsT unpack;
  unpack.num = 2;
  schema::SpaceToDepthOptionsT to_depth;
  to_depth.block_size = 2;
  schema::DepthToSpaceOptionsT to_space;
  to_space.block_size = 2;
  schema::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  schema::Pool2DOptionsT pool;
  pool.padding = Padding::VALID;
  pool.stride_h = pool.stride_w = pool.filter_height = pool.filter_width = 2;
  const TfliteQuantisation part = q(1.0F / 256, -128), half = q(1.0F / 128, 0), fine = q(1.0F / 32768, 0);
  return {
      unary<schema::AbsOptionsT>(Code::ABS, kNumbers),
      unary(Code::RSQRT, kNumbers),
      unary(Code::SIN, kReal),
      unary<schema::CosOptionsT>(Code::COS, kReal),
      unary(Code::LOG, kReal),
      unary(Code::SQRT, kReal),
      unary<schema::SquareOptionsT>(Code::SQUARE, kReal),
      unary<schema::NegOptionsT>(Code::NEG, kReal),
      unary<schema::ExpOptionsT>(Code::EXP, kReal),
      unary(Code::ROUND, kReal),
      unary(Code::FLOOR, kReal),
      unary(Code::CEIL, kReal),
      unary(Code::RELU, kNumbers),
      unary(Code::RELU6, kNumbers),
      unary(Code::ELU, kTwo),
      unary<schema::HardSwishOptionsT>(Code::HARD_SWISH, kTwo),
      unary<schema::LeakyReluOptionsT>(Code::LEAKY_RELU, kNumbers),
      unary(Code::LOGICAL_NOT, {kBool}),
      unary<schema::ZerosLikeOptionsT>(Code::ZEROS_LIKE, {kF32, kI8, kI32, kI64}),
      scaled(Code::LOG_SOFTMAX, kTwo, q(16.0F / 256, 127), {}, schema::LogSoftmaxOptionsT()),
      scaled(Code::SOFTMAX, kNumbers, part, fine, softmax),
      scaled(Code::L2_NORMALIZATION, kTwo, half, {}, schema::L2NormOptionsT()),
      pair<schema::AddOptionsT>(Code::ADD, kPlain),
      pair<schema::SubOptionsT>(Code::SUB, kPlain),
      pair<schema::MulOptionsT>(Code::MUL, kPlain),
      pair<schema::DivOptionsT>(Code::DIV, kTwo),
      pair<schema::AddNOptionsT>(Code::ADD_N, kTwo),
      pair<schema::MaximumMinimumOptionsT>(Code::MAXIMUM, kWide),
      pair<schema::MaximumMinimumOptionsT>(Code::MINIMUM, kWide),
      pair<schema::FloorDivOptionsT>(Code::FLOOR_DIV, kReal),
      pair<schema::FloorModOptionsT>(Code::FLOOR_MOD, kReal),
      pair<schema::SquaredDifferenceOptionsT>(Code::SQUARED_DIFFERENCE, kPlain),
      pair<schema::LogicalAndOptionsT>(Code::LOGICAL_AND, {kBool}),
      pair<schema::LogicalOrOptionsT>(Code::LOGICAL_OR, {kBool}),
      comparison<schema::EqualOptionsT>(Code::EQUAL, {kF32, kI8, kI32, kI64, kBool}),
      comparison<schema::NotEqualOptionsT>(Code::NOT_EQUAL, {kF32, kI8, kI32, kI64, kBool}),
      comparison<schema::LessOptionsT>(Code::LESS, {kF32, kI8, kI32, kI64}),
      comparison<schema::LessEqualOptionsT>(Code::LESS_EQUAL, {kF32, kI8, kI32, kI64}),
      comparison<schema::GreaterOptionsT>(Code::GREATER, kWide),
      comparison<schema::GreaterEqualOptionsT>(Code::GREATER_EQUAL, {kF32, kI8, kI32, kI64}),
      arranged(Code::MEAN, kNumbers, {2, 3, 4}, {{2, 4}}, schema::ReducerOptionsT(), {{{1}, {1}}}),
      arranged(Code::SUM, kNumbers, {2, 3, 4}, {{2, 4}}, schema::ReducerOptionsT(), {{{1}, {1}}}),
      arranged(Code::REDUCE_MAX, kTwo, {2, 3, 4}, {{2, 4}}, schema::ReducerOptionsT(), {{{1}, {1}}}),
      arranged(Code::REDUCE_MIN, kTwo, {2, 3, 4}, {{2, 4}}, schema::ReducerOptionsT(), {{{1}, {1}}}),
      arranged(Code::CUMSUM, kTwo, {2, 3}, {{2, 3}}, schema::CumsumOptionsT(), {{{1}, {}}}),
      arranged(Code::CONCATENATION, kAll, {2, 3}, {{2, 3}}, schema::ConcatenationOptionsT(), {}),
      arranged(Code::PACK, kAll, {2, 3}, {{1, 2, 3}}, pack, {}),
      arranged(Code::UNPACK, kPlain, {2, 3}, {{3}, {3}}, unpack, {}),
      arranged(Code::SPLIT_V, kPlain, {2, 3}, {{1, 3}, {1, 3}}, of_lengths, {{{1, 1}, {2}}, {{0}, {}}}),
      arranged(Code::SLICE, kAll, {2, 3}, {{1, 2}}, schema::SliceOptionsT(), {{{1, 0}, {2}}, {{1, 2}, {2}}}),
      arranged(Code::STRIDED_SLICE, kAll, {2, 3}, {{1, 2}}, schema::StridedSliceOptionsT(),
               {{{1, 0}, {2}}, {{2, 3}, {2}}, {{1, 2}, {2}}}),
      arranged(Code::PAD, kPlain, {2, 3}, {{3, 3}}, schema::PadOptionsT(), {{{1, 0, 0, 0}, {2, 2}}}),
      arranged(Code::MIRROR_PAD, kTwo, {2, 3}, {{3, 3}}, schema::MirrorPadOptionsT(), {{{1, 0, 0, 0}, {2, 2}}}),
      arranged(Code::TRANSPOSE, kNumbers, {2, 3}, {{3, 2}}, schema::TransposeOptionsT(), {{{1, 0}, {2}}}),
      arranged(Code::RESHAPE, kAll, {2, 3}, {{6}}, schema::ReshapeOptionsT(), {{{6}, {1}}}),
      arranged(Code::SQUEEZE, kAll, {2, 1}, {{2}}, schema::SqueezeOptionsT(), {}),
      arranged(Code::EXPAND_DIMS, kAll, {2, 3}, {{1, 2, 3}}, schema::ExpandDimsOptionsT(), {{{0}, {1}}}),
      arranged(Code::GATHER, kTwo, {2, 3}, {{1, 3}}, schema::GatherOptionsT(), {{{1}, {1}}}),
      arranged(Code::GATHER_ND, kTwo, {2, 3}, {{1}}, schema::GatherNdOptionsT(), {{{1, 2}, {1, 2}}}),
      arranged(Code::BROADCAST_TO, kAll, {2, 1}, {{2, 3}}, schema::BroadcastToOptionsT(), {{{2, 3}, {2}}}),
      arranged(Code::REVERSE_V2, kPlain, {2, 3}, {{2, 3}}, schema::ReverseV2OptionsT(), {{{1}, {1}}}),
      arranged(Code::SPACE_TO_DEPTH, kTwo, {1, 2, 4, 1}, {{1, 1, 2, 4}}, to_depth, {}),
      arranged(Code::DEPTH_TO_SPACE, kTwo, {1, 1, 2, 4}, {{1, 2, 4, 1}}, to_space, {}),
      arranged(Code::SPACE_TO_BATCH_ND, kTwo, {1, 2, 2, 1}, {{4, 1, 1, 1}}, schema::SpaceToBatchNDOptionsT(),
               {{{2, 2}, {2}}, {{0, 0, 0, 0}, {2, 2}}}),
      arranged(Code::BATCH_TO_SPACE_ND, kTwo, {4, 1, 1, 1}, {{1, 2, 2, 1}}, schema::BatchToSpaceNDOptionsT(),
               {{{2, 2}, {2}}, {{0, 0, 0, 0}, {2, 2}}}),
      arranged(Code::RESIZE_NEAREST_NEIGHBOR, kNumbers, {1, 2, 2, 1}, {{1, 4, 4, 1}},
               schema::ResizeNearestNeighborOptionsT(), {{{4, 4}, {2}}}),
      arranged(Code::RESIZE_BILINEAR, kTwo, {1, 2, 2, 1}, {{1, 4, 4, 1}}, schema::ResizeBilinearOptionsT(),
               {{{4, 4}, {2}}}),
      arranged(Code::MAX_POOL_2D, kNumbers, {1, 4, 4, 2}, {{1, 2, 2, 2}}, pool, {}),
      arranged(Code::AVERAGE_POOL_2D, kNumbers, {1, 4, 4, 2}, {{1, 2, 2, 2}}, pool, {}),
      arranged(Code::L2_POOL_2D, kReal, {1, 4, 4, 2}, {{1, 2, 2, 2}}, pool, {}),
  };
}

TEST(TfliteMicro, everyElementTypeIsRead) {
  for (const MicroRow& row : rows())
    for (const TensorType type : row.types)
      EXPECT_EQ(row.errors(type), "") << schema::EnumNameBuiltinOperator(row.code) << " "
                                      << schema::EnumNameTensorType(type);
}

// int16 that has no scale.
TEST(TfliteMicro, absTakesPlainIntegers) {
  TfliteWriter w;
  w.add("x", kI16, {2});
  w.add("y", kI16, {2});
  w.add_operator(Code::ABS, {0}, {1}, schema::AbsOptionsT());
  w.boundary({0}, {1});
  EXPECT_THAT(imported(w), testing::HasSubstr("Abs.18(%0)"));
}

}  // namespace
}  // namespace byoc::test
