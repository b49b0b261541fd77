// Values for a model's input from a file that a person or another tool wrote.
#pragma once

#include <span>
#include <string>

#include "byoc/interface.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// The format follows from the end of the name: .npy (versions 1 to 3, little-endian, C order), .pb (an ONNX
// TensorProto), anything else raw bytes. Element type and shape must be those of `input`; a shape that differs only by
// dimensions of 1, or a scalar for a one-element tensor, is accepted. Raw files must have exactly its bytes. Errors
// name the file, what was found and what was expected.
[[nodiscard]] Result<Blob> read_input(const std::string& path, const IoTensor& input, Diagnostics&);

// The input as the file has it: of a .npy or .pb the dims come from there, where those that are stated are negative or
// `has_dims` says that none are. Errors: a file without dims where some are open, dims that do not fit.
[[nodiscard]] Result<IoTensor> type_of_input(const std::string& path, const IoTensor& input, bool has_dims,
                                             Diagnostics&);
// The tensor with the byte size of its type and dims. Errors: too many bytes, a dim that is no length.
[[nodiscard]] Result<IoTensor> sized(const std::string& path, IoTensor input, Diagnostics&);
[[nodiscard]] Result<std::vector<std::int64_t>> npy_dims(const std::string& path, const IoTensor& input, Diagnostics&);
[[nodiscard]] Result<std::vector<std::int64_t>> tensor_proto_dims(const std::string& path, const IoTensor& input,
                                                                  Diagnostics&);

[[nodiscard]] Result<Blob> read_npy(const std::string& path, const IoTensor& input, Diagnostics&);
// Reads a file that is in memory; `path` is for diagnostics.
[[nodiscard]] Result<Blob> read_npy_bytes(std::span<const std::byte> file, const std::string& path,
                                          const IoTensor& input, Diagnostics&);
[[nodiscard]] Result<Blob> read_tensor_proto(const std::string& path, const IoTensor& input, Diagnostics&);
[[nodiscard]] Result<Blob> read_raw(const std::string& path, const IoTensor& input, Diagnostics&);

// Checks that `found` and `dims` are the type and shape of `input`; otherwise reports an error about `path`.
[[nodiscard]] Result<void> check_input_type(const std::string& path, const IoTensor& input, DType found,
                                            const std::vector<std::int64_t>& dims, Diagnostics&);

// "1x49x10x1"; "scalar" for no dims.
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& dims);

}  // namespace byoc
