#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {

Result<std::int64_t> setting(const Call& call, std::string_view name, std::int64_t low, std::int64_t high) {
  const auto* found = call.node.find<std::int64_t>(name);
  if (found != nullptr && *found >= low && *found <= high) return *found;
  return call.error("attribute '" + std::string(name) + "' is out of range",
                    found == nullptr ? "none" : std::to_string(*found),
                    std::to_string(low) + " to " + std::to_string(high));
}

Result<void> want_type(const Call& call, std::size_t input, DType dtype) {
  if (call.in(input).type.dtype == dtype) return {};
  return call.unsupported_dtype(input, std::string(to_string(dtype)));
}

Result<void> want_elements(const Call& call, std::size_t input, std::int64_t count) {
  if (static_cast<std::int64_t>(call.in(input).type.elements()) == count) return {};
  return call.error("input " + std::to_string(input) + " does not fit", describe(call.in(input)),
                    std::to_string(count) + " elements");
}

Result<Tensor> truth(const Call& call, bool value, std::size_t output) {
  Result<Buffer> out = call.allocate(DType::boolean, {}, output);
  if (!out) return failure;
  out->as<std::uint8_t>()[0] = value ? 1 : 0;
  return std::move(*out).finish();
}

Result<Tensor> whole(const Call& call, std::int32_t value, Dims dims, std::size_t output) {
  Result<Buffer> out = call.allocate(DType::i32, std::move(dims), output);
  if (!out) return failure;
  out->as<std::int32_t>()[0] = value;
  return std::move(*out).finish();
}

}  // namespace byoc::evaluate
