// Constants as an ELF relocatable, written directly: no compiler, no assembler, no text.
//
// Everything is laid out first, from sizes alone, so the size of the file is known before a byte is written. Then it is
// streamed: memory does not depend on the size of the constants.
//
//   ELF header | .rodata.<symbol> ... | .note.GNU-stack (hosted targets) | .symtab | .strtab | .shstrtab | headers
//
// One section per content, allocated and never writable, so that the linker's --gc-sections drops what nobody uses.
// For x86-64's medium or large code model, contents that its code reaches with 64-bit offsets are in sections marked as
// large (.lrodata.<symbol>), which linkers place behind everything else. Identical contents of one region are stored
// once, with one symbol for each artifact and the largest alignment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

class ConstantObject {
 public:
  // The place of a constant. `offset` is that of its first byte in this object file.
  struct Place {
    std::string symbol;
    std::string section;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t align = 1;
    bool shared = false;  // an earlier symbol has the same bytes
    bool global = true;
    std::size_t content = 0;  // of contents()
  };
  // A section; several symbols may be of one.
  struct Content {
    Blob bytes;
    std::string section;
    std::uint64_t offset = 0;
    std::uint32_t align = 1;
    std::uint64_t flags = 0;  // SHF_*
    // True for sections of x86-64's medium code model that are out of reach of 32-bit offsets.
    [[nodiscard]] bool is_large() const;
  };

  // Errors: a symbol that is empty or there twice, an alignment that is not a power of two, a region that is no flash
  // pool of the target, contents that cannot be read, more than the ELF class can hold, a target whose objects byoc
  // cannot write. Keeps the blobs.
  static Result<ConstantObject> create(const TargetSpec&, const std::vector<ConstantArtifact>&, Diagnostics&);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // The places in the order of the artifacts.
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const std::vector<Content>& contents() const { return contents_; }
  [[nodiscard]] std::vector<std::string> global_symbols() const;
  // These constants in an object that another program wrote; `offsets` has the start of each content in it.
  // encoded_constants.hpp checks it.
  [[nodiscard]] ConstantObject written_as(Blob object, const std::vector<std::uint64_t>& offsets) const;
  [[nodiscard]] bool is_written_elsewhere() const { return object_.size() != 0; }
  // The identity of a content, as far as it is known: of contents that had to be told apart at once, and of all
  // contents after identify(), or after a write() that was asked for it, which reads the bytes once for both. All
  // copies of this object share them. For an object that another program wrote, the identities known before.
  [[nodiscard]] std::optional<Identity> identity(std::size_t content) const { return (*identities_)[content]; }
  // False with errno set when a content cannot be read.
  [[nodiscard]] bool identify();
  void identify_when_written() { identify_when_written_ = true; }
  // Appends exactly size() bytes at the position of `fd`. False with errno set.
  [[nodiscard]] bool write(int fd) const;

 private:
  ConstantObject() = default;
  friend class ConstantLayout;

  std::vector<Content> contents_;
  std::vector<Place> places_;
  std::shared_ptr<std::vector<std::optional<Identity>>> identities_;
  bool identify_when_written_ = false;
  Blob object_;                  // the whole file, where something else wrote it
  std::vector<std::byte> head_;  // ELF header
  std::vector<std::byte> tail_;  // tables after the contents
  std::uint64_t tail_offset_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace byoc
