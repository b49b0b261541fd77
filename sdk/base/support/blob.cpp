#include "sdk/base/support/blob.hpp"

#include <sys/mman.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace byoc {

namespace {

// Larger files are mapped where nobody guards mappings, too; in bytes.
constexpr std::size_t kMostCopied = std::size_t{64} << 20;

// Every mapped file, by its first byte.
struct Mapped {
  std::mutex mutex;
  std::map<const std::byte*, const MappedFile*> files;
};

// Never destroyed: static objects may have mapped files.
Mapped& mapped() {
  static Mapped& one = *new Mapped;
  return one;
}

}  // namespace

// Into pages of our own, which nobody can cut off.
Result<void> MappedFile::copy(Diagnostics& diags) {
  void* p = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return diags.error(path(), {}, std::string("cannot be read: ") + std::strerror(errno));
  data_ = static_cast<const std::byte*>(p);
  return file_.read(0, {static_cast<std::byte*>(p), size_}, diags);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path, Diagnostics& diags) {
  auto opened = InputFile::open(path, diags);
  if (!opened) return failure;
  std::shared_ptr<MappedFile> file(new MappedFile(std::move(*opened)));
  file->size_ = static_cast<std::size_t>(file->stamp().size);
  if (file->size_ != 0 && !guards_mappings() && file->size_ <= kMostCopied) {
    if (!file->copy(diags)) return failure;
  } else if (file->size_ != 0) {
    void* p = ::mmap(nullptr, file->size_, PROT_READ, MAP_PRIVATE, file->fd(), 0);
    if (p == MAP_FAILED) return diags.error(path, {}, std::string("cannot be mapped: ") + std::strerror(errno));
    file->data_ = static_cast<const std::byte*>(p);
    file->stamp_.lost = std::make_shared<std::atomic<bool>>(false);
    file->guard_.emplace(file->data_, file->size_, *file->stamp_.lost);
  }
  if (file->size_ != 0) {
    const std::lock_guard lock(mapped().mutex);
    mapped().files[file->data_] = file.get();
  }
  return std::shared_ptr<const MappedFile>(std::move(file));
}

std::optional<MappedPlace> mapped_place(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mapped().mutex);
  auto next = mapped().files.upper_bound(bytes.data());
  if (next == mapped().files.begin()) return std::nullopt;
  const MappedFile& file = *std::prev(next)->second;
  const auto offset = static_cast<std::uint64_t>(bytes.data() - file.bytes().data());
  if (offset > file.bytes().size() || bytes.size() > file.bytes().size() - offset) return std::nullopt;
  return MappedPlace{file.stamp(), offset};
}

MappedFile::~MappedFile() {
  guard_.reset();
  if (data_ != nullptr) {
    const std::lock_guard lock(mapped().mutex);
    if (const auto at = mapped().files.find(data_); at != mapped().files.end() && at->second == this)
      mapped().files.erase(at);
  }
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
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
