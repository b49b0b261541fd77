#include "sdk/import/tflite/model.hpp"

#include <algorithm>

namespace byoc::tflite {
namespace {

constexpr std::uint32_t kSchemaVersion = 3;
// Limits of the FlatBuffers verifier: the format nests a handful of tables; the largest models have some 10^5.
constexpr std::uint32_t kDeepestTable = 32;
constexpr std::uint32_t kMostTables = 4'000'000;

std::string printable(std::string_view bytes) {
  std::string out;
  for (char c : bytes) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out;
}

bool verifies(std::span<const std::byte> bytes) {
  // Offsets are 32 bits wide: what lies beyond is data that buffers name by their place in the file.
  const std::size_t size = std::min<std::size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), size, kDeepestTable, kMostTables);
  return schema::VerifyModelBuffer(verifier);
}

}  // namespace

std::string describe_tensor(std::size_t index, std::string_view name) {
  std::string out = "tensor " + std::to_string(index);
  if (!name.empty()) out.append(" '").append(name).append("'");
  return out;
}

Result<Model> Model::open(const std::string& path, Diagnostics& diags) {
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  const auto bytes = (*file)->bytes();
  const std::string_view identifier(schema::ModelIdentifier());
  if (bytes.size() < 8)
    return diags.error(path, {}, "is not a TFLite model: too short", std::to_string(bytes.size()) + " bytes",
                       "8 bytes or more");
  const std::string_view found(reinterpret_cast<const char*>(bytes.data()) + 4, 4);
  if (found != identifier)
    return diags.error(path, {}, "is not a TFLite model: wrong file identifier", "'" + printable(found) + "'",
                       "'" + std::string(identifier) + "' at offset 4");
  if (!verifies(bytes))
    return diags.error(path, {}, "is truncated or damaged: an offset or a size in it points outside",
                       std::to_string(bytes.size()) + " bytes");
  Model model;
  model.file_ = std::move(*file);
  model.root_ = schema::GetModel(bytes.data());
  if (model.root_->version() != kSchemaVersion)
    return diags.error(path, {}, "unsupported schema version", std::to_string(model.root_->version()),
                       std::to_string(kSchemaVersion));
  if (length(model.root_->subgraphs()) == 0) return diags.error(path, {}, "the model has no subgraph");
  return model;
}

std::string Model::tensor_name(std::size_t index) const {
  const auto* name = graph().tensors()->Get(static_cast<flatbuffers::uoffset_t>(index))->name();
  return name == nullptr ? std::string{} : name->str();
}

Result<Blob> Model::buffer(std::size_t tensor, std::uint32_t index, Diagnostics& diags) const {
  const auto* buffers = root_->buffers();
  auto where = [&] { return describe_tensor(tensor, tensor_name(tensor)); };
  if (index >= length(buffers))
    return diags.error(path(), where(), "buffer index out of range", std::to_string(index),
                       "less than " + std::to_string(length(buffers)));
  const schema::Buffer& buffer = *buffers->Get(index);
  const std::uint64_t file_size = file_->bytes().size();
  if (buffer.offset() > 1) {  // outside the FlatBuffer; 0 and 1 mean that it is not
    if (buffer.offset() > file_size || buffer.size() > file_size - buffer.offset())
      return diags.error(path(), where(), "its buffer lies outside the file",
                         std::to_string(buffer.size()) + " bytes at " + std::to_string(buffer.offset()),
                         "at most " + std::to_string(file_size) + " bytes in all");
    return Blob::map(file_, buffer.offset(), buffer.size());
  }
  if (length(buffer.data()) == 0) return Blob{};
  const auto* data = reinterpret_cast<const std::byte*>(buffer.data()->data());
  return Blob::map(file_, static_cast<std::uint64_t>(data - file_->bytes().data()), buffer.data()->size());
}

}  // namespace byoc::tflite
