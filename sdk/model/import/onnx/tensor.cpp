#include "sdk/model/import/onnx/tensor.hpp"

#include <onnx/onnx-ml.pb.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "sdk/model/import/onnx/typed_data.hpp"
#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc::onnx_import {
namespace {

// Bytes of a tensor, or nullopt where a dimension is negative or the size does not fit.
std::optional<std::uint64_t> checked_bytes(DType dtype, const std::vector<ir::Dim>& dims) {
  std::int64_t bits = std::max(bit_width(dtype), 1U);
  bool empty = false;
  for (ir::Dim d : dims) {
    if (d < 0) return std::nullopt;
    empty = empty || d == 0;
    if (d != 0 && __builtin_mul_overflow(bits, d, &bits)) return std::nullopt;
  }
  if (bits > std::numeric_limits<std::int64_t>::max() - 7) return std::nullopt;
  return empty ? 0 : static_cast<std::uint64_t>((bits + 7) / 8);
}

std::string dims_text(const std::vector<ir::Dim>& dims) {
  std::string out = "[";
  for (ir::Dim d : dims) out += (out.size() > 1 ? "," : "") + std::to_string(d);
  return out + "]";
}

std::optional<std::uint64_t> parse_unsigned(const std::string& text) {
  std::uint64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return v;
}

// The bytes of raw_data: of several, the last, as protobuf reads them. nullopt where there is none.
std::optional<std::span<const std::byte>> raw_data(std::span<const std::byte> message) {
  constexpr std::uint32_t kRawData = 9;
  std::optional<std::span<const std::byte>> raw;
  WireReader reader(message);
  while (const auto field = reader.next())
    if (field->number == kRawData && field->type == WireType::bytes) raw = field->payload;
  return raw;
}

}  // namespace

DType dtype_of(std::int64_t n) { return ir::onnx_type(n); }

std::string dtype_name(std::int64_t n) { return ir::onnx_type_name(n); }

Result<ir::Tensor> TensorReader::read(const ::onnx::TensorProto& tensor, const std::string& where) {
  ir::Tensor out;
  out.type.dtype = dtype_of(tensor.data_type());
  if (out.type.dtype == DType::undefined)
    return diags_.error(file_->path(), where, "has an element type that is not supported",
                        dtype_name(tensor.data_type()));
  if (tensor.has_segment()) return diags_.error(file_->path(), where, "is stored in segments, which is not supported");
  out.type.dims.emplace(tensor.dims().begin(), tensor.dims().end());
  if (!checked_bytes(out.type.dtype, *out.type.dims))
    return diags_.error(file_->path(), where, "has a negative dimension or is too large", dims_text(*out.type.dims),
                        "dimensions of 0 or more and fewer than 2^63 bits");
  if (out.type.dtype == DType::string) return read_texts(tensor, std::move(out), where);
  auto blob = tensor.data_location() == ::onnx::TensorProto::EXTERNAL ? external(tensor, out.type, where)
                                                                      : payload(tensor, out.type, where);
  if (!blob) return failure;
  if (blob->size() != out.type.bytes())
    return diags_.error(file_->path(), where, "data does not have the size of its type",
                        std::to_string(blob->size()) + " bytes",
                        std::to_string(out.type.bytes()) + " bytes for " +
                            std::string(byoc::to_string(out.type.dtype)) + dims_text(*out.type.dims));
  out.bytes = std::move(*blob);
  return out;
}

// Strings stand in the file one by one, each with its length.
Result<ir::Tensor> TensorReader::read_texts(const ::onnx::TensorProto& tensor, ir::Tensor out,
                                            const std::string& where) {
  constexpr std::uint32_t kStringData = 6;
  const auto index = parse_unsigned(tensor.doc_string());
  if (!index || *index >= tensors_.size()) return diags_.error(file_->path(), where, "is damaged");
  if (tensor.data_location() == ::onnx::TensorProto::EXTERNAL || raw_data(tensors_[*index]))
    return diags_.error(file_->path(), where, "strings are not in string_data, which is all that is supported");
  std::vector<std::string> texts;
  WireReader reader(tensors_[*index]);
  while (const auto field = reader.next())
    if (field->number == kStringData && field->type == WireType::bytes)
      texts.emplace_back(reinterpret_cast<const char*>(field->payload.data()), field->payload.size());
  std::uint64_t count = 1;
  for (const ir::Dim d : *out.type.dims) count *= static_cast<std::uint64_t>(d);
  if (texts.size() != count)
    return diags_.error(file_->path(), where, "data does not have the size of its type",
                        std::to_string(texts.size()) + " strings",
                        std::to_string(count) + " for string" + dims_text(*out.type.dims));
  out.bytes = ir::pack_texts(texts);
  return out;
}

std::vector<FileStamp> TensorReader::files() const {
  std::vector<FileStamp> out{file_->stamp()};
  for (const auto& [location, file] : externals_) out.push_back(file->stamp());
  return out;
}

Blob TensorReader::map(std::span<const std::byte> bytes) const {
  if (bytes.empty()) return {};
  if (own_ != nullptr) return Blob::view(bytes, own_);
  return Blob::map(file_, static_cast<std::uint64_t>(bytes.data() - file_->bytes().data()), bytes.size());
}

Result<Blob> TensorReader::payload(const ::onnx::TensorProto& tensor, const ir::TensorType& type,
                                   const std::string& where) {
  const auto index = parse_unsigned(tensor.doc_string());
  // Two TensorProtos where one belongs are merged by protobuf; then the last one's payload counts.
  if (!index || *index >= tensors_.size()) return diags_.error(file_->path(), where, "is damaged");
  const std::span<const std::byte> message = tensors_[*index];
  const auto raw = raw_data(message);
  TypedData typed = read_typed_data(message, type.dtype, type.bytes());
  if (!typed.problem.empty()) return diags_.error(file_->path(), where, typed.problem);
  if (raw && typed.present && !raw->empty())
    return diags_.error(file_->path(), where, "has both raw_data and typed data");
  if (raw && !typed.present) return map(*raw);
  if (!typed.decoded.empty()) return Blob::own(std::move(typed.decoded));
  return map(typed.in_place);
}

Result<std::shared_ptr<const MappedFile>> TensorReader::open_external(const std::string& location,
                                                                      const std::string& where) {
  namespace fs = std::filesystem;
  if (const auto it = externals_.find(location); it != externals_.end()) return it->second;
  const fs::path relative(location);
  if (location.find('\0') != std::string::npos)
    return diags_.error(file_->path(), where, "external data has a NUL in its location",
                        "'" + std::string(location.c_str()) + "' and more behind it", "the name of a file");
  bool inside = !location.empty() && !relative.is_absolute();
  for (const fs::path& part : relative) inside = inside && part != "..";
  std::error_code error;
  fs::path folder = fs::path(file_->path()).parent_path();
  if (folder.empty()) folder = ".";
  if (inside) {
    // A symbolic link must not lead out of the folder either.
    const fs::path real_folder = fs::canonical(folder, error);
    const fs::path real = error ? fs::path() : fs::weakly_canonical(real_folder / relative, error);
    if (!error)
      inside = !real.lexically_relative(real_folder).empty() && *real.lexically_relative(real_folder).begin() != "..";
  }
  if (!inside || error)
    return diags_.error(file_->path(), where, "external data lies outside the model's folder", "'" + location + "'",
                        "a relative path below it");
  auto opened = MappedFile::open((folder / relative).string(), diags_);
  if (!opened) return diags_.error(file_->path(), where, "external data cannot be read", "'" + location + "'");
  externals_.emplace(location, *opened);
  return *opened;
}

Result<Blob> TensorReader::external(const ::onnx::TensorProto& tensor, const ir::TensorType& type,
                                    const std::string& where) {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
  for (const auto& entry : tensor.external_data()) {
    const auto number = parse_unsigned(entry.value());
    if (entry.key() == "location") {
      location = entry.value();
    } else if (entry.key() == "offset" && number) {
      offset = *number;
    } else if (entry.key() == "length" && number) {
      length = *number;
    } else if (entry.key() != "checksum") {
      return diags_.error(file_->path(), where, "external data has a bad entry", entry.key() + "=" + entry.value(),
                          "location, offset, length or checksum");
    }
  }
  auto data = open_external(location, where);
  if (!data) return failure;
  const std::uint64_t size = (*data)->bytes().size();
  const std::uint64_t wanted = length.value_or(type.bytes());
  if (offset > size || wanted > size - offset)
    return diags_.error(file_->path(), where, "external data runs past the end of '" + location + "'",
                        std::to_string(wanted) + " bytes at " + std::to_string(offset),
                        "inside its " + std::to_string(size) + " bytes");
  if (wanted == 0) return Blob();
  return Blob::map(*data, offset, wanted);
}

}  // namespace byoc::onnx_import
