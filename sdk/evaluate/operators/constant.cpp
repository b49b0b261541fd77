// Constant, and ConstantOfShape: one value everywhere.
#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/movement.hpp"

namespace byoc::evaluate {
namespace {

// An attribute's tensor is checked like an operand.
Result<void> check_value(const Call& call, const ir::Tensor& value) {
  if (value.type.is_static() && product(*value.type.dims) && value.type.bytes() == value.bytes.size()) return {};
  return call.error("attribute value does not have the size of its type", std::to_string(value.bytes.size()) + " bytes",
                    to_string(value.type, call.graph));
}

}  // namespace

Outcome constant(const Call& call) {
  const auto* value = call.node.find<ir::Tensor>("value");
  if (value == nullptr) return call.error("attribute value is missing");
  if (!check_value(call, *value)) return failure;
  return single(Tensor{value->type, value->bytes});
}

Outcome constant_of_shape(const Call& call) {
  const Result<Dims> dims = call.integers(0);
  if (!dims) return failure;
  const auto* value = call.node.find<ir::Tensor>("value");
  if (value == nullptr) {
    Result<Buffer> zeros = call.allocate(DType::f32, *dims);
    if (!zeros) return failure;
    return single(std::move(*zeros));
  }
  if (!check_value(call, *value)) return failure;
  if (value->type.elements() != 1 || bit_width(value->type.dtype) < 8)
    return call.error("attribute value must have one element of whole bytes", to_string(value->type, call.graph));
  Result<Buffer> y = call.allocate(value->type.dtype, *dims);
  if (!y) return failure;
  // Doubling copies, as one element at a time is slow for hundreds of megabytes.
  const std::size_t size = value->bytes.size();
  const std::size_t total = y->bytes.size();
  if (total != 0) std::memcpy(y->bytes.data(), value->bytes.data(), size);
  for (std::size_t done = size; done < total; done *= 2)
    std::memcpy(y->bytes.data() + done, y->bytes.data(), std::min(done, total - done));
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
