#include <cmath>
#include <cstring>

#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// A damaged model must not become a constant that fills the memory.
constexpr ir::Dim kLongestRange = 1 << 24;

// start, start + step ... before `limit`. Upstream adds the step to the element before, which rounds again each time;
// ONNX's Range multiplies.
template <class T>
Result<void> make_range(OperatorImport& op) {
  std::vector<T> bounds;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& constant = op.value(op.input(i)).constant;
    if (!constant) return op.refuse("start, limit and step must be constant", op.describe(op.input(i)), "a constant");
    T value;
    std::memcpy(&value, constant->bytes.data(), sizeof value);
    bounds.push_back(value);
  }
  const auto start = static_cast<double>(bounds[0]), limit = static_cast<double>(bounds[1]);
  const auto step = static_cast<double>(bounds[2]);
  if (!(step > 0 ? start <= limit : step < 0 && start >= limit))
    return op.refuse("the step does not lead from start to limit",
                     std::to_string(step) + " from " + std::to_string(start) + " to " + std::to_string(limit));
  const double count = std::ceil(std::abs((limit - start) / step));
  const std::vector<ir::Dim> dims = op.dims(op.output());
  if (dims.size() != 1 || count != static_cast<double>(dims[0]))
    return op.refuse("the shape of the output does not fit",
                     dims.size() == 1 ? std::to_string(dims[0]) : "another rank", std::to_string(count));
  if (dims[0] > kLongestRange)
    return op.refuse("the range is too long", std::to_string(dims[0]), "at most " + std::to_string(kLongestRange));
  std::vector<T> list;
  T next = bounds[0];
  for (ir::Dim i = 1; i <= dims[0]; ++i) {
    list.push_back(next);
    if (i < dims[0]) next = static_cast<T>(next + bounds[2]);
  }
  std::vector<std::byte> bytes(list.size() * sizeof(T));
  if (!list.empty()) std::memcpy(bytes.data(), list.data(), bytes.size());
  const ir::ValueId made = op.graph().add_constant({}, op.type(op.output()), Blob::own(std::move(bytes)));
  op.node("Identity", {made});
  return {};
}

}  // namespace

// Supports constant operands only: the result is a constant.
Result<void> import_range(OperatorImport& op) {
  if (!op.optional_options<schema::RangeOptions>() ||
      !expect_element(op, op.output(), {DType::f32, DType::i32, DType::i64}))
    return failure;
  const DType dtype = op.type(op.output()).dtype;
  for (std::size_t i = 0; i < 3; ++i)
    if (!expect_element(op, op.input(i), {dtype}) || !op.expect_dims(op.input(i), {})) return failure;
  if (dtype == DType::f32) return make_range<float>(op);
  return dtype == DType::i32 ? make_range<std::int32_t>(op) : make_range<std::int64_t>(op);
}

}  // namespace byoc::tflite
