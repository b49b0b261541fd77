#include "sdk/run/calls/packed_calls.hpp"

#include <cstring>

namespace byoc::calls {

std::optional<std::uint64_t> bytes_of(const PackedTensor& t) {
  constexpr std::size_t kMostDims = 64;
  std::uint64_t bytes = (std::uint64_t{t.bits} * t.lanes + 7) / 8;
  if (bytes == 0 || t.shape.size() > kMostDims) return std::nullopt;
  for (const std::int64_t d : t.shape)
    if (d < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(d), &bytes)) return std::nullopt;
  return bytes;
}

std::vector<std::size_t> PackedCalls::load(const Find& find, std::vector<PackedTensor> tensors,
                                           std::vector<PackedCall> calls, std::span<void* const> buffers) {
  described_ = std::move(tensors);
  for (PackedTensor& t : described_)
    tensors_.push_back({buffers[t.buffer],
                        {BYOC_DL_CPU, 0},
                        static_cast<std::int32_t>(t.shape.size()),
                        {t.code, t.bits, t.lanes},
                        t.shape.data(),
                        nullptr,
                        0});
  std::vector<std::size_t> missing;
  for (PackedCall& c : calls) {
    Call call;
    call.name = std::move(c.function);
    if (call.name.empty())
      call.bytes = static_cast<std::size_t>(bytes_of(described_[c.tensors[0]]).value_or(0));
    else if ((call.function = reinterpret_cast<byoc_packed_function_t>(find(call.name))) == nullptr)
      missing.push_back(calls_.size());
    for (const std::uint32_t t : c.tensors) {
      byoc_packed_value_t value;
      value.v_handle = &tensors_[t];
      call.args.push_back(value);
      call.codes.push_back(BYOC_PACKED_ARG_TENSOR);
    }
    calls_.push_back(std::move(call));
  }
  return missing;
}

std::optional<CallError> PackedCalls::run(std::size_t call) {
  Call& c = calls_[call];
  if (c.function == nullptr) {
    const auto data = [&](std::size_t i) { return static_cast<const byoc_dl_tensor_t*>(c.args[i].v_handle)->data; };
    if (c.bytes != 0) std::memmove(data(1), data(0), c.bytes);
    return std::nullopt;
  }
  byoc_packed_value_t result;
  result.v_handle = nullptr;
  std::int32_t result_code = BYOC_PACKED_ARG_NULL;
  const std::int32_t status = c.function(c.args.data(), c.codes.data(), static_cast<std::int32_t>(c.args.size()),
                                         &result, &result_code, nullptr);
  return status == 0 ? std::nullopt : std::optional(CallError{c.name, status});
}

}  // namespace byoc::calls
