// Constant, and ConstantOfShape: one value everywhere.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/small_element.hpp"
#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc::evaluate {
namespace {

// An attribute's tensor is checked like an operand.
Result<void> check_value(const Call& call, const ir::Tensor& value) {
  if (value.type.is_static() && product(*value.type.dims) && value.type.bytes() == value.bytes.size()) return {};
  return call.error("attribute value does not have the size of its type", std::to_string(value.bytes.size()) + " bytes",
                    to_string(value.type, call.graph));
}

// Several elements a byte; the bits behind the last one stay 0.
void fill_packed(Buffer& y, unsigned code) {
  const unsigned bits = bit_width(y.type.dtype);
  const std::vector<unsigned> one_byte(8 / bits, code);
  std::fill(y.bytes.begin(), y.bytes.end(), packed(y.type.dtype, one_byte)[0]);
  const auto rest = static_cast<std::size_t>(y.type.elements()) % one_byte.size();
  if (rest != 0) y.bytes.back() = packed(y.type.dtype, std::span(one_byte).first(rest))[0];
}

}  // namespace

Outcome constant(const Call& call) {
  const auto* value = call.node.find<ir::Tensor>("value");
  if (value == nullptr) return call.error("attribute value is missing");
  if (value->type.dtype == DType::string && value->type.is_shaped()) {
    const auto count = product(*value->type.dims);
    if (!count || !ir::unpack_texts(value->bytes.bytes(), static_cast<std::uint64_t>(*count)))
      return call.error("attribute value does not hold the strings of its type", to_string(value->type, call.graph));
    return single(value_of(value->type, value->bytes));
  }
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
  if (value->type.elements() != 1 || value->type.dtype == DType::undefined)
    return call.error("attribute value must have one element of a known type", to_string(value->type, call.graph));
  Result<Buffer> y = call.allocate(value->type.dtype, *dims);
  if (!y) return failure;
  if (bit_width(value->type.dtype) < 8) {
    fill_packed(*y, codes({value->type, value->bytes})[0]);
    return single(std::move(*y));
  }
  // Doubling copies, as one element at a time is slow for hundreds of megabytes.
  const std::size_t size = value->bytes.size();
  const std::size_t total = y->bytes.size();
  if (total != 0) std::memcpy(y->bytes.data(), value->bytes.data(), size);
  for (std::size_t done = size; done < total; done *= 2)
    std::memcpy(y->bytes.data() + done, y->bytes.data(), std::min(done, total - done));
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
