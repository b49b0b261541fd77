// Operators that work element by element, with and without broadcasting.
#include <algorithm>

#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

constexpr std::initializer_list<DType> kFloats = {DType::f16, DType::bf16, DType::f32, DType::f64};
constexpr std::initializer_list<DType> kIntegers = {DType::i8, DType::i16, DType::i32, DType::i64,
                                                    DType::u8, DType::u16, DType::u32, DType::u64};

// The shape that all operands broadcast to.
Result<Dims> broadcast_all(const Inference& call) {
  Dims dims = call.dims(0);
  for (std::size_t i = 1; i < call.node.inputs.size(); ++i) {
    const Result<Dims> both = call.broadcast(dims, call.dims(i));
    if (!both) return failure;
    dims = *both;
  }
  return dims;
}

}  // namespace

Result<void> like_input(const Inference& call) {
  if (!call.in(0).is_tensor()) return call.give(0, call.in(0));
  return call.set(0, call.requantised_dtype(), call.dims(0));
}

Result<void> float_function(const Inference& call) {
  if (!call.in(0).quantisation && !call.one_of(0, kFloats)) return failure;
  return like_input(call);
}

Result<void> float_predicate(const Inference& call) {
  if (!call.one_of(0, kFloats)) return failure;
  return call.set(0, DType::boolean, call.dims(0));
}

Result<void> logical(const Inference& call) {
  const Result<Dims> dims = broadcast_all(call);
  if (!dims) return failure;
  for (std::size_t i = 0; i < call.node.inputs.size(); ++i)
    if (!call.one_of(i, {DType::boolean})) return failure;
  return call.set(0, DType::boolean, *dims);
}

Result<void> bitwise(const Inference& call) {
  const Result<Dims> dims = broadcast_all(call);
  if (!dims || !call.one_of(0, kIntegers)) return failure;
  if (call.node.inputs.size() > 1 && !call.same_dtype(0, 1)) return failure;
  return call.set(0, call.in(0).dtype, *dims);
}

Result<void> atan2(const Inference& call) {
  return call.one_of(0, kFloats) ? elementwise_binary(call) : Result<void>(failure);
}

// Input 1: the boundaries.
Result<void> bucketize(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::f64, DType::i32, DType::i64}) || !call.one_of(1, {DType::f32}) ||
      !call.want_rank(1, 1, 1))
    return failure;
  return call.set(0, DType::i32, call.dims(0));
}

Result<void> lookup(const Inference& call) {
  if (!call.one_of(0, {DType::i8, DType::u8}) || !call.one_of(1, {DType::i8, DType::u8}) || !call.want_rank(1, 1, 1))
    return failure;
  return call.set(0, call.in(1).dtype, call.dims(0));
}

Result<void> compare(const Inference& call) {
  const Result<Dims> dims = broadcast_all(call);
  if (!dims || !call.same_dtype(0, 1)) return failure;
  return call.set(0, DType::boolean, *dims);
}

Result<void> where(const Inference& call) {
  const Result<Dims> dims = broadcast_all(call);
  if (!dims || !call.one_of(0, {DType::boolean}) || !call.same_dtype(1, 2)) return failure;
  return call.set(0, call.in(1).dtype, *dims);
}

Result<void> prelu(const Inference& call) {
  const Result<Dims> dims = broadcast_all(call);
  if (!dims) return failure;
  if (!call.in(0).quantisation && !call.same_dtype(0, 1)) return failure;
  if (dims->size() != call.rank(0))
    return call.error("the slope must broadcast to the input", call.text(1), call.text(0));
  return call.set(0, call.requantised_dtype(), call.dims(0));
}

Result<void> softmax(const Inference& call) {
  const std::int64_t otherwise = call.node.version < 13 ? 1 : -1;
  if (call.rank(0) != 0 && !call.axis(call.node.integer("axis", otherwise), call.rank(0))) return failure;
  return like_input(call);
}

namespace {

// True if all bits of the operand are 0; nullopt if it is no constant.
std::optional<bool> is_zero(const Inference& call, std::size_t i) {
  const ir::ValueId v = call.node.input(i);
  if (!call.graph.is_constant(v)) return std::nullopt;
  const auto bytes = call.graph.values[v].constant->bytes.bytes();
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

// Training is nothing but its random numbers, unless none of them matters.
Result<void> dropout(const Inference& call) {
  const bool gives_all = call.find(1) != nullptr && is_zero(call, 1).value_or(true);
  if (is_zero(call, 2) == false && !gives_all)
    return call.error("training is not supported: it drops elements at random", "training_mode true",
                      "false, or a ratio of 0");
  if (!like_input(call)) return failure;
  return call.set(1, DType::boolean, call.dims(0));
}

Result<void> clip(const Inference& call) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (call.find(i) == nullptr) continue;
    // Before opset 11 the bounds are attributes, which are f32.
    const bool from_attribute = call.node.version < 11 && call.in(i).dtype == DType::f32;
    if (!call.in(0).quantisation && !from_attribute && !call.same_dtype(0, i)) return failure;
    if (!call.want_rank(i, 0, 1)) return failure;
  }
  return like_input(call);
}

Result<void> batch_normalization(const Inference& call) {
  if (!call.want_rank(0, 1, kAny)) return failure;
  const ir::Dim channels = call.rank(0) > 1 ? call.dims(0)[1] : 1;
  for (std::size_t i = 1; i < 5; ++i) {
    if (!call.want_rank(i, 1, 1)) return failure;
    const ir::Dim length = call.dims(i)[0];
    if (is_known(channels) && is_known(length) && channels != length)
      return call.error("input " + std::to_string(i) + " must have one element for each channel", call.text(i),
                        std::to_string(channels));
  }
  if (call.node.integer("training_mode", 0) != 0)
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
      if (!call.set(i, call.in(i + 2).dtype, {channels})) return failure;
  return like_input(call);
}

Result<void> elementwise_binary(const Inference& call) {
  if (!call.same_dtype(0, 1)) return failure;
  const Result<Dims> dims = call.broadcast(call.dims(0), call.dims(1));
  if (!dims) return failure;
  return call.set(0, call.requantised_dtype(), *dims);
}

Result<void> power(const Inference& call) {
  const Result<Dims> dims = call.broadcast(call.dims(0), call.dims(1));
  if (!dims) return failure;
  return call.set(0, call.in(0).dtype, *dims);
}

Result<void> elementwise_variadic(const Inference& call) {
  Dims dims = call.dims(0);
  for (std::size_t i = 1; i < call.node.inputs.size(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!call.same_dtype(0, i)) return failure;
    const Result<Dims> both = call.broadcast(dims, call.dims(i));
    if (!both) return failure;
    dims = *both;
  }
  return call.set(0, call.in(0).dtype, dims);
}

}  // namespace byoc::shapes
