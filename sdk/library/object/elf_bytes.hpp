// The pieces of an ELF relocatable that is written directly. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdk/library/object/elf_target.hpp"

namespace byoc::elf {

inline std::uint64_t align_up(std::uint64_t value, std::uint64_t align) { return (value + align - 1) / align * align; }

// Little-endian bytes; `word` has the width of an address in the ELF class.
class Bytes {
 public:
  explicit Bytes(bool wide) : wide_(wide) {}
  Bytes& u8(std::uint64_t v) { return put(v, 1); }
  Bytes& u16(std::uint64_t v) { return put(v, 2); }
  Bytes& u32(std::uint64_t v) { return put(v, 4); }
  Bytes& word(std::uint64_t v) { return put(v, wide_ ? 8 : 4); }
  Bytes& text(std::string_view s) {
    for (char c : s) u8(static_cast<unsigned char>(c));
    return *this;
  }
  Bytes& pad_to(std::uint64_t size) {
    out_.resize(static_cast<std::size_t>(size));
    return *this;
  }
  [[nodiscard]] std::uint64_t size() const { return out_.size(); }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  Bytes& put(std::uint64_t v, int n) {
    for (int i = 0; i < n; ++i) out_.push_back(static_cast<std::byte>(v >> (8 * i) & 0xff));
    return *this;
  }
  bool wide_;
  std::vector<std::byte> out_;
};

// A table of NUL-terminated names; offset 0 is the empty name.
class Strings {
 public:
  std::uint64_t add(const std::string& s) {
    const std::uint64_t at = text_.size();
    text_ += s;
    text_ += '\0';
    return at;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(1, '\0');
};

struct SectionHeader {
  std::uint64_t name = 0;
  std::uint32_t type = 0;
  std::uint64_t flags = 0, offset = 0, size = 0, link = 0, info = 0, align = 0, entry = 0;
};

inline void put_section(Bytes& out, const SectionHeader& s) {
  out.u32(s.name).u32(s.type).word(s.flags).word(0).word(s.offset).word(s.size);
  out.u32(s.link).u32(s.info).word(s.align).word(s.entry);
}

// The header of a little-endian object of `sections` sections, the last of which has their names.
[[nodiscard]] std::vector<std::byte> object_header(const ElfTarget& elf, std::uint64_t section_headers,
                                                   std::size_t sections);

}  // namespace byoc::elf
