// Protobuf's wire format, read without protobuf: tensor payloads are found by their place in the file, so that they
// can be mapped, and protobuf itself is given the model without them.
//
// The format: https://protobuf.dev/programming-guides/encoding. Field numbers: onnx.proto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc::onnx_import {

enum class WireType : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// One field of a message. `payload` is the value's bytes: the 1 to 10 bytes of a varint, the content of `bytes` without
// its length. `whole` is the field with its tag.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;  // varint only
  std::span<const std::byte> payload;
  std::span<const std::byte> whole;
};

// Walks the fields of one message. Every length is checked against the bytes that are there.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> message) : rest_(message) {}
  // The next field; nullopt at the end or when the bytes are damaged (then bad() is true).
  std::optional<WireField> next();
  [[nodiscard]] bool bad() const { return bad_; }
  // Decodes a varint at the front of `bytes` and drops it from there; nullopt if it is truncated or too long.
  static std::optional<std::uint64_t> varint(std::span<const std::byte>& bytes);

 private:
  std::span<const std::byte> rest_;
  bool bad_ = false;
};

// A model without tensor payloads. In the reduced message each TensorProto's doc_string is the decimal index into
// `tensors`, where the bytes of the original TensorProto message are.
struct ReducedModel {
  std::string message;
  std::vector<std::span<const std::byte>> tensors;
};

// Errors: the bytes are not a well-formed protobuf message where ONNX has messages, or nested too deeply. Left out as
// not part of inference: doc strings, metadata and training information.
Result<ReducedModel> reduce_model(std::span<const std::byte> model, const std::string& file, Diagnostics&);

}  // namespace byoc::onnx_import
