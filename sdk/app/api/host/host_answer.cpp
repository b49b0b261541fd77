#include "sdk/app/api/host/host_answer.hpp"

namespace byoc::api {
namespace {

constexpr int kDeepest = 4;  // an optional of a sequence of tensors has three

void put_value(const HostValue& value, MessageWriter& message) {
  message.put(value.kind);
  message.put(value.dtype);
  message.list(value.dims);
  message.put(std::string_view(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()));
  message.list(value.texts);
  message.list(value.items, [&](const HostValue& item) { put_value(item, message); });
}

bool has_its_bytes(const HostValue& value) {
  if (value.kind != HostValue::Kind::tensor || value.dtype == DType::string) return value.bytes.empty();
  std::uint64_t bits = bit_width(value.dtype);
  for (const std::int64_t d : value.dims)
    if (d < 0 || __builtin_mul_overflow(bits, static_cast<std::uint64_t>(d), &bits)) return false;
  return value.bytes.size() == bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

HostValue read_value(MessageReader& message, int depth) {
  HostValue value;
  value.kind = message.choice(HostValue::Kind::optional);
  value.dtype = message.choice(DType::string);
  value.dims = message.numbers<std::int64_t>();
  value.bytes = message.blob();
  value.texts = message.texts();
  value.items = message.list([&] {
    if (depth == kDeepest) message.fail();
    return message.ok() ? read_value(message, depth + 1) : HostValue();
  });
  if (!has_its_bytes(value)) message.fail();
  return value;
}

}  // namespace

void put_values(std::span<const HostValue> values, MessageWriter& message) {
  message.list(values, [&](const HostValue& value) { put_value(value, message); });
}

std::vector<HostValue> get_values(MessageReader& message) {
  return message.list([&] { return read_value(message, 0); });
}

void put_answer(const HostResults& answer, MessageWriter& message) {
  message.list(answer.results, [&](const std::vector<HostValue>& values) {
    message.list(values, [&](const HostValue& value) { put_value(value, message); });
  });
  message.list(answer.times);
}

std::optional<HostResults> read_answer(std::string_view message) {
  MessageReader in(message);
  HostResults out;
  out.results = in.list([&] { return in.list([&] { return read_value(in, 0); }); });
  out.times = in.numbers<std::uint64_t>();
  return in.ended() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace byoc::api
