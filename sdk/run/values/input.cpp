#include "sdk/run/values/input.hpp"

#include <algorithm>
#include <optional>

#include "sdk/base/support/file.hpp"

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
    return diags.error(path, input.name, "element type is not the tensor's", std::string(to_string(found)),
                       std::string(to_string(input.dtype)));
  if (without_ones(dims) != without_ones(input.dims))
    return diags.error(path, input.name, "shape is not the tensor's", shape_text(dims), shape_text(input.dims));
  return {};
}

namespace {

// Dims of the file in the place of those that are open; nothing where they do not fit.
std::optional<std::vector<std::int64_t>> filled(const std::vector<std::int64_t>& stated,
                                                const std::vector<std::int64_t>& found) {
  if (stated.size() != found.size()) return std::nullopt;
  for (std::size_t d = 0; d < found.size(); ++d)
    if (found[d] < 0 || (stated[d] >= 0 && stated[d] != found[d])) return std::nullopt;
  return found;
}

}  // namespace

Result<IoTensor> type_of_input(const std::string& path, const IoTensor& input, bool has_dims, Diagnostics& diags) {
  IoTensor out = input;
  const bool open = std::any_of(input.dims.begin(), input.dims.end(), [](std::int64_t d) { return d < 0; });
  if (open || !has_dims) {
    const bool npy = path.ends_with(".npy");
    if (!npy && !path.ends_with(".pb"))
      return diags.error(path, input.name, "does not say the shape of an input whose dims are open", {},
                         "a .npy or a .pb file");
    const auto found = npy ? npy_dims(path, input, diags) : tensor_proto_dims(path, input, diags);
    if (!found) return failure;
    const auto dims = filled(has_dims ? input.dims : *found, *found);
    if (!dims)
      return diags.error(path, input.name, "shape is not the tensor's", shape_text(*found), shape_text(input.dims));
    out.dims = *dims;
  }
  return sized(path, std::move(out), diags);
}

Result<IoTensor> sized(const std::string& path, IoTensor input, Diagnostics& diags) {
  std::int64_t bits = bit_width(input.dtype);
  for (const std::int64_t d : input.dims)
    if (d < 0 || __builtin_mul_overflow(bits, d, &bits))
      return diags.error(path, input.name, "is too large", shape_text(input.dims));
  input.bytes = (static_cast<std::uint64_t>(bits) + 7) / 8;
  return input;
}

Result<Blob> read_raw(const std::string& path, const IoTensor& input, Diagnostics& diags) {
  const auto file = InputFile::open(path, diags);
  if (!file) return failure;
  const std::uint64_t size = file->stamp().size;
  if (size != input.bytes)
    return diags.error(path, input.name, "size is not the tensor's", std::to_string(size) + " bytes",
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
