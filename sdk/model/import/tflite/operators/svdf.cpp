#include <cmath>

#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

enum : std::size_t { kSvdfX, kFeature, kTime, kSvdfBias, kState };

Result<void> expect_svdf_types(OperatorImport& op) {
  const ir::ValueId x = op.input(kSvdfX), bias = op.input(kSvdfBias), state = op.input(kState);
  if (!op.expect_dtype(x, {DType::f32, DType::i8})) return failure;
  if (op.type(x).dtype == DType::f32) {
    if (const DType w = op.type(op.input(kFeature)).dtype; w == DType::i8 || w == DType::u8)
      return op.refuse("hybrid kernels are not supported: float activations with quantised weights",
                       std::string(to_string(w)) + " weights", "f32");
    for (const ir::ValueId v : {op.input(kFeature), op.input(kTime), bias, state, op.output()})
      if (v != ir::kNoValue && !op.expect_dtype(v, {DType::f32})) return failure;
    return {};
  }
  if (!op.expect_quantised(x, {DType::i8}) || !op.expect_quantised(op.output(), {DType::i8}) ||
      !op.expect_quantised(op.input(kFeature), {DType::i8}) || !op.expect_quantised(state, {DType::i16, DType::i8}) ||
      !op.expect_quantised(op.input(kTime), {op.type(state).dtype}))
    return failure;
  if (bias == ir::kNoValue) return {};
  if (!op.expect_dtype(bias, {DType::i32})) return failure;
  const auto& q = op.type(bias).quantisation;
  if (!q || q->per_axis()) return {};
  const float product = op.type(state).quantisation->scales[0] * op.type(op.input(kTime)).quantisation->scales[0];
  if (std::abs(static_cast<double>(q->scales[0]) - static_cast<double>(product)) < 1e-5) return {};
  return op.refuse("the scale of " + op.describe(bias) + " is not that of the state and the time weights",
                   std::to_string(q->scales[0]), std::to_string(product));
}

}  // namespace

// x [batch, depth], feature weights [filters, depth], time weights [filters, memory], bias [filters / rank], state
// [batch, filters * memory] -> y [batch, filters / rank]
Result<void> import_svdf(OperatorImport& op) {
  auto options = op.options<schema::SVDFOptions>();
  if (!options) return failure;
  if (op.input_count() != 5) return op.refuse("wrong number of inputs", std::to_string(op.input_count()), "5");
  const auto state = op.state(kState);
  if (!state || !expect_svdf_types(op)) return failure;
  const ir::ValueId x = op.input(kSvdfX), feature = op.input(kFeature), time = op.input(kTime),
                    bias = op.input(kSvdfBias);
  for (const ir::ValueId v : {x, feature, time})
    if (!op.expect_rank(v, 2)) return failure;
  const ir::Dim batch = op.dims(x)[0], filters = op.dims(feature)[0], memory = op.dims(time)[1];
  const std::int64_t rank = (*options)->rank();
  if (rank < 1 || filters % rank != 0)
    return op.refuse("the filters are no multiple of the rank",
                     std::to_string(filters) + " and " + std::to_string(rank));
  if (memory < 1) return op.refuse("a memory without elements", std::to_string(memory), "1 or more");
  if (!op.expect_dims(feature, {filters, op.dims(x)[1]}) || !op.expect_dims(time, {filters, memory}) ||
      !op.expect_dims(op.input(kState), {batch, filters * memory}) ||
      !op.expect_dims(op.output(), {batch, filters / rank}) ||
      (bias != ir::kNoValue && !op.expect_dims(bias, {filters / rank})))
    return failure;

  const ir::ValueId next = op.next_state(kState);
  ir::Node& node = op.byoc_node("SVDF", {x, feature, time, *state, bias}, {op.output(), next});
  node.attributes["rank"] = rank;
  // The integer kernels do not look at the activation.
  if (op.type(x).dtype != DType::f32) return {};
  const auto activation = (*options)->fused_activation_function();
  if (activation != schema::ActivationFunctionType::TANH) return op.fuse(node, activation);
  node.attributes["activation"] = std::string("tanh");
  return {};
}

}  // namespace byoc::tflite
