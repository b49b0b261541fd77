#include "sdk/compile/object_cache.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sdk/support/file.hpp"
#include "sdk/support/identity.hpp"
#include "sdk/support/output_set.hpp"

namespace byoc::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "byoc object 2\n";

std::string_view text_of(const ObjectBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What an entry begins with: magic; the key, for an entry may come to lie where another was; the hash of the object.
std::string head_of(const CacheKey& key, std::span<const std::byte> object) {
  return std::string(kMagic) + key.text() + "\n" + to_hex(identify(object)) + "\n";
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

std::optional<ObjectBytes> ObjectCache::find(const CacheKey& key) const {
  std::error_code ignored;
  if (!fs::exists(path_of(key), ignored)) return std::nullopt;
  Diagnostics unreadable;
  const auto text = read_text(path_of(key), unreadable);
  const std::size_t size = head_of(key, {}).size();
  if (!text || text->size() < size) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(*text)).subspan(size);
  if (!text->starts_with(head_of(key, bytes))) return std::nullopt;
  return ObjectBytes(bytes.begin(), bytes.end());
}

void ObjectCache::store(const CacheKey& key, const ObjectBytes& object) const {
  const std::string path = path_of(key);
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  std::string text = head_of(key, object);
  text += text_of(object);
  Diagnostics not_kept;
  OutputSet files(not_kept);
  if (files.add(path, text)) (void)bool(files.commit());
}

}  // namespace byoc::compile
