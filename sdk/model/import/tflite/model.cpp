#include "sdk/model/import/tflite/model.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace byoc::tflite {
namespace {

constexpr std::uint32_t kSchemaVersion = 3;
// Limits of the FlatBuffers verifier: the format nests a handful of tables; the largest models have some 10^5.
constexpr std::uint32_t kDeepestTable = 32;
constexpr std::uint32_t kMostTables = 4'000'000;
constexpr std::size_t kLargeBuffer = 65536;  // bytes: that many are not copied

std::string printable(std::string_view bytes) {
  std::string out;
  for (char c : bytes) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out;
}

// Reads the few tables that lead to buffers, before anything is known to be right.
class UnverifiedTables {
 public:
  explicit UnverifiedTables(std::span<const std::byte> file) : file_(file) {}

  struct Range {
    std::size_t begin, end;
  };
  // The ranges of large buffers' data in the file, in order; offsets that are invalid are left out.
  std::vector<Range> large_buffers() const {
    std::vector<Range> out;
    const auto vector = field(offset(0), schema::Model::VT_BUFFERS);
    const std::size_t count = vector ? number<std::uint32_t>(*vector).value_or(0) : 0;
    for (std::size_t i = 0, at = vector.value_or(0) + 4; i < count && at + 4 <= file_.size(); ++i, at += 4) {
      const auto data = field(offset(at), schema::Buffer::VT_DATA);
      const auto size = data ? number<std::uint32_t>(*data) : std::nullopt;
      if (size && *size >= kLargeBuffer && *size <= file_.size() - *data - 4)
        out.push_back({*data + 4, *data + 4 + *size});
    }
    std::sort(out.begin(), out.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    return out;
  }

 private:
  template <class T>
  [[nodiscard]] std::optional<T> number(std::size_t at) const {
    if (at > file_.size() || file_.size() - at < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, file_.data() + at, sizeof value);
    return value;
  }
  // The target of the offset at `at`; beyond the end if it is invalid.
  [[nodiscard]] std::size_t offset(std::size_t at) const {
    const auto distance = number<std::uint32_t>(at);
    return distance ? at + *distance : file_.size();
  }
  // The target of a table's field that is an offset itself.
  [[nodiscard]] std::optional<std::size_t> field(std::size_t table, std::size_t slot) const {
    const auto back = number<std::int32_t>(table);
    const std::int64_t vtable = static_cast<std::int64_t>(table) - back.value_or(0);
    if (!back || vtable < 0) return std::nullopt;
    const auto at = static_cast<std::size_t>(vtable);
    const auto slots = number<std::uint16_t>(at), place = number<std::uint16_t>(at + slot);
    if (!slots || slot + 2 > *slots || !place || *place == 0) return std::nullopt;
    const std::size_t target = offset(table + *place);
    return target < file_.size() ? std::optional(target) : std::nullopt;
  }

  std::span<const std::byte> file_;
};

// Memory of its own with what is in the file but for the data of large buffers, which nobody reads there: whoever
// writes to the file meanwhile does not change what has been verified.
Result<std::shared_ptr<const std::byte>> copy_structure(const MappedFile& file, std::size_t size, Diagnostics& diags) {
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return diags.error(file.path(), {}, std::string("cannot be read: ") + std::strerror(errno));
  auto* const to = static_cast<std::byte*>(memory);
  const std::shared_ptr<const std::byte> out(to, [to, size](const std::byte*) { ::munmap(to, size); });
  std::size_t at = 0;
  std::vector<UnverifiedTables::Range> left_out = UnverifiedTables(file.bytes().first(size)).large_buffers();
  left_out.push_back({size, size});
  for (const auto& [begin, end] : left_out) {
    if (begin > at && !file.read(at, std::span(to + at, begin - at), diags)) return failure;
    at = std::max(at, end);
  }
  return out;
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
  // Offsets are 32 bits wide: what lies beyond is data that buffers name by their place in the file.
  const std::size_t size = std::min<std::size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  auto structure = copy_structure(**file, size, diags);
  if (!structure) return failure;
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(structure->get()), size, kDeepestTable,
                                 kMostTables);
  if (!schema::VerifyModelBuffer(verifier))
    return diags.error(path, {}, "is truncated or damaged: an offset or a size in it points outside",
                       std::to_string(bytes.size()) + " bytes");
  Model model;
  model.file_ = std::move(*file);
  model.structure_ = std::move(*structure);
  model.root_ = schema::GetModel(model.structure_.get());
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

// Version 0: the version, the number of a subgraph, how many tensors, a place for each
// (https://github.com/tensorflow/tflite-micro, tensorflow/lite/micro/docs/offline_memory_allocation).
std::vector<std::int64_t> Model::offline_places() const {
  constexpr std::size_t kHeader = 3;
  if (subgraph_count() != 1) return {};
  for (std::size_t i = 0; i < length(root_->metadata()); ++i) {
    const schema::Metadata& entry = *root_->metadata()->Get(static_cast<flatbuffers::uoffset_t>(i));
    if (entry.name() == nullptr || entry.name()->string_view() != "OfflineMemoryAllocation") continue;
    if (entry.buffer() >= length(root_->buffers())) return {};
    const auto* data = root_->buffers()->Get(entry.buffer())->data();
    if (length(data) != (kHeader + tensor_count()) * sizeof(std::int32_t)) return {};
    std::vector<std::int32_t> words(kHeader + tensor_count());
    std::memcpy(words.data(), data->data(), data->size());
    if (words[0] != 0 || words[2] != static_cast<std::int32_t>(tensor_count())) return {};
    return {words.begin() + kHeader, words.end()};
  }
  return {};
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
  return Blob::map(file_, static_cast<std::uint64_t>(data - structure_.get()), buffer.data()->size());
}

}  // namespace byoc::tflite
