// Element types that no kernel of TensorFlow Lite Micro has: the uint8 of older converters, and float activations with
// quantised weights. Every operator that the importer knows is in the table below, but for those that take what their
// subgraphs or variables are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sdk/model/import/tflite/operator_import.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using Code = BuiltinOperator;

template <class Options>
void with(schema::OperatorT& op) {
  op.builtin_options.Set(Options());
}

// Options that say that there is one piece.
template <class Options, auto count>
void one_piece(schema::OperatorT& op) {
  Options options;
  options.*count = 1;
  op.builtin_options.Set(std::move(options));
}
template <class Options>
void with_tanh(schema::OperatorT& op) {
  Options options;
  options.fused_activation_function = ActivationFunctionType::TANH;
  op.builtin_options.Set(std::move(options));
}

constexpr const char* kNoUint8 = "uint8 kernels are not supported: input ";

struct Row {
  Code code;
  // What its inputs are: x data of the type that is refused, s a variable tensor of it, b bool; constant integers: 0,
  // 1, or i, the shape of the data; - none.
  const char* inputs;
  void (*set_options)(schema::OperatorT&) = nullptr;
  TensorType type = TensorType::UINT8;
  const char* message = kNoUint8;
  TensorType result = TensorType::UINT8;  // of the output, where not `type`
  int rank = 4;                           // of data
};

void PrintTo(const Row& row, std::ostream* out) { *out << schema::EnumNameBuiltinOperator(row.code); }

constexpr auto kF64 = TensorType::FLOAT64;

constexpr Row kRows[] = {
    {Code::ABS, "x"},
    {Code::ADD, "xx"},
    {Code::ADD_N, "xx"},
    {Code::ARG_MAX, "xi"},
    {Code::ATAN2, "xx"},
    {Code::BIDIRECTIONAL_SEQUENCE_LSTM, "xxxxxxxxx---xxxx--xxxxxxxx---xxxx--ssss---------",
     with_tanh<schema::BidirectionalSequenceLSTMOptionsT>, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32)"},
    {Code::BIDIRECTIONAL_SEQUENCE_RNN, "xxxxsxxxs---", with<schema::BidirectionalSequenceRNNOptionsT>,
     TensorType::UINT8, "unsupported element type of input 0 't0' (found u8, expected f32)"},
    {Code::BUCKETIZE, "x", with<schema::BucketizeOptionsT>},
    {Code::DILATE, "xix"},
    {Code::FAKE_QUANT, "x", with<schema::FakeQuantOptionsT>},
    {Code::NON_MAX_SUPPRESSION_V4, "xx1xx", nullptr, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32)"},
    {Code::NON_MAX_SUPPRESSION_V5, "xx1xxx", nullptr, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32)"},
    {Code::RIGHT_SHIFT, "xx", nullptr, TensorType::UINT8,
     "kernels for plain integers take no quantisation: input 0 't0'"},
    {Code::RNN, "xxxxs", with<schema::RNNOptionsT>, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32)", TensorType::UINT8, 2},
    {Code::UNIDIRECTIONAL_SEQUENCE_RNN, "xxxxs", with<schema::SequenceRNNOptionsT>, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32)", TensorType::UINT8, 3},
    {Code::UNIQUE, "x", nullptr, kF32, "wrong number of outputs (found 1, expected 2)"},
    {Code::WHERE, "x", nullptr, TensorType::UINT8,
     "unsupported element type of the output 'y' (found u8, expected i64)"},
    {Code::ARG_MIN, "xi"},
    {Code::AVERAGE_POOL_2D, "x", with<schema::Pool2DOptionsT>, kF64, "unsupported element type"},
    {Code::BATCH_MATMUL, "xx"},
    {Code::BATCH_TO_SPACE_ND, "xii"},
    {Code::BITCAST, "x", nullptr, kBool, "unsupported element type of input 0 't0' (found bool, expected f32"},
    {Code::BITWISE_XOR, "xx"},
    {Code::BROADCAST_ARGS, "xx", nullptr, kF32, "unsupported element type of input 0 't0' (found f32, expected i32"},
    {Code::BROADCAST_TO, "xi"},
    {Code::CAST, "x", nullptr, kF64, "unsupported element type of input 0 't0' (found f64, expected f32, i8, u8"},
    {Code::CEIL, "x"},
    {Code::COMPLEX_ABS, "x", nullptr, kF32, "complex numbers are expected there (found tensor 0 't0'"},
    {Code::CONCATENATION, "xx", with<schema::ConcatenationOptionsT>},
    {Code::CONV_2D, "xx", with<schema::Conv2DOptionsT>},
    {Code::CONV_3D, "xx", with<schema::Conv3DOptionsT>, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32)"},
    {Code::CONV_3D_TRANSPOSE, "ixx", with<schema::Conv3DOptionsT>, TensorType::UINT8,
     "unsupported element type of input 2 't2' (found u8, expected f32)"},
    {Code::COS, "x"},
    {Code::CUMSUM, "x1"},
    {Code::DENSIFY, "i", nullptr, kF32, "unsupported element type of the output 'y' (found f32, expected i32)"},
    {Code::DEPTHWISE_CONV_2D, "xx", with<schema::DepthwiseConv2DOptionsT>},
    {Code::DEPTH_TO_SPACE, "x", with<schema::DepthToSpaceOptionsT>},
    {Code::DEQUANTIZE, "x", nullptr, kI64, "unsupported element type of input 0 't0' (found i64, expected i8, u8",
     kF32},
    {Code::DIV, "xx"},
    {Code::DYNAMIC_UPDATE_SLICE, "xxi"},
    {Code::ELU, "x"},
    {Code::EMBEDDING_LOOKUP, "ix", nullptr, TensorType::UINT8,
     "unsupported element type of input 1 't1' (found u8, expected f32 or i8)"},
    {Code::EQUAL, "xx", nullptr, TensorType::UINT8, kNoUint8, kBool},
    {Code::EXP, "x"},
    {Code::EXPAND_DIMS, "xx", nullptr, TensorType::UINT8,
     "unsupported element type of input 1 't1' (found u8, expected i32 or i64)"},
    {Code::FILL, "ix"},
    {Code::FLOOR, "x"},
    {Code::FLOOR_DIV, "xx"},
    {Code::FLOOR_MOD, "xx"},
    {Code::FULLY_CONNECTED, "xx", with<schema::FullyConnectedOptionsT>, TensorType::UINT8, kNoUint8, TensorType::UINT8,
     2},
    {Code::GATHER, "xi", with<schema::GatherOptionsT>},
    {Code::GATHER_ND, "xi"},
    {Code::GELU, "x"},
    {Code::GREATER, "xx", nullptr, TensorType::UINT8, kNoUint8, kBool},
    {Code::GREATER_EQUAL, "xx", nullptr, TensorType::UINT8, kNoUint8, kBool},
    {Code::HARD_SWISH, "x"},
    {Code::IMAG, "x", nullptr, kF32, "complex numbers are expected there (found tensor 0 't0'"},
    {Code::L2_NORMALIZATION, "x"},
    {Code::L2_POOL_2D, "x", with<schema::Pool2DOptionsT>, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32)"},
    {Code::LEAKY_RELU, "x", with<schema::LeakyReluOptionsT>},
    {Code::LESS, "xx", nullptr, TensorType::UINT8, kNoUint8, kBool},
    {Code::LESS_EQUAL, "xx", nullptr, TensorType::UINT8, kNoUint8, kBool},
    {Code::LOCAL_RESPONSE_NORMALIZATION, "x", with<schema::LocalResponseNormalizationOptionsT>, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32)"},
    {Code::LOG, "x"},
    {Code::LOGICAL_AND, "xx"},
    {Code::LOGICAL_NOT, "x"},
    {Code::LOGICAL_OR, "xx"},
    {Code::LOGISTIC, "x"},
    {Code::LOG_SOFTMAX, "x"},
    {Code::MATRIX_DIAG, "x"},
    {Code::MATRIX_SET_DIAG, "xx"},
    {Code::MAXIMUM, "xx"},
    {Code::MAX_POOL_2D, "x", with<schema::Pool2DOptionsT>},
    {Code::MEAN, "xi"},
    {Code::MINIMUM, "xx"},
    {Code::MIRROR_PAD, "xi", with<schema::MirrorPadOptionsT>},
    {Code::MUL, "xx"},
    {Code::NEG, "x"},
    {Code::NOT_EQUAL, "xx", nullptr, TensorType::UINT8, kNoUint8, kBool},
    {Code::ONE_HOT, "i1xx", with<schema::OneHotOptionsT>},
    {Code::PACK, "x", one_piece<schema::PackOptionsT, &schema::PackOptionsT::values_count>},
    {Code::PAD, "xi"},
    {Code::PADV2, "xix"},
    {Code::POW, "xx"},
    {Code::PRELU, "xx"},
    {Code::QUANTIZE, "x", nullptr, TensorType::UINT8, "unsupported element types of input 0 't0' and the output 'y'"},
    {Code::RANGE, "xxx", nullptr, TensorType::UINT8, "uint8 kernels are not supported: the output 'y'"},
    {Code::REAL, "x", nullptr, kF32, "complex numbers are expected there (found tensor 0 't0'"},
    {Code::REDUCE_ALL, "xi"},
    {Code::REDUCE_ANY, "xi"},
    {Code::REDUCE_MAX, "xi"},
    {Code::REDUCE_MIN, "xi"},
    {Code::REDUCE_PROD, "xi"},
    {Code::RELU, "x"},
    {Code::RELU6, "x"},
    {Code::RELU_0_TO_1, "x"},
    {Code::RELU_N1_TO_1, "x"},
    {Code::RESHAPE, "xi", nullptr, kF32, "element types of input 0 't0' and the output 'y' differ", kI32},
    {Code::RESIZE_BILINEAR, "xi", with<schema::ResizeBilinearOptionsT>, kF64, "unsupported element type"},
    {Code::RESIZE_NEAREST_NEIGHBOR, "xi", with<schema::ResizeNearestNeighborOptionsT>},
    {Code::REVERSE_SEQUENCE, "xi", with<schema::ReverseSequenceOptionsT>},
    {Code::REVERSE_V2, "xi"},
    {Code::RFFT2D, "xi", nullptr, kF32, "complex numbers are expected there (found tensor 2 'y'"},
    {Code::ROUND, "x"},
    {Code::RSQRT, "x"},
    {Code::SCATTER_ND, "ixi"},
    {Code::SEGMENT_SUM, "x1"},
    {Code::SELECT, "bxx"},
    {Code::SELECT_V2, "bxx"},
    {Code::SHAPE, "x", nullptr, TensorType::UINT8,
     "unsupported element type of the output 'y' (found u8, expected i32"},
    {Code::SIGN, "x"},
    {Code::SIN, "x"},
    {Code::SLICE, "xii"},
    {Code::SOFTMAX, "x", with<schema::SoftmaxOptionsT>},
    {Code::SPACE_TO_BATCH_ND, "xii"},
    {Code::SPACE_TO_DEPTH, "x", with<schema::SpaceToDepthOptionsT>},
    {Code::SPLIT, "0x", one_piece<schema::SplitOptionsT, &schema::SplitOptionsT::num_splits>},
    {Code::SPLIT_V, "x10", one_piece<schema::SplitVOptionsT, &schema::SplitVOptionsT::num_splits>},
    {Code::SQRT, "x"},
    {Code::SQUARE, "x"},
    {Code::SQUARED_DIFFERENCE, "xx"},
    {Code::SQUEEZE, "x", nullptr, kF32, "element types of input 0 't0' and the output 'y' differ", kI32, 2},
    {Code::STRIDED_SLICE, "xiii", with<schema::StridedSliceOptionsT>},
    {Code::SUB, "xx"},
    {Code::SUM, "xi"},
    {Code::SVDF, "xxxxs", with<schema::SVDFOptionsT>, TensorType::UINT8,
     "unsupported element type of input 0 't0' (found u8, expected f32 or i8)"},
    {Code::TANH, "x"},
    {Code::TILE, "xi"},
    {Code::TOPK_V2, "x1"},
    {Code::TRANSPOSE, "xi"},
    {Code::TRANSPOSE_CONV, "ixx", with<schema::TransposeConvOptionsT>},
    {Code::UNIDIRECTIONAL_SEQUENCE_LSTM, "xxxxxxxxx---xxxx--ss----",
     with_tanh<schema::UnidirectionalSequenceLSTMOptionsT>},
    {Code::UNPACK, "x", one_piece<schema::UnpackOptionsT, &schema::UnpackOptionsT::num>},
    {Code::UNSORTED_SEGMENT_MAX, "x11"},
    {Code::UNSORTED_SEGMENT_MIN, "x11"},
    {Code::UNSORTED_SEGMENT_PROD, "x11"},
    {Code::UNSORTED_SEGMENT_SUM, "x11"},
    {Code::ZEROS_LIKE, "x"},
};

class TfliteElementTypes : public testing::TestWithParam<Row> {};

TEST_P(TfliteElementTypes, areRefusedByName) {
  Row row = GetParam();
  // An operator that takes uint8 refuses another type.
  const tflite::OperatorEntry* entry = tflite::find_operator(row.code);
  if (entry != nullptr && entry->bytes == tflite::ByteForm::shifted && row.type == TensorType::UINT8) {
    row.type = kF64;
    row.message = "unsupported element type";
  }
  TfliteWriter w;
  const std::vector<std::int32_t> all = {1, 2, 2, 4}, shape(all.end() - row.rank, all.end());
  const auto quantised = [](TensorType t) { return t == TensorType::UINT8 ? q(0.5f, 3) : TfliteQuantisation{}; };
  std::vector<std::int32_t> inputs, boundary;
  for (const char* kind = row.inputs; *kind != '\0'; ++kind) {
    const std::string name = "t" + std::to_string(inputs.size());
    switch (*kind) {
      case '-': inputs.push_back(-1); break;
      case '0':
      case '1': inputs.push_back(w.constant(name, kI32, {1}, std::vector<std::int32_t>{*kind - '0'})); break;
      case 'i': inputs.push_back(w.constant(name, kI32, {row.rank}, shape)); break;
      case 's': inputs.push_back(w.variable(name, row.type, shape, quantised(row.type))); break;
      default:
        inputs.push_back(*kind == 'b' ? w.add(name, kBool, shape) : w.add(name, row.type, shape, quantised(row.type)));
        boundary.push_back(inputs.back());
    }
  }
  const TensorType result = row.result != TensorType::UINT8 ? row.result : row.type;
  const std::int32_t y = w.add("y", result, shape, quantised(result));
  schema::OperatorT& op = w.add_operator(row.code, inputs, {y});
  if (row.set_options != nullptr) row.set_options(op);
  w.boundary(boundary, {y});
  EXPECT_THAT(errors(w.bytes()),
              HasSubstr(std::string("'") + schema::EnumNameBuiltinOperator(row.code) + " 'y' (#0)': " + row.message));
}

INSTANTIATE_TEST_SUITE_P(AllOperators, TfliteElementTypes, testing::ValuesIn(kRows),
                         [](const auto& row) { return schema::EnumNameBuiltinOperator(row.param.code); });

TEST(TfliteElementTypesTable, hasEveryOperator) {
  const std::set<Code> others = {Code::RANK,          Code::STABLEHLO_COMPOSITE, Code::IF,
                                 Code::WHILE,         Code::CALL_ONCE,           Code::VAR_HANDLE,
                                 Code::READ_VARIABLE, Code::ASSIGN_VARIABLE};
  for (const tflite::OperatorEntry& entry : tflite::supported_operators()) {
    if (others.contains(entry.code)) continue;
    const auto is_it = [&](const Row& row) { return row.code == entry.code; };
    EXPECT_TRUE(std::any_of(std::begin(kRows), std::end(kRows), is_it))
        << schema::EnumNameBuiltinOperator(entry.code) << " has no row";
  }
}

// Weights have fewer than 8 bits, or are computed by a run.
TEST(TfliteHybridKernels, areRefusedByName) {
  const auto refused = [](const char* name, const TfliteWriter& w) {
    EXPECT_THAT(errors(w.bytes()),
                HasSubstr(std::string("'") + name +
                          " 'y' (#0)': hybrid kernels are not supported: float activations with quantised weights"));
  };
  TfliteWriter product = fully_connected_model();
  product.tensor(0).type = product.tensor(3).type = kF32;
  product.tensor(1).type = TensorType::INT4;
  product.model.buffers[1]->data.resize(10);
  refused("FULLY_CONNECTED", product);
  TfliteWriter transposed = transpose_conv_model();
  transposed.tensor(2).type = transposed.tensor(4).type = kF32;
  transposed.tensor(1).buffer = 0;
  transposed.boundary({1, 2}, {4});
  refused("TRANSPOSE_CONV", transposed);
  TfliteWriter matrices;
  matrices.add("x", kF32, {2, 3});
  matrices.add("w", kI8, {3, 4}, q(0.5f, 0));
  matrices.add("y", kF32, {2, 4});
  matrices.add_operator(Code::BATCH_MATMUL, {0, 1}, {2}, schema::BatchMatMulOptionsT());
  matrices.boundary({0, 1}, {2});
  refused("BATCH_MATMUL", matrices);
}

}  // namespace
}  // namespace byoc::test
