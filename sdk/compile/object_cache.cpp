#include "sdk/compile/object_cache.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sdk/support/file.hpp"
#include "sdk/support/identity.hpp"

namespace byoc::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "byoc object 1\n";

std::string_view text_of(const ObjectBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

CacheKey& CacheKey::add(std::string_view text) {
  all_ += std::to_string(text.size()) + ":";
  all_ += text;
  return *this;
}

std::string CacheKey::text() const { return to_hex(identify(std::as_bytes(std::span(all_)))); }

CacheKey& CacheKey::add_file(const std::string& path) {
  add(path);
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return add("none");
  return add(std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
             std::to_string(status.st_mtim.tv_nsec));
}

Result<ObjectCache> ObjectCache::open(const std::string& folder, Diagnostics& diags) {
  if (folder.empty()) return ObjectCache({});
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    return diags.error(folder, "--cache", "the folder cannot be made", error ? error.message() : "a file", "a folder");
  return ObjectCache(fs::absolute(folder).string());
}

std::string ObjectCache::path_of(const CacheKey& key) const {
  const std::string name = key.text();
  return folder_ + "/" + name.substr(0, 2) + "/" + name.substr(2);
}

// magic, hash of the object in hexadecimal, newline, object
std::optional<ObjectBytes> ObjectCache::find(const CacheKey& key) const {
  std::error_code ignored;
  if (!fs::exists(path_of(key), ignored)) return std::nullopt;
  Diagnostics unreadable;
  const auto text = read_text(path_of(key), unreadable);
  if (!text || !text->starts_with(kMagic)) return std::nullopt;
  const std::size_t start = text->find('\n', kMagic.size()) + 1;
  if (start == 0) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(*text)).subspan(start);
  if (to_hex(identify(bytes)) != text->substr(kMagic.size(), start - 1 - kMagic.size())) return std::nullopt;
  return ObjectBytes(bytes.begin(), bytes.end());
}

void ObjectCache::store(const CacheKey& key, const ObjectBytes& object) const {
  const std::string path = path_of(key);
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  std::string text(kMagic);
  text += to_hex(identify(object)) + "\n";
  text += text_of(object);
  Diagnostics not_kept;
  OutputSet files(not_kept);
  if (files.add(path, text)) (void)bool(files.commit());
}

}  // namespace byoc::compile
