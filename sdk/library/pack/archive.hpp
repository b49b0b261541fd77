// Static libraries in the GNU ar format, the same bytes for the same members.
//
//   "!<arch>\n" | symbol table "/" (or "/SYM64/") | long names "//" | members in the given order
//
// Times, owners and modes are constants. Constants are streamed straight from where they are into their place here.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/object/object_facts.hpp"

namespace byoc {

struct ArchiveMember {
  std::string name;  // file name, "conv.o"; no '/', no control bytes
  std::variant<std::vector<std::byte>, ConstantObject> content;
  std::shared_ptr<const ObjectFacts> facts = {};  // of an object; null: they are read where they are needed
};

struct Definition {
  std::string symbol;
  bool weak = false;  // or common
};

// The definitions of each member that others can see. Errors: a name that is empty, has a '/' or control bytes or is
// there twice; a symbol that two members define (one of them may be weak); a member that is no object.
[[nodiscard]] Result<std::vector<std::vector<Definition>>> check_members(const std::vector<ArchiveMember>& members,
                                                                         Diagnostics&);

class Archive {
 public:
  // Errors: those of check_members; a member of 10 GB or more, which the format cannot say.
  // Beyond `narrow_limit` bytes the symbol table has 64-bit offsets; tests set it lower.
  static Result<Archive> create(std::vector<ArchiveMember> members, Diagnostics&,
                                std::uint64_t narrow_limit = UINT32_MAX);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // The start of a member's bytes in the archive, by index.
  [[nodiscard]] std::uint64_t offset(std::size_t member) const { return offsets_[member]; }
  // Appends exactly size() bytes at the position of `fd`. False with errno set. For OutputSet::add.
  [[nodiscard]] bool write(int fd) const;

 private:
  Archive() = default;
  std::vector<ArchiveMember> members_;
  std::vector<std::string> headers_;    // 60 bytes each
  std::vector<std::uint64_t> offsets_;  // of the bytes after the header
  std::string head_;                    // magic, symbol table, long names
  std::uint64_t size_ = 0;
};

}  // namespace byoc
