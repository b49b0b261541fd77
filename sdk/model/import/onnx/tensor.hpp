// TensorProto: its type, and its payload as a blob that is mapped wherever the file has it as it is needed.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sdk/base/support/blob.hpp"
#include "sdk/model/import/onnx/wire.hpp"
#include "sdk/model/ir/graph.hpp"

namespace onnx {
class SparseTensorProto;
class TensorProto;
}  // namespace onnx

namespace byoc::onnx_import {

// ONNX's number of an element type; DType::undefined for those we do not have (complex numbers).
[[nodiscard]] DType dtype_of(std::int64_t onnx_number);
// "float32", "complex64", "13" ...: as ONNX names the number.
[[nodiscard]] std::string dtype_name(std::int64_t onnx_number);

// Reads the tensors of one model file.
class TensorReader {
 public:
  // `own`: the model's bytes where they are not the file's; null where `tensors` are of the file.
  TensorReader(std::shared_ptr<const MappedFile> file, std::shared_ptr<const std::vector<std::byte>> own,
               std::vector<std::span<const std::byte>> tensors, Diagnostics& diags)
      : file_(std::move(file)), own_(std::move(own)), tensors_(std::move(tensors)), diags_(diags) {}

  // `tensor` is of the reduced message. `where` names it in errors: unsupported or damaged type, dims or data, data
  // of another size than the type's, external data that is missing, outside the model's folder or out of bounds.
  Result<ir::Tensor> read(const ::onnx::TensorProto& tensor, const std::string& where);

  // The whole tensor. Errors, besides: elements of strings or fewer than 8 bits, positions outside.
  Result<ir::Tensor> read_sparse(const ::onnx::SparseTensorProto& tensor, const std::string& where);

  // The model's file and those that its tensors were in, so far.
  [[nodiscard]] std::vector<FileStamp> files() const;

 private:
  Result<ir::Tensor> read_texts(const ::onnx::TensorProto&, ir::Tensor out, const std::string& where);
  Result<Blob> payload(const ::onnx::TensorProto&, const ir::TensorType&, const std::string& where);
  Result<Blob> external(const ::onnx::TensorProto&, const ir::TensorType&, const std::string& where);
  Result<std::shared_ptr<const MappedFile>> open_external(const std::string& location, const std::string& where);
  Blob map(std::span<const std::byte> bytes) const;

  std::shared_ptr<const MappedFile> file_;
  std::shared_ptr<const std::vector<std::byte>> own_;
  std::vector<std::span<const std::byte>> tensors_;
  std::map<std::string, std::shared_ptr<const MappedFile>> externals_;
  Diagnostics& diags_;
};

}  // namespace byoc::onnx_import
