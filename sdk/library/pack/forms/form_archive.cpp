#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <memory>

#include "sdk/base/support/blob.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/pack/forms/form_parts.hpp"

namespace byoc::forms {
namespace {

struct FreeArchive {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

bool failed(archive* a) {
  if (const int reason = archive_errno(a); reason > 0) errno = reason;
  return false;
}

// A ZIP has local times: without one its entries are of 1980, in every time zone.
bool open_archive(archive* a, bool is_zip, int fd) {
  const int ok = is_zip ? archive_write_set_format_zip(a) : archive_write_set_format_ustar(a);
  if (ok != ARCHIVE_OK) return false;
  if (is_zip && archive_write_zip_set_compression_store(a) != ARCHIVE_OK) return false;
  if (!is_zip && (archive_write_add_filter_gzip(a) != ARCHIVE_OK ||
                  archive_write_set_filter_option(a, "gzip", "timestamp", nullptr) != ARCHIVE_OK))
    return false;
  if (archive_write_set_bytes_per_block(a, 0) != ARCHIVE_OK) return false;
  return archive_write_open_fd(a, fd) == ARCHIVE_OK;
}

bool add_file(archive* a, const std::string& path, const std::string& from, bool is_zip, std::uint64_t time) {
  Diagnostics ignored;
  const auto mapped = MappedFile::open(from, ignored);
  if (!mapped) return false;
  const auto bytes = (*mapped)->bytes();
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), path.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  if (!is_zip) archive_entry_set_mtime(entry.get(), static_cast<time_t>(time), 0);
  if (archive_write_header(a, entry.get()) != ARCHIVE_OK) return failed(a);
  return read_pieces(Blob::map(*mapped, 0, bytes.size()), [&](std::span<const std::byte> piece) {
    const la_ssize_t written = archive_write_data(a, piece.data(), piece.size());
    return written == static_cast<la_ssize_t>(piece.size()) || failed(a);
  });
}

}  // namespace

bool write_archive(int fd, std::string_view suffix, const std::string& root, const std::vector<StagedFile>& files,
                   std::uint64_t time) {
  const bool is_zip = suffix != ".tgz";
  const std::unique_ptr<archive, FreeArchive> a(archive_write_new());
  if (!open_archive(a.get(), is_zip, fd)) return failed(a.get());
  for (const StagedFile& f : files)
    if (!add_file(a.get(), root + f.path, f.from, is_zip, time)) return false;
  return archive_write_close(a.get()) == ARCHIVE_OK || failed(a.get());
}

}  // namespace byoc::forms
