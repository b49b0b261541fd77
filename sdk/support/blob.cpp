#include "sdk/support/blob.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

namespace byoc {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path, Diagnostics& diags) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  file->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file->fd_ < 0) return diags.error(path, {}, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat st{};
  if (::fstat(file->fd_, &st) != 0 || !S_ISREG(st.st_mode)) return diags.error(path, {}, "not a regular file");
  file->size_ = static_cast<std::size_t>(st.st_size);
  if (file->size_ != 0) {
    void* p = ::mmap(nullptr, file->size_, PROT_READ, MAP_PRIVATE, file->fd_, 0);
    if (p == MAP_FAILED) return diags.error(path, {}, std::string("cannot be mapped: ") + std::strerror(errno));
    file->data_ = static_cast<const std::byte*>(p);
  }
  return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  if (fd_ >= 0) ::close(fd_);
}

Blob Blob::own(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return view(*owner, owner);
}

Blob Blob::view(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  Blob b;
  b.bytes_ = bytes;
  b.owner_ = std::move(owner);
  return b;
}

Blob Blob::map(std::shared_ptr<const MappedFile> file, std::uint64_t offset, std::uint64_t size) {
  assert(offset <= file->bytes().size() && size <= file->bytes().size() - offset);
  Blob b;
  b.bytes_ = file->bytes().subspan(offset, size);
  b.file_ = file.get();
  b.file_offset_ = offset;
  b.owner_ = std::move(file);
  return b;
}

struct Blob::Arranged {
  Blob source;
  codegen::Arrangement how;
  std::once_flag made;
  std::vector<std::byte> bytes;
};

Blob Blob::arrange(Blob source, codegen::Arrangement how) {
  Blob b;
  b.arranged_ = std::make_shared<Arranged>();
  b.arranged_->source = std::move(source);
  b.arranged_->how = std::move(how);
  return b;
}

std::span<const std::byte> Blob::arranged_bytes() const {
  std::call_once(arranged_->made,
                 [&] { arranged_->bytes = codegen::arranged(arranged_->how, arranged_->source.bytes()); });
  return arranged_->bytes;
}

std::size_t Blob::arranged_size() const { return static_cast<std::size_t>(arranged_->how.bytes()); }
const codegen::Arrangement* Blob::arrangement() const { return arranged_ == nullptr ? nullptr : &arranged_->how; }
const Blob& Blob::arranged_source() const { return arranged_->source; }

Blob Blob::slice(std::uint64_t offset, std::uint64_t size) const {
  assert(offset <= this->size() && size <= this->size() - offset);
  if (arranged_ != nullptr) return view(bytes().subspan(offset, size), arranged_);
  Blob b = *this;
  b.bytes_ = bytes_.subspan(offset, size);
  b.file_offset_ += offset;
  return b;
}

}  // namespace byoc
