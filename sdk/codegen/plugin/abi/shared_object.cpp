#include "sdk/codegen/plugin/abi/shared_object.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "byoc/abi/abi.h"
#include "sdk/base/support/blob.hpp"

namespace byoc::plugin {
namespace {

using Header = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);
using Dynamic = ElfW(Dyn);

// The machine that this program was compiled for.
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr unsigned kMachine = EM_RISCV;
#else
constexpr unsigned kMachine = EM_NONE;
#endif

// Bounds-checked reading of a file that anybody may have made.
class Elf {
 public:
  explicit Elf(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  bool read(std::uint64_t offset, T& out) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(&out, bytes_.data() + offset, sizeof(T));
    return true;
  }

  // The text that starts at `index` of a string table; false if it does not end in it.
  bool text(const Section& table, std::uint64_t index, std::string& out) const {
    if (index >= table.sh_size || table.sh_offset > bytes_.size() || table.sh_size > bytes_.size() - table.sh_offset)
      return false;
    const char* start = reinterpret_cast<const char*>(bytes_.data() + table.sh_offset + index);
    const void* end = std::memchr(start, 0, static_cast<std::size_t>(table.sh_size - index));
    if (end == nullptr) return false;
    out.assign(start, static_cast<const char*>(end));
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
};

bool read_sections(const Elf& elf, const Header& header, std::vector<Section>& out) {
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Section)) return false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Section s;
    if (!elf.read(header.e_shoff + std::uint64_t{i} * sizeof(Section), s)) return false;
    out.push_back(s);
  }
  return true;
}

const Section* versions_of(const std::vector<Section>& sections) {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [](const Section& s) { return s.sh_type == SHT_GNU_versym; });
  return found == sections.end() ? nullptr : &*found;
}

// `versions` is the section with a version for each symbol, or null.
bool read_symbols(const Elf& elf, const Section& table, const Section& names, const Section* versions,
                  SharedObjectSymbols& out) {
  for (std::uint64_t i = 1; i < table.sh_size / sizeof(Symbol); ++i) {
    Symbol s;
    std::string name;
    if (!elf.read(table.sh_offset + i * sizeof(Symbol), s) || !elf.text(names, s.st_name, name)) return false;
    const unsigned binding = s.st_info >> 4;
    const unsigned visibility = s.st_other & 3u;
    if (s.st_shndx == SHN_UNDEF) {
      if (binding != STB_GLOBAL) continue;
      out.undefined.push_back(name);
      std::uint16_t version = VER_NDX_GLOBAL;
      if (versions != nullptr && !elf.read(versions->sh_offset + i * sizeof version, version)) return false;
      if (version <= VER_NDX_GLOBAL) out.unversioned.push_back(name);
    } else if (binding != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED)) {
      out.exported.push_back(name);
    }
  }
  return true;
}

bool read_needed(const Elf& elf, const Section& table, const Section& names, SharedObjectSymbols& out) {
  for (std::uint64_t i = 0; i < table.sh_size / sizeof(Dynamic); ++i) {
    Dynamic d;
    std::string name;
    if (!elf.read(table.sh_offset + i * sizeof(Dynamic), d)) return false;
    if (d.d_tag == DT_NULL) break;
    if (d.d_tag != DT_NEEDED) continue;
    if (!elf.text(names, d.d_un.d_val, name)) return false;
    out.needed.push_back(name);
  }
  return true;
}

// A symbol that a sanitizer's runtime defines and that instrumented code refers to.
struct Sanitizer {
  const char* name;
  const char* option;
  std::string_view symbol;  // begins with
};
constexpr Sanitizer kSanitizers[] = {{"AddressSanitizer", "address", "__asan_init"},
                                     {"ThreadSanitizer", "thread", "__tsan_init"},
                                     {"MemorySanitizer", "memory", "__msan_init"},
                                     {"HWAddressSanitizer", "hwaddress", "__hwasan_init"},
                                     {"DataFlowSanitizer", "dataflow", "__dfsan_"}};
constexpr std::string_view kUndefinedBehaviour = "__ubsan_handle_";

#if defined(_LIBCPP_VERSION)
constexpr const char* kOtherRuntime = "libstdc++.so";
constexpr const char* kRuntime = "libc++";
#else
constexpr const char* kOtherRuntime = "libc++.so";
constexpr const char* kRuntime = "libstdc++";
#endif

bool is_of(const std::string& symbol, const char* space) { return symbol.find(space) != std::string::npos; }
bool is_byoc(const std::string& symbol) { return symbol.starts_with("byoc_") || is_of(symbol, "N4byoc"); }
bool is_llvm(const std::string& symbol) {
  return symbol.starts_with("LLVM") || is_of(symbol, "N4llvm") || is_of(symbol, "N5clang");
}

// The first few names of a list that may be long.
std::string some(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > kShown) out += " and " + std::to_string(names.size() - kShown) + " more";
  return out;
}

template <class F>
std::vector<std::string> those(const std::vector<std::string>& names, const F& which) {
  std::vector<std::string> out;
  std::copy_if(names.begin(), names.end(), std::back_inserter(out), which);
  return out;
}

// A sanitizer's runtime ends the process unless it is loaded first.
Result<void> check_sanitizers(const SharedObjectSymbols& symbols, const std::string& path, const InProcess& in_process,
                              Diagnostics& diags) {
  for (const Sanitizer& s : kSanitizers)
    for (const auto* list : {&symbols.undefined, &symbols.exported})
      for (const std::string& symbol : *list)
        if (symbol.starts_with(s.symbol) && !in_process(symbol))
          return diags.error(path, {}, "plug-in cannot be used: it is built with another sanitizer than byoc",
                             std::string(s.name) + ", which byoc does not have",
                             "a plug-in without -fsanitize=" + std::string(s.option) + ", or a byoc with it");
  const auto comes_along = [](const std::string& needed) { return needed.find("ubsan") != std::string::npos; };
  if (std::any_of(symbols.needed.begin(), symbols.needed.end(), comes_along)) return {};
  for (const std::string& symbol : symbols.undefined)
    if (symbol.starts_with(kUndefinedBehaviour) && !in_process(symbol))
      return diags.error(path, {}, "plug-in cannot be used: it is built with another sanitizer than byoc",
                         "UndefinedBehaviorSanitizer, whose runtime it does not bring along",
                         "a plug-in without -fsanitize=undefined, or with -fsanitize-trap=undefined");
  return {};
}

// Symbols of C++ have no versions that would keep two runtimes apart: exceptions of one would be caught by the other.
Result<void> check_runtime(const SharedObjectSymbols& symbols, const std::string& path, Diagnostics& diags) {
  for (const std::string& needed : symbols.needed)
    if (needed.starts_with(kOtherRuntime))
      return diags.error(path, {}, "plug-in cannot be used: it needs another C++ runtime than byoc", needed,
                         std::string(kRuntime) +
                             ", or one that is linked into it and hidden: -static-libstdc++ "
                             "-Wl,--exclude-libs,ALL");
  return {};
}

}  // namespace

Result<SharedObjectSymbols> read_shared_object(const std::string& path, Diagnostics& diags) {
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  const Elf elf((*file)->bytes());
  Header header;
  if (!elf.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN)
    return diags.error(path, {}, "plug-in cannot be used: it is no shared object");
  if (header.e_machine != kMachine || header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32))
    return diags.error(path, {}, "plug-in cannot be used: it was built for another machine",
                       "ELF machine " + std::to_string(header.e_machine), std::to_string(kMachine));
  std::vector<Section> sections;
  SharedObjectSymbols out;
  bool ok = read_sections(elf, header, sections);
  bool found = false;
  for (const Section& s : sections) {
    if (s.sh_type != SHT_DYNSYM && s.sh_type != SHT_DYNAMIC) continue;
    ok = ok && s.sh_link < sections.size();
    if (!ok) break;
    found = found || s.sh_type == SHT_DYNSYM;
    ok = s.sh_type == SHT_DYNSYM ? read_symbols(elf, s, sections[s.sh_link], versions_of(sections), out)
                                 : read_needed(elf, s, sections[s.sh_link], out);
    if (!ok) break;
  }
  if (!ok || !found) return diags.error(path, {}, "plug-in cannot be used: it is damaged or has no dynamic symbols");
  std::sort(out.exported.begin(), out.exported.end());
  std::sort(out.undefined.begin(), out.undefined.end());
  std::sort(out.unversioned.begin(), out.unversioned.end());
  return out;
}

Result<void> check_runtimes(const SharedObjectSymbols& symbols, const std::string& path, const InProcess& in_process,
                            Diagnostics& diags) {
  if (!check_sanitizers(symbols, path, in_process, diags)) return failure;
  return check_runtime(symbols, path, diags);
}

Result<void> check_symbols(const SharedObjectSymbols& symbols, const std::string& path, Diagnostics& diags) {
  constexpr const char* kHide = "nothing else of byoc's: compile with -fvisibility=hidden -fvisibility-inlines-hidden";
  bool ok = true;
  const std::vector<std::string> own = those(symbols.exported, is_byoc);
  if (std::find(own.begin(), own.end(), BYOC_PLUGIN_QUERY_SYMBOL) == own.end()) {
    ok = false;
    diags.error(path, {}, "plug-in cannot be used: it does not export its query function",
                own.empty() ? "no symbol of byoc's" : some(own), BYOC_PLUGIN_QUERY_SYMBOL);
  } else if (own.size() != 1) {
    ok = false;
    diags.error(path, {}, "plug-in cannot be used: it exports more than its query function",
                some(those(own, [](const std::string& s) { return s != BYOC_PLUGIN_QUERY_SYMBOL; })), kHide);
  }
  const std::vector<std::string> llvm = those(symbols.exported, is_llvm);
  if (!llvm.empty()) {
    ok = false;
    diags.error(path, {},
                "plug-in cannot be used: it exports symbols of LLVM, which could get mixed up with the host's",
                some(llvm), "none: link LLVM statically with -Wl,--exclude-libs,ALL");
  }
  const std::vector<std::string> expected = those(symbols.undefined, is_llvm);
  const bool brings = std::any_of(symbols.needed.begin(), symbols.needed.end(), [](const std::string& s) {
    return s.starts_with("libLLVM") || s.starts_with("libclang");
  });
  if (!expected.empty() && !brings) {
    ok = false;
    diags.error(path, {}, "plug-in cannot be used: it expects symbols of LLVM and does not bring them along",
                some(expected));
  }
  const std::vector<std::string> anybodys = those(symbols.unversioned, is_llvm);
  if (brings && !anybodys.empty()) {
    ok = false;
    diags.error(path, {},
                "plug-in cannot be used: it expects symbols of LLVM without a version, which the host's would answer",
                some(anybodys), "those of an LLVM whose symbols have versions, or one that is linked statically");
  }
  if (!ok) return failure;
  return {};
}

}  // namespace byoc::plugin
