// .npz: a zip archive of .npy files, as numpy.savez() writes it.
#include <archive.h>
#include <archive_entry.h>

#include <charconv>
#include <memory>

#include "sdk/base/support/file.hpp"
#include "sdk/run/values/input.hpp"
#include "sdk/run/values/input_set.hpp"

namespace byoc {
namespace {

using Archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

constexpr std::uint64_t kMostMemberHeader = 1 << 20;  // bytes of a .npy in front of its data

// "arr_3": what numpy calls arrays without a name.
std::optional<std::size_t> position(std::string_view name) {
  if (!name.starts_with("arr_")) return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data() + 4, name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return index;
}

class Reader {
 public:
  Reader(const std::string& path, const std::vector<IoTensor>& inputs, std::vector<InputOrigin>& to, Diagnostics& diags)
      : path_(path), inputs_(inputs), to_(to), diags_(diags) {}

  Result<void> run() {
    const auto file = InputFile::open(path_, diags_);
    if (!file) return failure;
    archive_read_support_format_zip(zip_.get());
    if (archive_read_open_fd(zip_.get(), file->fd(), 1 << 16) != ARCHIVE_OK) return broken();
    archive_entry* entry = nullptr;
    int status = ARCHIVE_OK;
    std::size_t arrays = 0;
    for (; (status = archive_read_next_header(zip_.get(), &entry)) == ARCHIVE_OK; ++arrays)
      if (!read_entry(entry)) return failure;
    if (status != ARCHIVE_EOF) return broken();
    if (arrays == 0) return diags_.error(path_, "--input", "has no arrays", {}, list_tensors(inputs_));
    return {};
  }

 private:
  Failure broken() {
    const char* why = archive_error_string(zip_.get());
    return diags_.error(path_, "--input", std::string("is no .npz archive") + (why ? std::string(": ") + why : ""));
  }

  Result<void> read_entry(archive_entry* entry) {
    const char* given = archive_entry_pathname(entry);
    std::string name = given == nullptr ? "" : given;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    auto index = find_tensor(inputs_, name);
    if (const auto at = position(name); !index && at && *at < inputs_.size()) index = at;
    if (!index)
      return diags_.error(path_, "--input", "no input has this name" + nearest_tensor(inputs_, name), "'" + name + "'",
                          list_tensors(inputs_));
    InputOrigin& slot = to_[*index];
    if (!slot.from.empty())
      return diags_.error(path_, "--input", "an input is given twice", slot.from + " and '" + name + "'",
                          "one value for '" + inputs_[*index].name + "'");
    const auto bytes = read_bytes(inputs_[*index], name);
    if (!bytes) return failure;
    auto blob = read_npy_bytes(*bytes, path_ + "(" + name + ")", inputs_[*index], diags_);
    if (!blob) return failure;
    slot = {{}, std::move(*blob), path_};
    return {};
  }

  // The stated size may be wrong, and compressed data may expand to any size: no more than the input can have is read.
  Result<std::vector<std::byte>> read_bytes(const IoTensor& input, const std::string& name) {
    const std::uint64_t most = kMostMemberHeader + (bit_width(input.dtype) < 8 ? 8 : 1) * input.bytes;
    std::vector<std::byte> out, piece(std::size_t{1} << 16);
    for (;;) {
      const la_ssize_t n = archive_read_data(zip_.get(), piece.data(), piece.size());
      if (n < 0) return broken();
      if (n == 0) return out;
      if (out.size() + static_cast<std::size_t>(n) > most)
        return diags_.error(path_, "--input", "array '" + name + "' is larger than the input", {},
                            list_tensors({input}));
      out.insert(out.end(), piece.begin(), piece.begin() + n);
    }
  }

  const std::string& path_;
  const std::vector<IoTensor>& inputs_;
  std::vector<InputOrigin>& to_;
  Diagnostics& diags_;
  Archive zip_{archive_read_new(), archive_read_free};
};

}  // namespace

Result<void> read_npz(const std::string& path, const std::vector<IoTensor>& inputs, std::vector<InputOrigin>& to,
                      Diagnostics& diags) {
  return Reader(path, inputs, to, diags).run();
}

}  // namespace byoc
