#include "sdk/library/compile/object_cache.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/library/compile/cache_entry.hpp"

namespace byoc::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "byoc object 2\n";

std::string_view text_of(const ObjectBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The start of an entry: the magic; the key, because an entry may be moved to another's place; the hash of the object.
std::string head_of(const CacheKey& key, std::span<const std::byte> object) {
  return std::string(kMagic) + key.text() + "\n" + to_hex(identify(object)) + "\n";
}

// True if a file is where path_of() puts entries. No other file in the folder is ours.
bool is_entry(const fs::path& path) {
  const std::string name = path.parent_path().filename().string() + path.filename().string();
  return name.size() == 32 && path.parent_path().filename().string().size() == 2 &&
         name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

CacheKey& CacheKey::add(std::string_view text) {
  all_ += std::to_string(text.size()) + ":";
  all_ += text;
  return *this;
}

std::string CacheKey::text() const { return to_hex(identify(std::as_bytes(std::span(all_)))); }

CacheKey& CacheKey::add_file(const std::string& path) {
  Diagnostics unreadable;
  const auto text = read_text(path, unreadable);
  return text ? add(to_hex(identify(std::as_bytes(std::span(*text))))) : add("none");
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

std::optional<ObjectBytes> ObjectCache::find(const CacheKey& key, Diagnostics& diags) const {
  const std::string name = key.text();
  const CacheFile file = read_cache_file(folder_, name.substr(0, 2), name.substr(2));
  if (!file.is_there) return std::nullopt;
  const std::size_t size = head_of(key, {}).size();
  const auto& text = file.bytes;
  const auto bytes =
      text && text->size() >= size ? std::as_bytes(std::span(*text)).subspan(size) : std::span<const std::byte>();
  if (!text || text->size() < size || !text->starts_with(head_of(key, bytes))) {
    diags.warning(path_of(key), "--cache", "an entry is damaged, and is made anew");
    return std::nullopt;
  }
  return ObjectBytes(bytes.begin(), bytes.end());
}

void ObjectCache::store(const CacheKey& key, const ObjectBytes& object) const {
  const std::string name = key.text();
  std::string text = head_of(key, object);
  text += text_of(object);
  write_cache_file(folder_, name.substr(0, 2), name.substr(2), text);
}

void trim_object_cache(const std::string& folder, std::uint64_t limit) {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t all = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    std::error_code gone;
    if (!at->is_regular_file(gone) || !is_entry(at->path())) continue;
    Entry e{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    all += e.bytes;
    entries.push_back(std::move(e));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used != b.used ? a.used < b.used : a.path < b.path; });
  for (const Entry& e : entries) {
    if (all <= limit) return;
    if (fs::remove(e.path, ignored)) all -= e.bytes;
  }
}

}  // namespace byoc::compile
