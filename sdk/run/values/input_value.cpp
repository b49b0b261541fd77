#include "sdk/run/values/input_value.hpp"

#include <filesystem>
#include <limits>

#include "sdk/base/support/file.hpp"
#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/run/values/input_proto.hpp"

namespace byoc {
namespace {

using ValueKind = HostValue::Kind;

// Reads a .pb file that is not a tensor of numbers of a known kind.
class ProtoReader {
 public:
  ProtoReader(const std::string& path, const ValueInfo& input, Diagnostics& diags)
      : path_(path), input_(input), diags_(diags) {}

  Result<HostValue> run() {
    if (input_.kind == ValueKind::tensor) return read<onnx::TensorProto>("an ONNX TensorProto");
    if (input_.kind == ValueKind::sequence) return read<onnx::SequenceProto>("an ONNX SequenceProto");
    return read<onnx::OptionalProto>("an ONNX OptionalProto");
  }

 private:
  Failure error(const std::string& what, const std::string& found = {}, const std::string& expected = {}) const {
    return diags_.error(path_, input_.name, what, found, expected);
  }

  template <class Message>
  Result<HostValue> read(const std::string& name) {
    const auto bytes = read_text(path_, diags_);
    if (!bytes) return failure;
    Message message;
    if (bytes->size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) || !message.ParseFromString(*bytes))
      return error("is not " + name);
    return value(message);
  }

  Result<HostValue> value(const onnx::TensorProto& tensor) {
    HostValue out{.dtype = ir::onnx_type(tensor.data_type()), .dims = {tensor.dims().begin(), tensor.dims().end()}};
    if (out.dtype != input_.dtype)
      return error("element type is not the tensor's", ir::onnx_type_name(tensor.data_type()),
                   std::string(to_string(input_.dtype)));
    if (out.dtype == DType::string) return texts(tensor, std::move(out));
    IoTensor stated;
    stated.name = input_.name;
    stated.dtype = out.dtype;
    stated.dims = out.dims;
    const auto type = sized(path_, std::move(stated), diags_);
    if (!type) return failure;
    const auto data = tensor_proto_data(tensor, path_, *type, diags_);
    if (!data) return failure;
    out.bytes.assign(data->bytes().begin(), data->bytes().end());
    return out;
  }

  Result<HostValue> texts(const onnx::TensorProto& tensor, HostValue out) {
    const auto count = evaluate::product(out.dims);
    if (!count || *count != tensor.string_data_size())
      return error("has a wrong number of strings", std::to_string(tensor.string_data_size()), shape_text(out.dims));
    out.texts.assign(tensor.string_data().begin(), tensor.string_data().end());
    return out;
  }

  Result<HostValue> value(const onnx::SequenceProto& sequence) {
    if (sequence.sparse_tensor_values_size() + sequence.sequence_values_size() + sequence.map_values_size() +
            sequence.optional_values_size() !=
        0)
      return error("is a sequence of something else", {}, "a sequence of tensors");
    HostValue out{.kind = ValueKind::sequence, .dtype = input_.dtype};
    for (const onnx::TensorProto& tensor : sequence.tensor_values()) {
      auto item = value(tensor);
      if (!item) return failure;
      out.items.push_back(std::move(*item));
    }
    return out;
  }

  Result<HostValue> value(const onnx::OptionalProto& optional) {
    if (optional.has_sparse_tensor_value() || optional.has_map_value() || optional.has_optional_value())
      return error("is an optional of something else", {}, "a tensor, a sequence of tensors, or nothing");
    HostValue out{.kind = ValueKind::optional, .dtype = input_.dtype};
    if (!optional.has_tensor_value() && !optional.has_sequence_value()) return out;
    auto item = optional.has_tensor_value() ? value(optional.tensor_value()) : value(optional.sequence_value());
    if (!item) return failure;
    out.items.push_back(std::move(*item));
    return out;
  }

  const std::string& path_;
  const ValueInfo& input_;
  Diagnostics& diags_;
};

}  // namespace

Result<HostValue> value_of_proto(const std::string& path, const ValueInfo& input, Diagnostics& diags) {
  return ProtoReader(path, input, diags).run();
}

namespace {

// 0.npy, 1.pb ... of a sequence; of an optional 0.npy, or none.
Result<HostValue> value_of_folder(const std::string& folder, const ValueInfo& input, Diagnostics& diags) {
  HostValue out{.kind = input.kind, .dtype = input.dtype};
  ValueInfo item = input;
  item.kind = ValueKind::tensor;
  item.dims.reset();
  for (std::size_t i = 0;; ++i) {
    std::string file;
    for (const char* ending : {".npy", ".pb"})
      if (const std::string path = folder + "/" + std::to_string(i) + ending; std::filesystem::exists(path))
        file = path;
    if (file.empty()) return out;
    if (input.kind == ValueKind::optional && i != 0)
      return diags.error(folder, input.name, "an optional holds one tensor", file, "0.npy, 0.pb, or nothing");
    auto value = value_of_file(file, item, diags);
    if (!value) return failure;
    out.items.push_back(std::move(*value));
  }
}

}  // namespace

Result<HostValue> value_of_file(const std::string& path, const ValueInfo& input, Diagnostics& diags) {
  std::error_code ignored;
  if (input.kind != ValueKind::tensor && std::filesystem::is_directory(path, ignored))
    return value_of_folder(path, input, diags);
  if (input.kind != ValueKind::tensor || input.dtype == DType::string) {
    if (path.ends_with(".pb")) return value_of_proto(path, input, diags);
    return diags.error(
        path, input.name, "does not hold a value of this kind", input.type,
        input.kind == ValueKind::tensor ? "a .pb file" : "a .pb file, or a folder with 0.npy, 1.npy ...");
  }
  IoTensor stated;
  stated.name = input.name;
  stated.dtype = input.dtype;
  if (input.dims) stated.dims = *input.dims;
  const auto found = type_of_input(path, stated, input.dims.has_value(), diags);
  if (!found) return failure;
  const auto bytes = read_input(path, *found, diags);
  if (!bytes) return failure;
  HostValue out{.dtype = found->dtype, .dims = found->dims};
  out.bytes.assign(bytes->bytes().begin(), bytes->bytes().end());
  return out;
}

}  // namespace byoc
