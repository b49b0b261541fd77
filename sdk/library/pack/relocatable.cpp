#include "sdk/library/pack/relocatable.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/compile/link_objects.hpp"
#include "sdk/library/object/localise.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/object/stack_note.hpp"

namespace byoc {
namespace {

class Linker {
 public:
  Linker(std::string directory, const std::string& name, Diagnostics& diags)
      : directory_(std::move(directory)), name_(name), diags_(diags) {}

  // Code first, by itself: making names local copies an object, and constants may be large.
  Result<void> run(const std::vector<ArchiveMember>& members, const std::function<bool(std::string_view)>& keep,
                   const std::string& path) {
    std::vector<std::string> code, all;
    for (const ArchiveMember& m : members) {
      const std::string file = write(m);
      if (file.empty()) return failure;
      if (std::holds_alternative<ConstantObject>(m.content))
        all.push_back(file);
      else
        code.push_back(file);
    }
    if (!code.empty()) {
      const std::string linked = directory_ + "/code.o", local = directory_ + "/local.o";
      if (!link_relocatable(code, linked, name_, diags_) || !make_local(linked, local, keep)) return failure;
      all.insert(all.begin(), local);
    }
    return link_relocatable(all, path, name_, diags_);
  }

 private:
  // The path of the member's file; "" after an error. Numbered, because names of members may have any bytes.
  std::string write(const ArchiveMember& m) {
    const std::string path = directory_ + "/" + std::to_string(count_++) + ".o";
    OutputSet files(diags_);
    const auto put = [&](int fd) {
      const auto* bytes = std::get_if<std::vector<std::byte>>(&m.content);
      return bytes ? write_all(fd, *bytes) : std::get<ConstantObject>(m.content).write(fd);
    };
    return files.add(path, put) && files.commit() ? path : std::string();
  }

  Result<void> make_local(const std::string& from, const std::string& to,
                          const std::function<bool(std::string_view)>& keep) {
    auto file = MappedFile::open(from, diags_);
    if (!file) return failure;
    auto object = localise_symbols((*file)->bytes(), keep, name_, diags_);
    OutputSet files(diags_);
    if (!object || !files.add(to, [&](int fd) { return write_all(fd, *object); })) return failure;
    return files.commit();
  }

  std::string directory_;
  const std::string& name_;
  Diagnostics& diags_;
  std::size_t count_ = 0;
};

// LLD writes the note into every relocatable; stack_note.hpp says why bare metal must not have it.
Result<void> drop_stack_note_of(const std::string& path, const std::string& name, Diagnostics& diags) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const off_t size = fd < 0 ? -1 : ::lseek(fd, 0, SEEK_END);
  void* bytes = size <= 0 ? MAP_FAILED
                          : ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int reason = errno;
  if (fd >= 0) ::close(fd);
  if (bytes == MAP_FAILED) return diags.error(name, {}, std::string("cannot be written: ") + std::strerror(reason));
  drop_stack_note({static_cast<std::byte*>(bytes), static_cast<std::size_t>(size)});
  ::munmap(bytes, static_cast<std::size_t>(size));
  return {};
}

}  // namespace

Result<void> write_relocatable(const std::vector<ArchiveMember>& members, const TargetSpec& target,
                               const std::function<bool(std::string_view)>& keep, const std::string& path,
                               const std::string& name, Diagnostics& diags) {
  if (!check_members(members, diags)) return failure;
  auto directory = TemporaryDirectory::create(diags);
  if (!directory || !Linker(directory->path(), name, diags).run(members, keep, path)) return failure;
  if (!target.hosted && !drop_stack_note_of(path, name, diags)) return failure;
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  auto facts = read_object_facts((*file)->bytes(), name, diags);
  if (!facts) return failure;
  return check_object(*facts, target, name, diags);
}

}  // namespace byoc
