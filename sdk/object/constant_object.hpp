// Constants as an ELF relocatable, written directly: no compiler, no assembler, no text.
//
// Everything is laid out first, from sizes alone, so the size of the file is known before a byte is written. Then it is
// streamed: memory does not depend on the size of the constants.
//
//   ELF header | .rodata.<symbol> ... | .note.GNU-stack (hosted targets) | .symtab | .strtab | .shstrtab | headers
//
// One section per content, allocated and never writable, so that the linker's --gc-sections drops what nobody uses.
// Identical contents of one region are stored once, with one symbol for each artifact and the largest alignment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/module/module.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

class ConstantObject {
 public:
  // Where a constant went. `offset` is of its first byte in this object file.
  struct Place {
    std::string symbol;
    std::string section;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t align = 1;
    bool shared = false;  // an earlier symbol has the same bytes
  };

  // Errors: a symbol that is empty or there twice, an alignment that is not a power of two, a region that is no flash
  // pool of the target, contents that cannot be read, more than the ELF class can hold, a target whose objects byoc
  // cannot write. Keeps the blobs.
  static Result<ConstantObject> create(const TargetSpec&, const std::vector<ConstantArtifact>&, Diagnostics&);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // In the order of the artifacts.
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] std::vector<std::string> global_symbols() const;
  // Appends exactly size() bytes at the position of `fd`. False with errno set.
  [[nodiscard]] bool write(int fd) const;

 private:
  struct Content {
    Blob bytes;
    std::string section;
    std::uint64_t offset = 0;
    std::uint32_t align = 1;
  };
  ConstantObject() = default;
  friend class ConstantLayout;

  std::vector<Content> contents_;
  std::vector<Place> places_;
  std::vector<bool> global_;     // by artifact
  std::vector<std::byte> head_;  // ELF header
  std::vector<std::byte> tail_;  // tables after the contents
  std::uint64_t tail_offset_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace byoc
