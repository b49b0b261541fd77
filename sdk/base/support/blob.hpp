// Read-only bytes with shared ownership: a piece of a mapped file, memory of our own, or the elements of either in
// another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/arrangement.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/mapping_guard.hpp"

namespace byoc {

// A whole file mapped read-only (private mapping). The mapping lives as long as one of these does. Who changes the file
// meanwhile changes what is mapped, and what is cut off reads as zeros: whoever made something of it asks
// check_unchanged() for its stamp() at the end. In a program that does not guard its mappings (mapping_guard.hpp), as
// those that use libbyoc, files of up to 64 MiB are copied instead, and what is cut off of larger ones is a SIGBUS.
class MappedFile {
 public:
  // Errors: those of InputFile; it cannot be mapped.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path, Diagnostics&);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] const std::string& path() const { return stamp_.path; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Reads a part of the file, as InputFile::read() does.
  Result<void> read(std::uint64_t offset, std::span<std::byte> to, Diagnostics& diags) const {
    return file_.read(offset, to, diags);
  }
  [[nodiscard]] int fd() const { return file_.fd(); }
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }

 private:
  explicit MappedFile(InputFile file) : file_(std::move(file)), stamp_(file_.stamp()) {}
  Result<void> copy(Diagnostics& diags);
  InputFile file_;
  FileStamp stamp_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::optional<MappingGuard> guard_;
};

// A part of a file that is mapped now.
struct MappedPlace {
  FileStamp stamp;
  std::uint64_t offset = 0;
};
// Where these bytes are mapped from; nullopt if they are of no MappedFile.
[[nodiscard]] std::optional<MappedPlace> mapped_place(std::span<const std::byte> bytes);

class Blob {
 public:
  Blob() = default;
  // Takes the bytes over.
  static Blob own(std::vector<std::byte> bytes);
  // Memory somebody else keeps alive through `owner`.
  static Blob view(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  // [offset, offset + size) of a mapped file; the caller has checked the bounds.
  static Blob map(std::shared_ptr<const MappedFile> file, std::uint64_t offset, std::uint64_t size);

  // The bytes of `source` in the order that `how` describes; it reads nothing beyond `source`.
  static Blob arrange(Blob source, codegen::Arrangement how);

  // The bytes of an arranged blob are made at the first call and kept.
  [[nodiscard]] std::span<const std::byte> bytes() const { return arranged_ == nullptr ? bytes_ : arranged_bytes(); }
  [[nodiscard]] std::size_t size() const { return arranged_ == nullptr ? bytes_.size() : arranged_size(); }
  [[nodiscard]] const std::byte* data() const { return bytes().data(); }
  // The arrangement and its source describe an arranged blob; arrangement() is null for any other. Writers stream from
  // these rather than have all bytes made.
  [[nodiscard]] const codegen::Arrangement* arrangement() const;
  [[nodiscard]] const Blob& arranged_source() const;  // of one that has an arrangement
  // The file it is mapped from, or null. Writers stream from it rather than touch the mapping.
  [[nodiscard]] const MappedFile* file() const { return file_; }
  [[nodiscard]] std::uint64_t file_offset() const { return file_offset_; }
  [[nodiscard]] Blob slice(std::uint64_t offset, std::uint64_t size) const;

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  const MappedFile* file_ = nullptr;
  std::uint64_t file_offset_ = 0;

  struct Arranged;
  [[nodiscard]] std::span<const std::byte> arranged_bytes() const;
  [[nodiscard]] std::size_t arranged_size() const;
  std::shared_ptr<Arranged> arranged_;
};

}  // namespace byoc
