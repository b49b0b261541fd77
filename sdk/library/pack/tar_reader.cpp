#include "sdk/library/pack/tar_reader.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <memory>
#include <set>

#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

using ArchiveHandle = std::unique_ptr<archive, decltype(&archive_read_free)>;

class TarReader {
 public:
  TarReader(const std::string& path, const std::function<bool(TarEntry&)>& visit, Diagnostics& diags)
      : path_(path), visit_(visit), diags_(diags) {}

  bool run() {
    const auto file = InputFile::open(path_, diags_);
    if (!file) return false;
    left_ = file->stamp().size;
    // No filters are enabled: a compressed file is then no archive.
    archive_read_support_format_tar(tar_.get());
    if (archive_read_open_fd(tar_.get(), file->fd(), 1 << 16) != ARCHIVE_OK) return broken();
    archive_entry* entry = nullptr;
    int status = ARCHIVE_OK;
    while ((status = archive_read_next_header(tar_.get(), &entry)) == ARCHIVE_OK)
      if (!read_entry(entry)) return false;
    return status == ARCHIVE_EOF || broken();
  }

 private:
  bool broken() {
    const char* why = archive_error_string(tar_.get());
    diags_.error(path_, {}, std::string("is no plain tar archive") + (why ? std::string(": ") + why : ""));
    return false;
  }
  bool bad(const std::string& name, const std::string& what) {
    diags_.error(path_, name, what);
    return false;
  }

  bool read_entry(archive_entry* entry) {
    const char* given = archive_entry_pathname(entry);
    const std::filesystem::path path = std::filesystem::path(given == nullptr ? "" : given).lexically_normal();
    TarEntry out;
    out.name = path.string();
    const auto type = archive_entry_filetype(entry);
    if (out.name.empty() || path.is_absolute() || *path.begin() == "..")
      return bad(out.name, "an entry leaves the archive");
    if (type == AE_IFDIR) return true;
    if (type != AE_IFREG || archive_entry_hardlink(entry) != nullptr)
      return bad(out.name, "an entry is neither a file nor a folder");
    if (!names_.insert(out.name).second) return bad(out.name, "two entries have this name");
    const std::int64_t size = archive_entry_size(entry);
    // Sparse files may say anything.
    if (size < 0 || static_cast<std::uint64_t>(size) > left_)
      return bad(out.name, "an entry is larger than the archive");
    out.size = static_cast<std::uint64_t>(size);
    left_ -= out.size;
    out.read = [this](std::span<std::byte> to) {
      const la_ssize_t n = archive_read_data(tar_.get(), to.data(), to.size());
      return (n >= 0 && static_cast<std::size_t>(n) == to.size()) || broken();
    };
    return visit_(out);
  }

  const std::string& path_;
  const std::function<bool(TarEntry&)>& visit_;
  Diagnostics& diags_;
  ArchiveHandle tar_{archive_read_new(), archive_read_free};
  std::uint64_t left_ = 0;
  std::set<std::string> names_;
};

}  // namespace

Result<void> read_tar(const std::string& path, const std::function<bool(TarEntry&)>& visit, Diagnostics& diags) {
  if (!TarReader(path, visit, diags).run()) return failure;
  return {};
}

}  // namespace byoc
