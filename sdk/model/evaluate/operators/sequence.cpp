// Sequences of tensors of one element type: what makes them, changes them, looks into them.
#include "sdk/model/evaluate/operators/sequence.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::evaluate {

Result<void> want_sequence(const Call& call) {
  if (call.in(0).type.container == ir::Container::sequence) return {};
  return call.error("input 0 is not a sequence", describe(call.in(0)), "a sequence");
}

Result<std::size_t> position(const Call& call, std::size_t input, std::int64_t count) {
  const auto given = call.integers(input);
  if (!given) return failure;
  if (given->size() != 1) return call.error("the position is not one number", describe(call.in(input)), "i64[]");
  const std::int64_t at = (*given)[0];
  const std::int64_t length = std::ssize(*call.in(0).items);
  if (at < -length || at >= count)
    return call.error("position out of range", std::to_string(at),
                      "at least " + std::to_string(-length) + " and less than " + std::to_string(count));
  return static_cast<std::size_t>(at < 0 ? at + length : at);
}

namespace {

Result<void> want_item(const Call& call, std::size_t input, DType dtype) {
  const Tensor& t = call.in(input);
  if (t.type.is_tensor() && (dtype == DType::undefined || t.type.dtype == dtype)) return {};
  return call.error("input " + std::to_string(input) + " does not fit the sequence", describe(t),
                    "a tensor of " + std::string(to_string(dtype)));
}

}  // namespace

Outcome sequence_construct(const Call& call) {
  std::vector<Tensor> items;
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!want_item(call, i, call.in(0).type.dtype)) return failure;
    items.push_back(call.in(i));
  }
  return single(sequence_of(call.in(0).type.dtype, std::move(items)));
}

// The first as many as operand 0 says.
Outcome sequence_counted(const Call& call) {
  const auto count = call.integers(0);
  if (!count) return failure;
  const std::int64_t most = static_cast<std::int64_t>(call.count()) - 1;
  if (count->size() != 1 || (*count)[0] < 0 || (*count)[0] > most)
    return call.error("the count of a sequence is out of range", count->empty() ? "" : std::to_string((*count)[0]),
                      "0 to " + std::to_string(most));
  const ir::TensorType* type = call.declared();
  const DType dtype = most != 0 ? call.in(1).type.dtype : type != nullptr ? type->dtype : DType::undefined;
  std::vector<Tensor> items;
  for (std::size_t i = 1; i < call.count(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!want_item(call, i, dtype)) return failure;
    if (static_cast<std::int64_t>(i) <= (*count)[0]) items.push_back(call.in(i));
  }
  return single(sequence_of(dtype, std::move(items)));
}

Outcome sequence_empty(const Call& call) {
  const std::int64_t number = call.node.integer("dtype", ir::onnx_number(DType::f32));
  const DType dtype = ir::onnx_type(number);
  if (dtype == DType::undefined)
    return call.error("attribute dtype is not an element type that is supported", ir::onnx_type_name(number));
  return single(sequence_of(dtype, {}));
}

Outcome sequence_insert(const Call& call) {
  if (!want_sequence(call) || !want_item(call, 1, call.in(0).type.dtype)) return failure;
  std::vector<Tensor> items = *call.in(0).items;
  std::size_t at = items.size();
  if (call.find(2) != nullptr) {
    const Result<std::size_t> given = position(call, 2, std::ssize(items) + 1);
    if (!given) return failure;
    at = *given;
  }
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), call.in(1));
  return single(sequence_of(call.in(0).type.dtype, std::move(items)));
}

Outcome sequence_erase(const Call& call) {
  if (!want_sequence(call)) return failure;
  std::vector<Tensor> items = *call.in(0).items;
  if (items.empty()) return call.error("the sequence has no element to erase", describe(call.in(0)));
  std::size_t at = items.size() - 1;
  if (call.find(1) != nullptr) {
    const Result<std::size_t> given = position(call, 1, std::ssize(items));
    if (!given) return failure;
    at = *given;
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
  return single(sequence_of(call.in(0).type.dtype, std::move(items)));
}

Outcome sequence_at(const Call& call) {
  if (!want_sequence(call)) return failure;
  const Result<std::size_t> at = position(call, 1, std::ssize(*call.in(0).items));
  if (!at) return failure;
  return single((*call.in(0).items)[*at]);
}

Outcome element_of(const Call& call) {
  if (call.in(0).type.is_tensor()) return single(call.in(0));
  return sequence_at(call);
}

Outcome sequence_length(const Call& call) {
  if (!want_sequence(call)) return failure;
  Result<Buffer> y = call.allocate(DType::i64, {});
  if (!y) return failure;
  y->as<std::int64_t>()[0] = std::ssize(*call.in(0).items);
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
