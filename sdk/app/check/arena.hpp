// Memory that a plug-in is shown: pages of its own, so that writing to it, and reading it after the call that it was
// shown in, is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "byoc/abi/abi.h"
#include "sdk/app/check/findings.hpp"

namespace byoc::check {

// Options of a check's arenas.
struct Showing {
  bool guarded = false;    // read-only during the call, gone afterwards
  std::uint32_t tail = 0;  // bytes of junk behind every struct that may grow, as of a host that is newer
};

class Arena {
 public:
  // `name`: what the memory was given to, for the blame: "verdicts". Guarded arenas are watched from now on.
  Arena(const Showing& showing, const char* name);
  // The pages are kept: of a guarded arena without access, so that nothing else appears in their place; of others as
  // they are, so that one check alone finds who uses them.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void seal();    // nobody writes any more
  void retire();  // nobody reads any more

  void* allocate(std::size_t size, std::size_t align);

  // A struct of the ABI, with the size that the host is to have.
  template <class T>
  T* put(T from) {
    auto* at = static_cast<std::byte*>(allocate(sizeof(T) + showing_.tail, alignof(T)));
    from.struct_size = static_cast<std::uint32_t>(sizeof(T) + showing_.tail);
    std::memcpy(at, &from, sizeof(T));
    std::memset(at + sizeof(T), 0xa5, showing_.tail);
    return reinterpret_cast<T*>(at);
  }
  template <class T>
  T* list(const T* from, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return nullptr;
    auto* to = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    std::memcpy(to, from, count * sizeof(T));
    return to;
  }
  byoc_string_t text(byoc_string_t s) { return {list(s.data, static_cast<std::size_t>(s.size)), s.size}; }
  byoc_string_t* texts(const byoc_string_t* from, std::size_t count);

  // Deep copies of what the host made.
  const byoc_region_t* copy(const byoc_region_t& region);
  const byoc_target_t* copy(const byoc_target_t& target);

  // Blames the death by a fault in a guarded arena on its reader or writer.
  static void watch(Stage& stage);

 private:
  struct Block {
    std::byte* start;
    std::size_t size;
    std::size_t used;
  };
  const byoc_value_t* copy(const byoc_value_t& value);
  const byoc_node_t* copy(const byoc_node_t& node);

  Showing showing_;
  const char* name_;
  std::vector<Block> blocks_;
};

}  // namespace byoc::check
