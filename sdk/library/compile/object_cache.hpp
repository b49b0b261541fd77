// Objects of earlier compilations in a folder, under a hash of all their inputs.
//
// Several processes may use one folder at a time, on a network file system too, and it may be removed while it is not
// in use. Keys are of contents alone: no path, size or time of this machine is in them. An object that cannot be
// written is not kept; a damaged one is made anew, with a warning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sdk/library/compile/compiler.hpp"

namespace byoc::compile {

// Hash of a list of things, in order.
class CacheKey {
 public:
  CacheKey& add(std::string_view text);
  // Adds the content of a file of the machine; "none" if it cannot be read.
  CacheKey& add_file(const std::string& path);
  [[nodiscard]] std::string text() const;

 private:
  std::string all_;
};

class ObjectCache {
 public:
  // `folder` "": keeps nothing. Errors: one that cannot be made.
  static Result<ObjectCache> open(const std::string& folder, Diagnostics&);

  [[nodiscard]] bool on() const { return !folder_.empty(); }
  // Warning: an entry is damaged, which is then none.
  [[nodiscard]] std::optional<ObjectBytes> find(const CacheKey& key, Diagnostics&) const;
  void store(const CacheKey& key, const ObjectBytes& object) const;
  // The object of `key`, made by `make` if there is none. Diagnostics must appear each time, so an object with warnings
  // is not kept, nor one for which `silent` afterwards says that there was more to report.
  template <class Make, class Silent>
  Result<ObjectBytes> get(const CacheKey& key, Diagnostics& diags, const Make& make, const Silent& silent) const {
    if (!on()) return make(diags);
    if (auto kept = find(key, diags)) return std::move(*kept);
    Diagnostics own;
    auto object = make(own);
    for (const Diagnostic& d : own.all()) diags.add(d);
    if (object && own.all().empty() && silent()) store(key, *object);
    return object;
  }
  template <class Make>
  Result<ObjectBytes> get(const CacheKey& key, Diagnostics& diags, const Make& make) const {
    return get(key, diags, make, [] { return true; });
  }

 private:
  explicit ObjectCache(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::string path_of(const CacheKey& key) const;

  std::string folder_;
};

// Removes entries until the folder takes `limit` bytes at most, those first that were used least lately. Another
// process may use it meanwhile. Nothing happens where there is no such folder.
void trim_object_cache(const std::string& folder, std::uint64_t limit);

}  // namespace byoc::compile
