#include "sdk/base/support/output_place.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "sdk/base/support/file_stamp.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel has it

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// The number of a descriptor of this process whose entry in /proc `link` is; -1 if it is another link.
int own_descriptor(const std::string& link) {
  std::error_code error;
  const std::string folder = fs::canonical(parent_of(link), error).string();
  const std::string own = "/proc/" + std::to_string(::getpid()) + "/";
  if (error || !folder.starts_with(own) || !folder.ends_with("/fd")) return -1;
  const std::string name = fs::path(link).filename().string();
  int number = -1;
  const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
  return bad == std::errc() && end == name.data() + name.size() ? number : -1;
}

Failure refuse(const std::string& name, int reason, Diagnostics& diags) {
  return diags.error(name, {}, std::string("cannot be written: ") + std::strerror(reason));
}

// The first folder on the way to `path` that is not there.
std::string missing_folder(const std::string& path) {
  std::error_code ignored;
  std::string missing = parent_of(path);
  for (std::string up = parent_of(missing); up != missing && !fs::exists(up, ignored); up = parent_of(missing))
    missing = up;
  return missing;
}

Result<OutputPlace> follow(const std::string& name, Diagnostics& diags) {
  OutputPlace place{name, std::nullopt};
  for (int links = 0; links <= kMostLinks; ++links) {
    struct stat status{};
    if (::lstat(place.path.c_str(), &status) != 0) {
      if (errno != ENOENT) return refuse(name, errno, diags);
      std::error_code ignored;
      if (fs::exists(parent_of(place.path), ignored)) return place;
      return diags.error(name, {}, "cannot be written: there is no such folder", missing_folder(place.path),
                         "a folder that is there");
    }
    if (!S_ISLNK(status.st_mode)) {
      place.there = status;
      return place;
    }
    place.descriptor = own_descriptor(place.path);
    if (place.descriptor >= 0) {
      if (::fstat(place.descriptor, &status) != 0) return refuse(name, errno, diags);
      place.there = status;
      return place;
    }
    std::error_code error;
    const fs::path to = fs::read_symlink(place.path, error);
    if (error) return refuse(name, error.value(), diags);
    place.path = to.is_absolute() ? to.string() : (fs::path(parent_of(place.path)) / to).string();
  }
  return refuse(name, ELOOP, diags);
}

}  // namespace

bool OutputPlace::is_stream() const {
  return descriptor >= 0 || (there && (S_ISFIFO(there->st_mode) || S_ISCHR(there->st_mode)));
}

Result<OutputPlace> place_of_file(const std::string& name, Diagnostics& diags) {
  if (name.find('\0') != std::string::npos) return refuse(name.c_str(), EINVAL, diags);
  auto place = follow(name, diags);
  if (!place || !place->there || place->is_stream() || S_ISREG(place->there->st_mode)) return place;
  return diags.error(name, {}, "cannot be written", kind_of_file(place->there->st_mode),
                     "a file, a pipe, a character device or nothing");
}

Result<OutputPlace> place_of_folder(const std::string& name, Diagnostics& diags) {
  std::string path = name.c_str();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  auto place = follow(path, diags);
  if (!place) return failure;
  if (place->there && !S_ISDIR(place->there->st_mode))
    return diags.error(name, {}, "cannot be written", kind_of_file(place->there->st_mode), "a folder or nothing");
  // "." and the like have no name that could be exchanged.
  std::error_code error;
  place->path = fs::weakly_canonical(fs::absolute(place->path, error), error).string();
  if (error) return refuse(name, error.value(), diags);
  return place;
}

}  // namespace byoc
