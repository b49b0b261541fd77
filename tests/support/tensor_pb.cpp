#include "tests/support/tensor_pb.hpp"

#include <onnx/onnx-data.pb.h>
#include <onnx/onnx-ml.pb.h>

#include <cstring>
#include <fstream>

#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::test {
namespace {

template <class T, class Field>
std::vector<std::byte> narrowed(const Field& field) {
  std::vector<std::byte> out(static_cast<std::size_t>(field.size()) * sizeof(T));
  for (int i = 0; i < field.size(); ++i) {
    const T value = static_cast<T>(field[i]);
    std::memcpy(out.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return out;
}

// The typed field that ONNX keeps a type's elements in when it does not use raw_data.
std::vector<std::byte> typed_data(const onnx::TensorProto& proto, DType dtype) {
  switch (dtype) {
    case DType::f32: return narrowed<float>(proto.float_data());
    case DType::f64: return narrowed<double>(proto.double_data());
    case DType::i64: return narrowed<std::int64_t>(proto.int64_data());
    case DType::u64: return narrowed<std::uint64_t>(proto.uint64_data());
    case DType::u32: return narrowed<std::uint32_t>(proto.uint64_data());
    case DType::i32: return narrowed<std::int32_t>(proto.int32_data());
    case DType::u16:
    case DType::f16:
    case DType::bf16:
    case DType::i16: return narrowed<std::uint16_t>(proto.int32_data());
    default: return narrowed<std::uint8_t>(proto.int32_data());
  }
}

std::optional<evaluate::Tensor> tensor_of_proto(const onnx::TensorProto& proto) {
  evaluate::Tensor out;
  out.type.dtype = ir::onnx_type(proto.data_type());
  if (out.type.dtype == DType::undefined) return std::nullopt;
  out.type.dims.emplace(proto.dims().begin(), proto.dims().end());
  if (out.type.dtype == DType::string)
    return evaluate::tensor_of(*out.type.dims, {proto.string_data().begin(), proto.string_data().end()});
  std::vector<std::byte> bytes;
  if (proto.has_raw_data()) {
    bytes.resize(proto.raw_data().size());
    if (!bytes.empty()) std::memcpy(bytes.data(), proto.raw_data().data(), bytes.size());
  } else {
    bytes = typed_data(proto, out.type.dtype);
  }
  if (bytes.size() != out.type.bytes()) return std::nullopt;
  out.bytes = Blob::own(std::move(bytes));
  return out;
}

// Of no element type where it is empty: the message does not say which.
std::optional<evaluate::Tensor> sequence(const onnx::SequenceProto& proto) {
  std::vector<evaluate::Tensor> items;
  for (const auto& t : proto.tensor_values()) {
    auto item = tensor_of_proto(t);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
  }
  const DType dtype = items.empty() ? DType::undefined : items[0].type.dtype;
  return evaluate::sequence_of(dtype, std::move(items));
}

std::optional<evaluate::Tensor> optional(const onnx::OptionalProto& proto, ir::Container kind) {
  ir::TensorType type;
  if (kind == ir::Container::optional_sequence) type.container = ir::Container::sequence;
  std::optional<evaluate::Tensor> content;
  if (proto.has_tensor_value()) content = tensor_of_proto(proto.tensor_value());
  if (proto.has_sequence_value()) content = sequence(proto.sequence_value());
  if (content) type.dtype = content->type.dtype;
  return evaluate::optional_of(type, std::move(content));
}

}  // namespace

std::optional<evaluate::Tensor> read_tensor_pb(const std::string& path) {
  return read_value_pb(path, ir::Container::tensor);
}

std::optional<evaluate::Tensor> read_value_pb(const std::string& path, ir::Container kind) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  if (kind == ir::Container::tensor) {
    onnx::TensorProto proto;
    return proto.ParseFromIstream(&in) ? tensor_of_proto(proto) : std::nullopt;
  }
  if (kind == ir::Container::sequence) {
    onnx::SequenceProto proto;
    return proto.ParseFromIstream(&in) ? sequence(proto) : std::nullopt;
  }
  onnx::OptionalProto proto;
  return proto.ParseFromIstream(&in) ? optional(proto, kind) : std::nullopt;
}

}  // namespace byoc::test
