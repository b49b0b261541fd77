#include "sdk/base/support/file_stamp.hpp"

namespace byoc {

FileStamp::FileStamp(std::string p, const struct stat& status)
    : path(std::move(p)),
      device(status.st_dev),
      inode(status.st_ino),
      size(static_cast<std::uint64_t>(status.st_size)),
      modified(std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec) {}

std::optional<FileStamp> FileStamp::of(const std::string& path) {
  struct stat status{};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileStamp(path, status);
}

const char* kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISBLK(mode)) return "a block device";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode)) return "a character device";
  return "a file";
}

std::vector<FileStamp> stamps_of(std::span<const std::string> paths) {
  std::vector<FileStamp> out;
  for (const std::string& path : paths)
    if (auto stamp = FileStamp::of(path)) out.push_back(std::move(*stamp));
  return out;
}

Result<void> check_unchanged(std::span<const FileStamp> files, Diagnostics& diags) {
  bool ok = true;
  for (const FileStamp& was : files) {
    const auto is = FileStamp::of(was.path);
    std::string found;
    if (!is)
      found = "no file";
    else if (is->device != was.device || is->inode != was.inode)
      found = "another file";
    else if (is->size != was.size)
      found = std::to_string(is->size) + " bytes";
    else if (is->modified != was.modified)
      found = "another time of its last change";
    if (found.empty() && (was.lost == nullptr || !*was.lost)) continue;
    ok = false;
    if (found.empty()) found = "a part of it could not be read";
    diags.error(was.path, {}, "changed while it was read", found,
                "the file as it was, of " + std::to_string(was.size) + " bytes");
  }
  return ok ? Result<void>() : failure;
}

}  // namespace byoc
