// .pb: the TensorProto of onnx.proto, as the ONNX test data stores inputs.
#include <algorithm>
#include <limits>

#include "sdk/base/support/file.hpp"
#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/run/values/input_proto.hpp"

namespace byoc {
namespace {

// A typed field holds one element each, or a byte of what is smaller than one; the low bytes of `element` size are its
// value on little-endian machines.
template <class Field>
std::vector<std::byte> from_field(const Field& field, std::size_t element) {
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(field.size()) * element);
  for (const auto& value : field) {
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), p, p + element);
  }
  return bytes;
}

// The field of each element type: the comments of TensorProto in onnx.proto.
std::vector<std::byte> proto_elements(const onnx::TensorProto& tensor, DType dtype) {
  const std::size_t size = std::max(bit_width(dtype) / 8, 1u);
  if (tensor.has_raw_data()) {
    const auto* p = reinterpret_cast<const std::byte*>(tensor.raw_data().data());
    return {p, p + tensor.raw_data().size()};
  }
  switch (dtype) {
    case DType::f32: return from_field(tensor.float_data(), size);
    case DType::f64: return from_field(tensor.double_data(), size);
    case DType::i64: return from_field(tensor.int64_data(), size);
    case DType::u32:
    case DType::u64: return from_field(tensor.uint64_data(), size);
    default: return from_field(tensor.int32_data(), size);
  }
}

bool read_message(const std::string& path, const IoTensor& input, onnx::TensorProto& tensor, Diagnostics& diags) {
  const auto bytes = read_text(path, diags);
  if (!bytes) return false;
  if (bytes->size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()) && tensor.ParseFromString(*bytes) &&
      tensor.has_data_type())
    return true;
  diags.error(path, input.name, "is not an ONNX TensorProto");
  return false;
}

}  // namespace

Result<std::vector<std::int64_t>> tensor_proto_dims(const std::string& path, const IoTensor& input,
                                                    Diagnostics& diags) {
  onnx::TensorProto tensor;
  if (!read_message(path, input, tensor, diags)) return failure;
  return std::vector<std::int64_t>(tensor.dims().begin(), tensor.dims().end());
}

Result<Blob> read_tensor_proto(const std::string& path, const IoTensor& input, Diagnostics& diags) {
  onnx::TensorProto tensor;
  if (!read_message(path, input, tensor, diags)) return failure;
  return tensor_proto_data(tensor, path, input, diags);
}

Result<Blob> tensor_proto_data(const onnx::TensorProto& tensor, const std::string& path, const IoTensor& input,
                               Diagnostics& diags) {
  const DType dtype = ir::onnx_type(tensor.data_type());
  if (dtype == DType::undefined)
    return diags.error(path, input.name, "element type is not the tensor's", ir::onnx_type_name(tensor.data_type()),
                       std::string(to_string(input.dtype)));
  if (!check_input_type(path, input, dtype, {tensor.dims().begin(), tensor.dims().end()}, diags)) return failure;
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return diags.error(path, input.name, "keeps its data in another file", {}, "data in the TensorProto itself");
  std::vector<std::byte> data = proto_elements(tensor, dtype);
  if (data.size() != input.bytes)
    return diags.error(path, input.name, "has a wrong number of data bytes", std::to_string(data.size()),
                       std::to_string(input.bytes));
  return Blob::own(std::move(data));
}

}  // namespace byoc
