#include "sdk/base/support/loaded_code.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/identity.hpp"

namespace byoc {
namespace {

constexpr const char* kProgram = "/proc/self/exe";

struct Loaded {
  std::string path;  // kProgram of the program
  std::string id;    // "": none
};

// A note is three words (sizes of name and content, type), then both, each filled up to a multiple of four: elf(5).
std::string build_id(std::span<const std::byte> notes) {
  constexpr std::string_view kName("GNU\0", 4);
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t name = (head.n_namesz + 3UL) & ~3UL, content = (head.n_descsz + 3UL) & ~3UL;
    if (notes.size() < sizeof head + name + content) return {};
    const auto* text = reinterpret_cast<const char*>(notes.data()) + sizeof head;
    if (head.n_type == NT_GNU_BUILD_ID && std::string_view(text, head.n_namesz) == kName)
      return {text + name, head.n_descsz};
    notes = notes.subspan(sizeof head + name + content);
  }
  return {};
}

int add_loaded(dl_phdr_info* info, std::size_t, void* to) {
  const std::string_view name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (!name.empty() && !name.starts_with('/')) return 0;  // the kernel's own, which is no file
  Loaded out{name.empty() ? kProgram : std::string(name), {}};
  for (const ElfW(Phdr) & p : std::span(info->dlpi_phdr, info->dlpi_phnum))
    if (p.p_type == PT_NOTE && out.id.empty())
      out.id = build_id({reinterpret_cast<const std::byte*>(info->dlpi_addr + p.p_vaddr), p.p_memsz});
  static_cast<std::vector<Loaded>*>(to)->push_back(std::move(out));
  return 0;
}

std::vector<Loaded> loaded_code() {
  std::vector<Loaded> all;
  ::dl_iterate_phdr(add_loaded, &all);
  return all;
}

std::string identity_of(const Loaded& code) {
  std::string id = code.id;
  Diagnostics unreadable;
  if (id.empty())
    if (const auto bytes = read_text(code.path, unreadable)) id = *bytes;
  return to_hex(identify(std::as_bytes(std::span(id))));
}

}  // namespace

std::vector<std::string> identify_loaded_code() {
  std::vector<std::string> out;
  for (const Loaded& code : loaded_code()) out.push_back(identity_of(code));
  std::sort(out.begin(), out.end());
  return out;
}

std::string identify_program() {
  for (const Loaded& code : loaded_code())
    if (code.path == kProgram) return identity_of(code);
  return {};
}

}  // namespace byoc
