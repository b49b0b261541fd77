#include "sdk/base/support/output_set.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

std::string random_suffix() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::array<unsigned char, 6> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) < 0) bytes[0] = static_cast<unsigned char>(::getpid());
  std::string out = ".";
  for (const unsigned char b : bytes) out += kLetters[b % kLetters.size()];
  return out;
}

bool is_same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

bool is_below(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) &&
         (folder.ends_with('/') || path[folder.size()] == '/');
}

std::string resolved(const std::string& path) {
  std::error_code error;
  const std::string out = fs::weakly_canonical(fs::absolute(path, error), error).string();
  return error ? path : out;
}

bool copy_all(const std::string& from, int to) {
  const int fd = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<std::byte, 65536> buffer;
  ssize_t n = fd < 0 ? -1 : 1;
  while (n > 0) {
    n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR)
      n = 1;
    else if (n > 0 && !write_all(to, std::span(buffer).first(static_cast<std::size_t>(n))))
      n = -1;
  }
  const int reason = errno;
  if (fd >= 0) ::close(fd);
  errno = reason;
  return n == 0;
}

bool exchange_files(const std::string& a, const std::string& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

bool move_to_nothing(const std::string& a, const std::string& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_NOREPLACE) == 0;
}

// Some file systems cannot exchange two names. There what was replaced cannot be brought back.
bool replace_by_moving(const std::string& content, const std::string& place, bool folder) {
  if (!folder) return ::rename(content.c_str(), place.c_str()) == 0;
  const std::string old = content + ".old";
  if (::rename(place.c_str(), old.c_str()) != 0 && errno != ENOENT) return false;
  if (::rename(content.c_str(), place.c_str()) != 0) {
    const int reason = errno;
    ::rename(old.c_str(), place.c_str());
    errno = reason;
    return false;
  }
  ::rename(old.c_str(), content.c_str());
  return true;
}

bool sync(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = ::fsync(fd) == 0;
  const int reason = errno;
  ::close(fd);
  errno = reason;
  return ok;
}

// A file, or a folder and everything in it.
bool sync_whole(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    for (const auto& entry : fs::recursive_directory_iterator(path, error))
      if (!entry.is_symlink() && !sync(entry.path())) return false;
  if (error) errno = error.value();
  return !error && sync(path);
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

OutputSet::OutputSet(Diagnostics& diags, std::vector<FileStamp> inputs)
    : diags_(diags), inputs_(std::move(inputs)), suffix_(random_suffix()) {}

OutputSet::~OutputSet() {
  for (const Pending& p : pending_)
    if (!p.temporary.empty()) remove_whole(p.temporary);
  for (; !made_folders_.empty(); made_folders_.pop_back()) ::rmdir(made_folders_.back().c_str());
}

Failure OutputSet::failed(const std::string& name, int reason) {
  return diags_.error(name, {}, std::string("cannot be written: ") + std::strerror(reason != 0 ? reason : EIO));
}

Result<void> OutputSet::check_file(const std::string& name, const OutputPlace& place) {
  if (!place.there || !S_ISREG(place.there->st_mode)) return {};
  for (const FileStamp& input : inputs_)
    if (input.is(*place.there))
      return diags_.error(name, {}, "would replace a file that the command reads", input.path, "another output");
  for (const Pending& p : pending_)
    if (p.place.there && is_same_file(*p.place.there, *place.there))
      return diags_.error(name, {}, "would be written twice", "the same file as '" + p.name + "'",
                          "outputs that differ");
  return {};
}

Result<void> OutputSet::check_folder(const std::string& name, const OutputPlace& place, const std::string& marker) {
  for (const FileStamp& input : inputs_)
    if (is_below(resolved(input.path), place.path))
      return diags_.error(name, {}, "would replace a folder with a file that the command reads", input.path,
                          "another output");
  for (const Pending& p : pending_)
    if (is_below(resolved(p.place.path), place.path) ||
        (p.kind == Pending::Kind::folder && is_below(place.path, p.place.path)))
      return diags_.error(name, {}, "a folder is replaced as a whole: no other output can lie in it, nor it in another",
                          p.name, "outputs beside each other");
  std::error_code error;
  if (place.there && !fs::is_empty(place.path, error) && !fs::exists(fs::path(place.path) / marker, error))
    return diags_.error(name, {}, "is a folder that holds something else, and is left as it is", "no " + marker,
                        "an empty folder, one that was written this way, or none");
  return {};
}

const OutputSet::Pending* OutputSet::folder_around(const std::string& path, std::string& rest) const {
  for (const Pending& p : pending_) {
    if (p.kind != Pending::Kind::folder) continue;
    const std::string whole = resolved(path);
    if (!is_below(whole, p.place.path)) continue;
    rest = whole.substr(p.place.path.size());
    return &p;
  }
  return nullptr;
}

// A file that already has the temporary name belongs to another output: the names differ, but the file system takes
// them for one.
bool OutputSet::is_twice(const std::string& temporary) const {
  struct stat found{};
  struct stat own{};
  if (::lstat(temporary.c_str(), &found) != 0) return false;
  return std::any_of(pending_.begin(), pending_.end(), [&](const Pending& p) {
    const std::string& other = p.kind == Pending::Kind::inside ? p.content : p.temporary;
    return ::lstat(other.c_str(), &own) == 0 && is_same_file(own, found);
  });
}

// `make` makes the temporary, or fails with errno set.
Result<void> OutputSet::put(Pending pending, const std::function<bool()>& make) {
  const std::string name = pending.name;
  const std::string temporary = pending.temporary.empty() ? pending.content : pending.temporary;
  if (make()) {
    pending_.push_back(std::move(pending));
    return {};
  }
  const int reason = errno;
  if (reason == EEXIST && is_twice(temporary))
    return diags_.error(name, {}, "would be written twice", "another output of this name", "outputs that differ");
  return failed(name, reason);
}

// Opens the content of a new output; its Pending is the last one then.
Result<int> OutputSet::create(const std::string& path, bool in_own_folder) {
  Pending p{Pending::Kind::file, path, {}, {}, {}, Leftover({})};
  std::string rest;
  if (const Pending* folder = folder_around(path, rest)) {
    p.kind = Pending::Kind::inside;
    p.content = folder->content + rest;
    make_folders_for(folder->content, fs::path(rest).relative_path());
  } else {
    auto place = place_of_file(path, diags_);
    if (!place || !check_file(path, *place)) return failure;
    p.place = std::move(*place);
    if (p.place.is_stream()) p.kind = Pending::Kind::stream;
    p.temporary = p.kind == Pending::Kind::stream
                      ? temporary_folder() + "/byoc" + suffix_ + std::to_string(pending_.size())
                      : p.place.path + suffix_;
    p.content = in_own_folder ? p.temporary + "/made" : p.temporary;
    p.leftover = Leftover(p.temporary);
  }
  int fd = -1;
  const auto make = [&fd, file = p.content, folder = in_own_folder ? p.temporary : std::string()] {
    if (!folder.empty() && ::mkdir(folder.c_str(), 0700) != 0) return false;
    fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const int reason = errno;
    if (fd < 0 && !folder.empty()) ::rmdir(folder.c_str());
    errno = reason;
    return fd >= 0;
  };
  if (!put(std::move(p), make)) return failure;
  return fd;
}

Result<void> OutputSet::add(const std::string& path, std::string_view text) {
  return add(path, [text](int fd) { return write_all(fd, std::as_bytes(std::span(text))); });
}

Result<void> OutputSet::add(const std::string& path, const std::function<bool(int fd)>& write) {
  const auto fd = create(path, false);
  if (!fd) return failure;
  errno = 0;
  bool ok = write(*fd);
  int reason = errno;
  if (::close(*fd) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  return ok ? Result<void>() : failed(path, reason);
}

Result<void> OutputSet::add_made(const std::string& path,
                                 const std::function<Result<void>(const std::string& temporary)>& make) {
  const auto fd = create(path, true);
  if (!fd) return failure;
  struct stat usual{};
  ::fstat(*fd, &usual);
  ::close(*fd);
  const std::string content = pending_.back().content;
  if (!make(content)) return failure;
  return ::chmod(content.c_str(), usual.st_mode & 0777) == 0 ? Result<void>() : failed(path, errno);
}

Result<void> OutputSet::add_folder(const std::string& path, const std::string& marker) {
  auto place = place_of_folder(path, diags_);
  if (!place || !check_folder(path, *place, marker)) return failure;
  Pending p{Pending::Kind::folder, path, std::move(*place), {}, {}, Leftover({})};
  p.temporary = p.content = p.place.path + suffix_;
  p.leftover = Leftover(p.temporary);
  return put(std::move(p), [folder = p.temporary] { return ::mkdir(folder.c_str(), 0777) == 0; });
}

std::vector<OutputSet::Written> OutputSet::written() const {
  std::vector<Written> out;
  for (const Pending& p : pending_)
    if (p.kind != Pending::Kind::folder) out.push_back({p.name, p.content});
  return out;
}

Result<void> OutputSet::make_folders(const std::string& path) {
  std::error_code error;
  std::vector<std::string> missing;
  for (fs::path at = path; !at.empty() && !fs::exists(at, error) && !error; at = at.parent_path())
    if (at.has_filename()) missing.push_back(at.string());
  for (; !missing.empty(); missing.pop_back()) {
    if (::mkdir(missing.back().c_str(), 0777) != 0) return failed(path, errno);
    made_folders_.push_back(missing.back());
  }
  if (!fs::is_directory(path, error))
    return diags_.error(path, {}, "cannot be written", "a file", "a folder or nothing");
  return {};
}

Result<void> OutputSet::make_folder_of(const std::string& path) {
  fs::path whole = path;
  if (!whole.has_filename()) whole = whole.parent_path();
  return whole.parent_path().empty() ? Result<void>() : make_folders(whole.parent_path().string());
}

// Checks every place once more before the first exchange, for anything that would make an exchange wrong.
Result<void> OutputSet::check_places() {
  for (const Pending& p : pending_) {
    struct stat now{};
    if (p.kind != Pending::Kind::file || ::lstat(p.place.path.c_str(), &now) != 0) continue;
    if (!S_ISREG(now.st_mode))
      return diags_.error(p.name, {}, "was replaced by something else meanwhile", {}, "a file");
  }
  return {};
}

Result<void> OutputSet::write_stream(const Pending& p) {
  const bool opened = p.place.descriptor < 0;
  const int fd = opened ? ::open(p.place.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY) : p.place.descriptor;
  if (fd < 0) return failed(p.name, errno);
  const bool ok = copy_all(p.content, fd);
  const int reason = errno;
  if (opened && ::close(fd) != 0 && ok) return failed(p.name, errno);
  return ok ? Result<void>() : failed(p.name, reason);
}

// A header that stays as it is keeps its time, so that what includes it is not compiled again.
static void keep_time(const OutputPlace& place, const std::string& content) {
  if (!place.there) return;
  Diagnostics untold;
  const auto before = read_text(place.path, untold), after = read_text(content, untold);
  if (!before || !after || *before != *after) return;
  const std::array times{place.there->st_atim, place.there->st_mtim};
  (void)::utimensat(AT_FDCWD, content.c_str(), times.data(), 0);
}

Result<void> OutputSet::sync_contents() {
  for (const Pending& p : pending_)
    if ((p.kind == Pending::Kind::file || p.kind == Pending::Kind::folder) && !sync_whole(p.content))
      return failed(p.name, errno);
  return {};
}

// Syncs the folders of the outputs, and the folders that were made for them.
Result<void> OutputSet::sync_names() {
  std::map<std::string, std::string> folders;  // and an output in each
  for (const Pending& p : pending_)
    if (p.kind == Pending::Kind::file || p.kind == Pending::Kind::folder)
      folders.emplace(folder_of(p.place.path), p.name);
  for (const std::string& made : made_folders_) folders.emplace(folder_of(made), made);
  for (const auto& [folder, name] : folders)
    if (!sync(folder)) return failed(name, errno);
  return {};
}

Result<void> OutputSet::exchange_names() {
  const Uninterrupted whole;
  using State = Pending::State;
  for (Pending& p : pending_) {
    if (p.kind != Pending::Kind::file && p.kind != Pending::Kind::folder) continue;
    constexpr int kAttempts = 8;  // others may make and remove the same name
    for (int i = 0; i < kAttempts && p.state == State::written; ++i) {
      if (exchange_files(p.content, p.place.path)) {
        p.state = State::exchanged;
      } else if (errno == ENOENT && move_to_nothing(p.content, p.place.path)) {
        p.state = State::placed;
      } else if (errno == EINVAL || errno == ENOSYS) {
        if (!replace_by_moving(p.content, p.place.path, p.kind == Pending::Kind::folder)) break;
        p.state = State::replaced;
      } else if (errno != EEXIST) {
        break;
      }
    }
    if (p.state != State::written) continue;
    const int reason = errno;
    take_back();
    return failed(p.name, reason);
  }
  return {};
}

void OutputSet::take_back() {
  for (auto p = pending_.rbegin(); p != pending_.rend(); ++p) {
    if (p->state == Pending::State::exchanged) (void)exchange_files(p->content, p->place.path);
    if (p->state == Pending::State::placed) (void)move_to_nothing(p->place.path, p->content);
    p->state = Pending::State::written;
  }
}

Result<void> OutputSet::commit(Durability durability) {
  const bool durable = durability == Durability::power_cut;
  for (const Pending& p : pending_)
    if (p.kind == Pending::Kind::file && p.name.ends_with(".h")) keep_time(p.place, p.content);
  if (!check_unchanged(inputs_, diags_) || !check_places() || (durable && !sync_contents())) return failure;
  for (const Pending& p : pending_)
    if (p.kind == Pending::Kind::stream && !write_stream(p)) return failure;
  if (!exchange_names()) return failure;
  if (durable && !sync_names()) {
    take_back();
    return failure;
  }
  made_folders_.clear();
  for (const Pending& p : pending_)
    if (!p.temporary.empty()) remove_whole(p.temporary);  // by now what was there before
  pending_.clear();
  return {};
}

Result<void> check_outputs(std::vector<FileStamp> inputs, std::span<const OutputName> outputs, Diagnostics& diags) {
  OutputSet set(diags, std::move(inputs));
  bool ok = true;
  for (const OutputName& o : outputs)
    if (o.makes_folder && !set.make_folder_of(o.path)) return failure;
  for (const OutputName& o : outputs)
    ok = bool(o.marker.empty() ? set.add(o.path, std::string_view()) : set.add_folder(o.path, o.marker)) && ok;
  return ok ? Result<void>() : failure;
}

}  // namespace byoc
