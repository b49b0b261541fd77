#include "sdk/simulate/input.hpp"

#include <algorithm>

#include "sdk/support/file.hpp"

namespace byoc {
namespace {

std::vector<std::int64_t> without_ones(std::vector<std::int64_t> dims) {
  std::erase(dims, 1);
  return dims;
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::string text;
  for (const std::int64_t d : dims) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text.empty() ? "scalar" : text;
}

Result<void> check_input_type(const std::string& path, const IoTensor& input, DType found,
                              const std::vector<std::int64_t>& dims, Diagnostics& diags) {
  if (found != input.dtype)
    return diags.error(path, input.name, "element type is not the input's", std::string(to_string(found)),
                       std::string(to_string(input.dtype)));
  if (without_ones(dims) != without_ones(input.dims))
    return diags.error(path, input.name, "shape is not the input's", shape_text(dims), shape_text(input.dims));
  return {};
}

Result<Blob> read_raw(const std::string& path, const IoTensor& input, Diagnostics& diags) {
  const auto file = InputFile::open(path, diags);
  if (!file) return failure;
  const std::uint64_t size = file->stamp().size;
  if (size != input.bytes)
    return diags.error(path, input.name, "size is not the input's", std::to_string(size) + " bytes",
                       std::to_string(input.bytes) + " bytes (" + std::string(to_string(input.dtype)) + " " +
                           shape_text(input.dims) + ")");
  std::vector<std::byte> bytes(size);
  if (!file->read(0, bytes, diags)) return failure;
  return Blob::own(std::move(bytes));
}

Result<Blob> read_input(const std::string& path, const IoTensor& input, Diagnostics& diags) {
  if (path.ends_with(".npy")) return read_npy(path, input, diags);
  if (path.ends_with(".pb")) return read_tensor_proto(path, input, diags);
  return read_raw(path, input, diags);
}

}  // namespace byoc
