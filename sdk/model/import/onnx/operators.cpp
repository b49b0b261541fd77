#include "sdk/model/import/onnx/operators.hpp"

#include <cstring>

namespace byoc::onnx_import {
namespace {

template <class T>
Blob blob_of(const std::vector<T>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return Blob::own(std::move(bytes));
}

using Kind = AttributeKind;

std::vector<AttributeRule> window_attributes() {
  return {{"auto_pad", Kind::text},
          {"kernel_shape", Kind::integers},
          {"pads", Kind::integers},
          {"strides", Kind::integers}};
}

std::vector<AttributeRule> with(std::vector<AttributeRule> base, std::vector<AttributeRule> more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

void add_arithmetic(std::vector<OperatorRule>& rules) {
  const std::vector<AttributeRule> old_broadcast{{"axis", Kind::integer}, {"broadcast", Kind::integer}};
  for (const std::string_view op : {"Add", "Sub", "Mul", "Div"}) {
    rules.push_back({"", op, 6, 6, 2, 2, 1, old_broadcast, normalise_broadcast});
    rules.push_back({"", op, 7, kLast, 2, 2, 1, {}});
  }
  for (const std::string_view op : {"And", "Equal", "Greater", "Less", "Or", "Pow", "Xor"}) {
    rules.push_back({"", op, 1, 6, 2, 2, 1, old_broadcast, normalise_broadcast});
    rules.push_back({"", op, 7, kLast, 2, 2, 1, {}});
  }
  rules.push_back({"", "PRelu", 6, 6, 2, 2, 1, {}, normalise_prelu});
  rules.push_back({"", "PRelu", 7, kLast, 2, 2, 1, {}});
  for (const std::string_view op : {"GreaterOrEqual", "LessOrEqual"}) rules.push_back({"", op, 12, kLast, 2, 2, 1, {}});
  for (const std::string_view op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    rules.push_back({"", op, 18, kLast, 2, 2, 1, {}});
  rules.push_back({"", "BitShift", 11, kLast, 2, 2, 1, {{"direction", Kind::text, 1, kLast, true}}});
  rules.push_back({"", "Mod", 10, kLast, 2, 2, 1, {{"fmod", Kind::integer}}});
  rules.push_back({"", "Where", 9, kLast, 3, 3, 1, {}});
  for (const std::string_view op : {"Max", "Mean", "Min"}) rules.push_back({"", op, 6, kLast, 1, kAnyNumber, 1, {}});
  struct Function {
    std::string_view op;
    std::int64_t since = 7;
  };
  for (const Function& f :
       {Function{"Abs", 6},      Function{"Acos"},        Function{"Acosh", 9},      Function{"Asin"},
        Function{"Asinh", 9},    Function{"Atan"},        Function{"Atanh", 9},      Function{"BitwiseNot", 18},
        Function{"Ceil", 6},     Function{"Cos"},         Function{"Cosh", 9},       Function{"Erf", 9},
        Function{"Exp", 6},      Function{"Floor", 6},    Function{"HardSwish", 14}, Function{"Log", 6},
        Function{"Mish", 18},    Function{"Neg", 6},      Function{"Not", 1},        Function{"Reciprocal", 6},
        Function{"Round", 11},   Function{"Sign", 9},     Function{"Sin"},           Function{"Sinh", 9},
        Function{"Softplus", 1}, Function{"Softsign", 1}, Function{"Sqrt", 6},       Function{"Tan"}})
    rules.push_back({"", f.op, f.since, kLast, 1, 1, 1, {}});
  rules.push_back({"",
                   "IsInf",
                   10,
                   kLast,
                   1,
                   1,
                   1,
                   {{"detect_negative", Kind::integer}, {"detect_positive", Kind::integer}},
                   normalise_float_predicate});
  rules.push_back({"", "IsNaN", 9, kLast, 1, 1, 1, {}, normalise_float_predicate});
  rules.push_back({"", "Sum", 6, kLast, 1, kAnyNumber, 1, {}, normalise_sum});
  rules.push_back({"", "MatMul", 1, kLast, 2, 2, 1, {}});
  rules.push_back({"",
                   "Gemm",
                   6,
                   kLast,
                   2,
                   3,
                   1,
                   {{"alpha", Kind::real},
                    {"beta", Kind::real},
                    {"broadcast", Kind::integer, 6, 6},
                    {"transA", Kind::integer},
                    {"transB", Kind::integer}},
                   normalise_gemm});
  rules.push_back({"",
                   "BatchNormalization",
                   6,
                   kLast,
                   5,
                   5,
                   3,
                   {{"epsilon", Kind::real},
                    {"is_test", Kind::integer, 6, 6},
                    {"momentum", Kind::real},
                    {"spatial", Kind::integer, 6, 8},
                    {"training_mode", Kind::integer, 14}},
                   normalise_batch_normalization});
}

void add_reductions(std::vector<OperatorRule>& rules) {
  struct Reduction {
    std::string_view op;
    std::int64_t axes_are_input;  // the opset in which `axes` became one
  };
  for (const Reduction& r : {Reduction{"ReduceL1", 18}, Reduction{"ReduceL2", 18}, Reduction{"ReduceLogSum", 18},
                             Reduction{"ReduceLogSumExp", 18}, Reduction{"ReduceMax", 18}, Reduction{"ReduceMean", 18},
                             Reduction{"ReduceMin", 18}, Reduction{"ReduceProd", 18}, Reduction{"ReduceSum", 13},
                             Reduction{"ReduceSumSquare", 18}}) {
    rules.push_back({"",
                     r.op,
                     1,
                     r.axes_are_input - 1,
                     1,
                     1,
                     1,
                     {{"axes", Kind::integers}, {"keepdims", Kind::integer}},
                     normalise_axes});
    rules.push_back({"",
                     r.op,
                     r.axes_are_input,
                     kLast,
                     1,
                     2,
                     1,
                     {{"keepdims", Kind::integer}, {"noop_with_empty_axes", Kind::integer}}});
  }
}

void add_axis_operators(std::vector<OperatorRule>& rules) {
  for (const std::string_view op : {"ArgMax", "ArgMin"})
    rules.push_back({"",
                     op,
                     1,
                     kLast,
                     1,
                     1,
                     1,
                     {{"axis", Kind::integer}, {"keepdims", Kind::integer}, {"select_last_index", Kind::integer, 12}}});
  const std::vector<AttributeRule> cumulated{{"exclusive", Kind::integer}, {"reverse", Kind::integer}};
  rules.push_back({"", "CumProd", 26, kLast, 2, 2, 1, cumulated});
  rules.push_back({"", "CumSum", 11, kLast, 2, 2, 1, cumulated});
  for (const std::string_view op : {"Hardmax", "LogSoftmax", "Softmax"})
    rules.push_back({"", op, 1, kLast, 1, 1, 1, {{"axis", Kind::integer}}, normalise_softmax});
  rules.push_back({"", "Det", 11, kLast, 1, 1, 1, {}});
}

// Made of nothing but sizes.
void add_generators(std::vector<OperatorRule>& rules) {
  rules.push_back({"", "Range", 11, kLast, 3, 3, 1, {}});
  rules.push_back({"", "EyeLike", 9, kLast, 1, 1, 1, {{"dtype", Kind::integer}, {"k", Kind::integer}}});
  for (const std::string_view op : {"BlackmanWindow", "HammingWindow", "HannWindow"})
    rules.push_back({"", op, 17, kLast, 1, 1, 1, {{"output_datatype", Kind::integer}, {"periodic", Kind::integer}}});
  rules.push_back({"", "MelWeightMatrix", 17, kLast, 5, 5, 1, {{"output_datatype", Kind::integer}}});
}

void add_activations(std::vector<OperatorRule>& rules) {
  for (const std::string_view op : {"Relu", "Sigmoid", "Tanh"}) rules.push_back({"", op, 6, kLast, 1, 1, 1, {}});
  for (const std::string_view op : {"Elu", "LeakyRelu"})
    rules.push_back({"", op, 6, kLast, 1, 1, 1, {{"alpha", Kind::real}}});
  rules.push_back({"", "Celu", 12, kLast, 1, 1, 1, {{"alpha", Kind::real}}});
  rules.push_back({"", "Swish", 24, kLast, 1, 1, 1, {{"alpha", Kind::real}}});
  rules.push_back({"", "ThresholdedRelu", 1, 9, 1, 1, 1, {{"alpha", Kind::real}}, normalise_as_onnx});
  rules.push_back({"", "ThresholdedRelu", 10, kLast, 1, 1, 1, {{"alpha", Kind::real}}});
  rules.push_back({"ai.onnx.ml", "Binarizer", 1, kNewestMl, 1, 1, 1, {{"threshold", Kind::real}}});
  rules.push_back({"", "HardSigmoid", 6, kLast, 1, 1, 1, {{"alpha", Kind::real}, {"beta", Kind::real}}});
  rules.push_back({"", "Selu", 6, kLast, 1, 1, 1, {{"alpha", Kind::real}, {"gamma", Kind::real}}});
  rules.push_back({"", "Shrink", 9, kLast, 1, 1, 1, {{"bias", Kind::real}, {"lambd", Kind::real}}});
  rules.push_back({"", "Gelu", 20, kLast, 1, 1, 1, {{"approximate", Kind::text}}});
  rules.push_back({"", "Clip", 6, 10, 1, 1, 1, {{"min", Kind::real}, {"max", Kind::real}}, normalise_clip});
  rules.push_back({"", "Clip", 11, kLast, 1, 3, 1, {}});
}

void add_spatial(std::vector<OperatorRule>& rules) {
  rules.push_back({"", "Conv", 1, kLast, 2, 3, 1,
                   with(window_attributes(), {{"dilations", Kind::integers}, {"group", Kind::integer}})});
  rules.push_back(
      {"", "MaxPool", 1, kLast, 1, 1, 2,
       with(window_attributes(),
            {{"ceil_mode", Kind::integer, 10}, {"dilations", Kind::integers, 10}, {"storage_order", Kind::integer, 8}}),
       normalise_max_pool});
  rules.push_back({"", "AveragePool", 1, kLast, 1, 1, 1,
                   with(window_attributes(), {{"ceil_mode", Kind::integer, 10},
                                              {"count_include_pad", Kind::integer, 7},
                                              {"dilations", Kind::integers, 19}})});
  rules.push_back({"", "GlobalAveragePool", 1, kLast, 1, 1, 1, {}});
  rules.push_back({"", "GlobalMaxPool", 1, kLast, 1, 1, 1, {}});
}

void add_shapes(std::vector<OperatorRule>& rules) {
  rules.push_back({"", "Concat", 4, kLast, 1, kAnyNumber, 1, {{"axis", Kind::integer, 1, kLast, true}}});
  rules.push_back({"", "Reshape", 5, kLast, 2, 2, 1, {{"allowzero", Kind::integer, 14}}});
  rules.push_back({"", "Flatten", 1, kLast, 1, 1, 1, {{"axis", Kind::integer}}});
  rules.push_back({"", "Squeeze", 1, 12, 1, 1, 1, {{"axes", Kind::integers}}, normalise_axes});
  rules.push_back({"", "Squeeze", 13, kLast, 1, 2, 1, {}});
  rules.push_back({"", "Unsqueeze", 1, 12, 1, 1, 1, {{"axes", Kind::integers, 1, 12, true}}, normalise_axes});
  rules.push_back({"", "Unsqueeze", 13, kLast, 2, 2, 1, {}});
  rules.push_back({"", "Transpose", 1, kLast, 1, 1, 1, {{"perm", Kind::integers}}});
  rules.push_back({"",
                   "Pad",
                   2,
                   10,
                   1,
                   1,
                   1,
                   {{"mode", Kind::text}, {"pads", Kind::integers, 1, 10, true}, {"value", Kind::real}},
                   normalise_pad});
  rules.push_back({"", "Pad", 11, kLast, 2, 4, 1, {{"mode", Kind::text}}});
  rules.push_back(
      {"",
       "Slice",
       1,
       9,
       1,
       1,
       1,
       {{"starts", Kind::integers, 1, 9, true}, {"ends", Kind::integers, 1, 9, true}, {"axes", Kind::integers}},
       normalise_slice});
  rules.push_back({"", "Slice", 10, kLast, 3, 5, 1, {}});
  rules.push_back(
      {"", "Split", 2, 12, 1, 1, kAnyNumber, {{"axis", Kind::integer}, {"split", Kind::integers}}, normalise_split});
  rules.push_back({"",
                   "Split",
                   13,
                   kLast,
                   1,
                   2,
                   kAnyNumber,
                   {{"axis", Kind::integer}, {"num_outputs", Kind::integer, 18}},
                   normalise_split});
  rules.push_back({"", "Expand", 8, kLast, 2, 2, 1, {}});
  rules.push_back({"", "Gather", 1, kLast, 2, 2, 1, {{"axis", Kind::integer}}});
  rules.push_back({"", "Shape", 1, kLast, 1, 1, 1, {{"start", Kind::integer, 15}, {"end", Kind::integer, 15}}});
}

void add_indexing(std::vector<OperatorRule>& rules) {
  const AttributeRule axis{"axis", Kind::integer};
  const AttributeRule reduction{"reduction", Kind::text, 16};
  rules.push_back({"", "GatherElements", 11, kLast, 2, 2, 1, {axis}});
  rules.push_back({"", "GatherND", 11, kLast, 2, 2, 1, {{"batch_dims", Kind::integer, 12}}});
  rules.push_back({"", "Scatter", 9, 10, 3, 3, 1, {axis}, normalise_scatter});
  rules.push_back({"", "ScatterElements", 11, kLast, 3, 3, 1, {axis, reduction}});
  rules.push_back({"", "ScatterND", 11, kLast, 3, 3, 1, {reduction}});
  rules.push_back({"", "OneHot", 9, kLast, 3, 3, 1, {axis}});
  rules.push_back({"", "Compress", 9, kLast, 2, 2, 1, {axis}});
  rules.push_back({"", "NonZero", 9, kLast, 1, 1, 1, {}});
  rules.push_back({"", "Unique", 11, kLast, 1, 1, 4, {axis, {"sorted", Kind::integer}}});
  rules.push_back({"", "NonMaxSuppression", 10, kLast, 2, 5, 1, {{"center_point_box", Kind::integer}}});
  rules.push_back({"", "TopK", 7, 9, 1, 1, 2, {axis, {"k", Kind::integer, 1, 9, true}}, normalise_top_k});
  rules.push_back({"",
                   "TopK",
                   10,
                   kLast,
                   2,
                   2,
                   2,
                   {axis, {"largest", Kind::integer, 11}, {"sorted", Kind::integer, 11}},
                   normalise_top_k});
  rules.back().first_output_optional = true;
}

void add_movement(std::vector<OperatorRule>& rules) {
  const AttributeRule block{"blocksize", Kind::integer, 1, kLast, true};
  rules.push_back({"", "Tile", 6, kLast, 2, 2, 1, {}});
  rules.push_back({"", "DepthToSpace", 7, kLast, 1, 1, 1, {block, {"mode", Kind::text, 11}}});
  rules.push_back({"", "SpaceToDepth", 7, kLast, 1, 1, 1, {block}});
  rules.push_back({"", "Trilu", 14, kLast, 1, 2, 1, {{"upper", Kind::integer}}});
  rules.push_back({"", "Size", 1, kLast, 1, 1, 1, {}});
  rules.push_back(
      {"", "ReverseSequence", 10, kLast, 2, 2, 1, {{"batch_axis", Kind::integer}, {"time_axis", Kind::integer}}});
  rules.push_back({"", "CenterCropPad", 18, kLast, 2, 2, 1, {{"axes", Kind::integers}}});
  rules.push_back({"", "Einsum", 12, kLast, 1, kAnyNumber, 1, {{"equation", Kind::text, 1, kLast, true}}});
  rules.push_back({"",
                   "Col2Im",
                   18,
                   kLast,
                   3,
                   3,
                   1,
                   {{"dilations", Kind::integers}, {"pads", Kind::integers}, {"strides", Kind::integers}}});
  rules.push_back({"",
                   "TfIdfVectorizer",
                   9,
                   kLast,
                   1,
                   1,
                   1,
                   {{"max_gram_length", Kind::integer, 1, kLast, true},
                    {"max_skip_count", Kind::integer, 1, kLast, true},
                    {"min_gram_length", Kind::integer, 1, kLast, true},
                    {"mode", Kind::text, 1, kLast, true},
                    {"ngram_counts", Kind::integers, 1, kLast, true},
                    {"ngram_indexes", Kind::integers, 1, kLast, true},
                    {"pool_int64s", Kind::integers},
                    {"pool_strings", Kind::texts},
                    {"weights", Kind::reals}}});
}

void add_sampling(std::vector<OperatorRule>& rules) {
  const AttributeRule mode{"mode", Kind::text};
  const AttributeRule align{"align_corners", Kind::integer};
  rules.push_back({"", "Upsample", 7, 8, 1, 1, 1, {mode, {"scales", Kind::reals, 1, 8, true}}, normalise_upsample});
  rules.push_back({"", "Upsample", 9, 9, 2, 2, 1, {mode}, normalise_upsample});
  rules.push_back({"", "Resize", 10, 10, 2, 2, 1, {mode}, normalise_resize});
  rules.push_back({"",
                   "Resize",
                   11,
                   kLast,
                   1,
                   4,
                   1,
                   {mode,
                    {"antialias", Kind::integer, 18},
                    {"axes", Kind::integers, 18},
                    {"coordinate_transformation_mode", Kind::text},
                    {"cubic_coeff_a", Kind::real},
                    {"exclude_outside", Kind::integer},
                    {"extrapolation_value", Kind::real},
                    {"keep_aspect_ratio_policy", Kind::text, 18},
                    {"nearest_mode", Kind::text}},
                   normalise_resize});
  rules.push_back(
      {"", "GridSample", 16, kLast, 2, 2, 1, {align, mode, {"padding_mode", Kind::text}}, normalise_grid_sample});
  rules.push_back({"", "AffineGrid", 20, kLast, 2, 2, 1, {align}});
  rules.push_back({"",
                   "RoiAlign",
                   10,
                   kLast,
                   3,
                   3,
                   1,
                   {mode,
                    {"coordinate_transformation_mode", Kind::text, 16},
                    {"output_height", Kind::integer},
                    {"output_width", Kind::integer},
                    {"sampling_ratio", Kind::integer},
                    {"spatial_scale", Kind::real}},
                   normalise_roi_align});
  rules.push_back({"",
                   "MaxRoiPool",
                   7,
                   kLast,
                   2,
                   2,
                   1,
                   {{"pooled_shape", Kind::integers, 1, kLast, true}, {"spatial_scale", Kind::real}}});
  rules.push_back(
      {"",
       "MaxUnpool",
       9,
       kLast,
       2,
       3,
       1,
       {{"kernel_shape", Kind::integers, 1, kLast, true}, {"pads", Kind::integers}, {"strides", Kind::integers}}});
}

void add_trivial(std::vector<OperatorRule>& rules) {
  rules.push_back({"", "Identity", 1, kLast, 1, 1, 1, {}});
  rules.push_back({"", "Dropout", 7, 11, 1, 1, 2, {{"ratio", Kind::real}}, normalise_dropout});
  rules.push_back({"", "Dropout", 12, kLast, 1, 3, 2, {{"seed", Kind::integer}}, normalise_dropout});
  rules.push_back({"",
                   "Constant",
                   1,
                   kLast,
                   0,
                   0,
                   1,
                   {{"value", Kind::tensor},
                    {"sparse_value", Kind::sparse_tensor, 11},
                    {"value_float", Kind::real, 12},
                    {"value_floats", Kind::reals, 12},
                    {"value_int", Kind::integer, 12},
                    {"value_ints", Kind::integers, 12},
                    {"value_string", Kind::text, 12},
                    {"value_strings", Kind::texts, 12}},
                   normalise_constant});
  rules.push_back({"", "ConstantOfShape", 9, kLast, 1, 1, 1, {{"value", Kind::tensor}}});
  rules.push_back({"", "BitCast", 26, kLast, 1, 1, 1, {{"to", Kind::integer, 26, kLast, true}}});
  // `saturate` and `round_mode` are about 8-bit floats.
  rules.push_back(
      {"",
       "Cast",
       6,
       kLast,
       1,
       1,
       1,
       {{"to", Kind::integer, 1, kLast, true}, {"round_mode", Kind::text, 24}, {"saturate", Kind::integer, 19}}});
  rules.push_back(
      {"", "CastLike", 15, kLast, 2, 2, 1, {{"round_mode", Kind::text, 24}, {"saturate", Kind::integer, 19}}});
}

void add_quantised(std::vector<OperatorRule>& rules) {
  rules.push_back({"",
                   "QuantizeLinear",
                   10,
                   kLast,
                   2,
                   3,
                   1,
                   {{"axis", Kind::integer, 13},
                    {"saturate", Kind::integer, 19},
                    {"block_size", Kind::integer, 21},
                    {"output_dtype", Kind::integer, 21},
                    {"precision", Kind::integer, 23}},
                   normalise_quantize_linear});
  rules.push_back(
      {"",
       "DequantizeLinear",
       10,
       kLast,
       2,
       3,
       1,
       {{"axis", Kind::integer, 13}, {"block_size", Kind::integer, 21}, {"output_dtype", Kind::integer, 23}},
       normalise_dequantize_linear});
  rules.push_back({"", "QLinearConv", 10, kLast, 8, 9, 1,
                   with(window_attributes(), {{"dilations", Kind::integers}, {"group", Kind::integer}})});
  rules.push_back({"", "QLinearMatMul", 10, kLast, 8, 8, 1, {}, normalise_qlinear_matmul});
}

// ONNX Runtime's own quantised operators. Each is defined as dequantising, the operator, and quantising, and becomes
// that.
void add_contributed(std::vector<OperatorRule>& rules) {
  const AttributeRule channels_last{"channels_last", Kind::integer};
  for (const std::string_view op : {"QLinearAdd", "QLinearMul"})
    rules.push_back({kContributed, op, 1, kEveryVersion, 7, 8, 1, {}, normalise_qlinear_binary, {2, 5}});
  rules.push_back({kContributed, "QLinearSigmoid", 1, kEveryVersion, 4, 5, 1, {}, normalise_qlinear_unary, {2}});
  rules.push_back({kContributed,
                   "QLinearLeakyRelu",
                   1,
                   kEveryVersion,
                   4,
                   5,
                   1,
                   {{"alpha", Kind::real}},
                   normalise_qlinear_unary,
                   {2}});
  rules.push_back({kContributed,
                   "QLinearSoftmax",
                   1,
                   kEveryVersion,
                   5,
                   5,
                   1,
                   {{"axis", Kind::integer}, {"opset", Kind::integer, 1, kEveryVersion, true}},
                   normalise_qlinear_unary,
                   {2}});
  rules.push_back({kContributed,
                   "QLinearGlobalAveragePool",
                   1,
                   kEveryVersion,
                   5,
                   5,
                   1,
                   {channels_last},
                   normalise_qlinear_unary,
                   {2}});
  rules.push_back(
      {kContributed,
       "QLinearAveragePool",
       1,
       kEveryVersion,
       4,
       5,
       1,
       with(window_attributes(), {channels_last, {"ceil_mode", Kind::integer}, {"count_include_pad", Kind::integer}}),
       normalise_qlinear_unary,
       {2}});
  rules.push_back({kContributed, "QLinearWhere", 1, kEveryVersion, 9, 9, 1, {}, normalise_qlinear_where});
  rules.push_back({kContributed,
                   "QLinearReduceMean",
                   1,
                   kEveryVersion,
                   4,
                   5,
                   1,
                   {{"axes", Kind::integers}, {"keepdims", Kind::integer}},
                   normalise_qlinear_reduce_mean,
                   {2}});
  rules.push_back({kContributed,
                   "QLinearConcat",
                   1,
                   kEveryVersion,
                   5,
                   kAnyNumber,
                   1,
                   {{"axis", Kind::integer, 1, kEveryVersion, true}},
                   normalise_qlinear_concat});
  rules.push_back({kContributed,
                   "QGemm",
                   1,
                   kEveryVersion,
                   6,
                   9,
                   1,
                   {{"alpha", Kind::real}, {"transA", Kind::integer}, {"transB", Kind::integer}},
                   normalise_qgemm});
}

std::vector<OperatorRule> make_rules() {
  std::vector<OperatorRule> rules;
  add_arithmetic(rules);
  add_reductions(rules);
  add_axis_operators(rules);
  add_generators(rules);
  add_activations(rules);
  add_spatial(rules);
  add_shapes(rules);
  add_indexing(rules);
  add_movement(rules);
  add_sampling(rules);
  add_trivial(rules);
  add_quantised(rules);
  add_contributed(rules);
  add_layers(rules);
  add_control(rules);
  add_compositions(rules);
  add_contributed_layers(rules);
  add_contributed_data(rules);
  add_old(rules);
  add_held(rules);
  add_strings(rules);
  return rules;
}

}  // namespace

ir::ValueId Normaliser::temporary() { return graph.add_value({}); }

std::shared_ptr<ir::Graph> Normaliser::body(std::string name, std::size_t inputs) const {
  auto out = std::make_shared<ir::Graph>();
  out->name = std::move(name);
  out->file = graph.file;
  out->requant = graph.requant;
  for (std::size_t i = 0; i < inputs; ++i) out->inputs.push_back(out->add_value({}));
  return out;
}

ir::ValueId Normaliser::integers(const std::vector<std::int64_t>& elements) {
  ir::TensorType type;
  type.dtype = DType::i64;
  type.dims = {static_cast<ir::Dim>(elements.size())};
  return graph.add_constant({}, std::move(type), blob_of(elements));
}

ir::ValueId Normaliser::scalar(float value) {
  ir::TensorType type;
  type.dtype = DType::f32;
  type.dims.emplace();
  return graph.add_constant({}, std::move(type), blob_of(std::vector<float>{value}));
}

ir::ValueId Normaliser::reals(const std::vector<float>& elements) {
  ir::TensorType type;
  type.dtype = DType::f32;
  type.dims = {static_cast<ir::Dim>(elements.size())};
  return graph.add_constant({}, std::move(type), blob_of(elements));
}

std::optional<std::vector<float>> Normaliser::constant_reals(ir::ValueId v) const {
  if (!graph.is_constant(v) || graph.values[v].type.dtype != DType::f32) return std::nullopt;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  std::vector<float> out(bytes.size() / sizeof(float));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

ir::ValueId Normaliser::apply(const ir::Node& like, std::string_view op, std::int64_t version,
                              std::vector<ir::ValueId> inputs,
                              std::map<std::string, ir::Attribute, std::less<>> attributes) {
  ir::Node node;
  node.op = op;
  node.version = version;
  node.name = like.name;
  node.position = like.position;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  const ir::ValueId output = temporary();
  node.outputs = {output};
  emit(std::move(node));
  return output;
}

Failure Normaliser::refuse(const ir::Node& node, std::string message, std::string found, std::string expected) {
  return diags.error(graph.file, node.describe(), std::move(message), std::move(found), std::move(expected));
}

std::span<const OperatorRule> operator_rules() {
  static const std::vector<OperatorRule> kRules = make_rules();
  return kRules;
}

}  // namespace byoc::onnx_import
