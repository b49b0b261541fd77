#include "sdk/library/object/verify_image.hpp"

#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <map>
#include <set>

#include "sdk/base/support/file_kind.hpp"
#include "sdk/base/support/identity.hpp"

namespace byoc {
namespace {

namespace object = llvm::object;

// A piece of the image in memory, with its bytes in the file (empty for NOBITS).
struct Section {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool writable = false;
  bool has_contents = false;
  std::span<const std::byte> bytes;
};

struct Segment {
  std::uint64_t run_address = 0, load_address = 0, size = 0;
};

struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

// The parts of an image that verification needs, for any ELF class and byte order.
struct Image {
  std::vector<Section> sections;  // allocated ones
  std::vector<Segment> segments;
  std::map<std::string, Symbol, std::less<>> symbols;  // global and weak definitions
  std::vector<std::uint64_t> relocated;                // addresses, sorted
  bool linked = false;                                 // not a relocatable
};

template <class ELFT>
llvm::Error read_sections(const object::ELFFile<ELFT>& file, Image& image) {
  auto sections = file.sections();
  if (!sections) return sections.takeError();
  for (const auto& s : *sections) {
    if ((s.sh_flags & llvm::ELF::SHF_ALLOC) == 0) continue;
    auto name = file.getSectionName(s);
    if (!name) return name.takeError();
    Section out{
        name->str(), s.sh_addr, s.sh_size, (s.sh_flags & llvm::ELF::SHF_WRITE) != 0, s.sh_type != llvm::ELF::SHT_NOBITS,
        {}};
    if (out.has_contents) {
      auto bytes = file.getSectionContents(s);
      if (!bytes) return bytes.takeError();
      out.bytes = std::as_bytes(std::span(bytes->data(), bytes->size()));
    }
    image.sections.push_back(std::move(out));
  }
  return llvm::Error::success();
}

template <class ELFT>
llvm::Error read_symbols(const object::ELFFile<ELFT>& file, Image& image) {
  auto sections = file.sections();
  if (!sections) return sections.takeError();
  for (const auto& s : *sections) {
    if (s.sh_type != llvm::ELF::SHT_SYMTAB && s.sh_type != llvm::ELF::SHT_DYNSYM) continue;
    auto symbols = file.symbols(&s);
    if (!symbols) return symbols.takeError();
    auto strings = file.getStringTableForSymtab(s);
    if (!strings) return strings.takeError();
    for (const auto& symbol : *symbols) {
      if (symbol.isUndefined() || symbol.getBinding() == llvm::ELF::STB_LOCAL) continue;
      auto name = symbol.getName(*strings);
      if (!name) return name.takeError();
      image.symbols.try_emplace(name->str(), Symbol{symbol.st_value, symbol.st_size});
    }
  }
  return llvm::Error::success();
}

template <class ELFT>
llvm::Error read_relocations(const object::ELFFile<ELFT>& file, Image& image) {
  auto sections = file.sections();
  if (!sections) return sections.takeError();
  for (const auto& s : *sections) {
    if (s.sh_type == llvm::ELF::SHT_REL) {
      auto rels = file.rels(s);
      if (!rels) return rels.takeError();
      for (const auto& r : *rels) image.relocated.push_back(r.r_offset);
    } else if (s.sh_type == llvm::ELF::SHT_RELA) {
      auto relas = file.relas(s);
      if (!relas) return relas.takeError();
      for (const auto& r : *relas) image.relocated.push_back(r.r_offset);
    }
  }
  std::sort(image.relocated.begin(), image.relocated.end());
  return llvm::Error::success();
}

template <class ELFT>
llvm::Error read(const object::ELFFile<ELFT>& file, Image& image) {
  image.linked = file.getHeader().e_type != llvm::ELF::ET_REL;
  auto segments = file.program_headers();
  if (!segments) return segments.takeError();
  for (const auto& p : *segments)
    if (p.p_type == llvm::ELF::PT_LOAD) image.segments.push_back({p.p_vaddr, p.p_paddr, p.p_memsz});
  if (llvm::Error error = read_sections(file, image)) return error;
  if (llvm::Error error = read_symbols(file, image)) return error;
  return read_relocations(file, image);
}

llvm::Error read(std::span<const std::byte> bytes, Image& image) {
  const llvm::MemoryBufferRef buffer({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "");
  auto file = object::ObjectFile::createELFObjectFile(buffer);
  if (!file) return file.takeError();
  if (const auto* f = llvm::dyn_cast<object::ELF32LEObjectFile>(file->get())) return read(f->getELFFile(), image);
  if (const auto* f = llvm::dyn_cast<object::ELF64LEObjectFile>(file->get())) return read(f->getELFFile(), image);
  if (const auto* f = llvm::dyn_cast<object::ELF32BEObjectFile>(file->get())) return read(f->getELFFile(), image);
  return read(llvm::cast<object::ELF64BEObjectFile>(file->get())->getELFFile(), image);
}

// [at, at + size) within [from, from + length), without overflow.
bool within(std::uint64_t at, std::uint64_t size, std::uint64_t from, std::uint64_t length) {
  return at >= from && size <= length && at - from <= length - size;
}

std::string hex(std::uint64_t v) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return text;
}

class Verification {
 public:
  Verification(const Image& image, const std::string& name, Diagnostics& diags)
      : image_(image), name_(name), diags_(diags) {}

  void check(const ExpectedConstant& c) {
    const auto found = image_.symbols.find(c.symbol);
    if (found == image_.symbols.end() && c.may_be_dropped) return;
    if (found == image_.symbols.end()) {
      error(c, "the image does not define this constant", image_.symbols.empty() ? "no symbol table" : "no such symbol",
            "a symbol of " + std::to_string(c.size) + " bytes; verify before symbols are stripped");
      return;
    }
    const Symbol& symbol = found->second;
    if (symbol.size != c.size)
      error(c, "the symbol has another size", std::to_string(symbol.size) + " bytes",
            std::to_string(c.size) + " bytes");
    if (c.align > 1 && symbol.address % c.align != 0)
      error(c, "the constant is not aligned", hex(symbol.address), "a multiple of " + std::to_string(c.align));
    const Section* section = section_of(symbol.address, c.size);
    if (section == nullptr) {
      error(c, "the constant lies in no section of the image", hex(symbol.address), "a read-only section");
      return;
    }
    if (section->writable)
      error(c, "the constant lies in a writable section", section->name, "a read-only section, in flash");
    if (!section->has_contents) {
      error(c, "the constant lies in a section without contents", section->name, "a read-only section, in flash");
      return;
    }
    check_load_address(c, symbol, *section);
    const auto bytes = section->bytes.subspan(static_cast<std::size_t>(symbol.address - section->address),
                                              static_cast<std::size_t>(c.size));
    if (const std::string hash = to_hex(identify(bytes)); hash != c.xxh3_128)
      error(c, "the constant has other bytes than were exported", "xxh3_128 " + hash, c.xxh3_128);
    else
      check_copies(c, bytes);
    const auto patched = std::lower_bound(image_.relocated.begin(), image_.relocated.end(), symbol.address);
    if (patched != image_.relocated.end() && *patched < symbol.address + c.size)
      error(c, "a relocation changes the constant when it is loaded", hex(*patched), "none");
    count(c, symbol);
    found_.places.push_back({c.symbol, symbol.address, c.size, c.xxh3_128});
  }

  ImageConstants take() { return std::move(found_); }

 private:
  [[nodiscard]] const Section* section_of(std::uint64_t address, std::uint64_t size) const {
    for (const Section& s : image_.sections)
      if (within(address, size, s.address, s.size)) return &s;
    return nullptr;
  }

  void check_load_address(const ExpectedConstant& c, const Symbol& symbol, const Section& section) {
    for (const Segment& s : image_.segments) {
      if (!within(symbol.address, c.size, s.run_address, s.size)) continue;
      if (s.load_address != s.run_address)
        error(
            c, "the constant is copied to where it runs (" + section.name + ")",
            "loaded at " + hex(s.load_address + (symbol.address - s.run_address)) + ", runs at " + hex(symbol.address),
            "loaded where it runs");
      return;
    }
    error(c, "no loaded segment holds the constant (" + section.name + ")", hex(symbol.address), "a PT_LOAD segment");
  }

  // A startup that copies, or a table that was made writable, leaves the bytes in a section of initialised data.
  void check_copies(const ExpectedConstant& c, std::span<const std::byte> bytes) {
    constexpr std::size_t kLeast = 32;  // fewer bytes, or all the same, stand in many places by chance
    if (bytes.size() < kLeast || std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == bytes[0]; }))
      return;
    for (const Section& s : image_.sections) {
      if (!s.writable) continue;
      const auto at = std::search(s.bytes.begin(), s.bytes.end(), bytes.begin(), bytes.end());
      if (at != s.bytes.end())
        error(c, "a writable section holds a copy of the constant",
              s.name + " at " + hex(s.address + static_cast<std::uint64_t>(at - s.bytes.begin())), "flash alone");
    }
  }

  void count(const ExpectedConstant& c, const Symbol& symbol) {
    auto& regions = found_.regions;
    auto use = std::ranges::find(regions, c.region, &RegionUse::region);
    if (use == regions.end()) use = regions.insert(regions.end(), {c.region, 0, 0});
    ++use->constants;
    if (counted_.insert(symbol.address).second) use->bytes += c.size;
  }

  void error(const ExpectedConstant& c, std::string message, std::string found, std::string expected) {
    diags_.error(name_, c.symbol, std::move(message), std::move(found), std::move(expected));
  }

  const Image& image_;
  const std::string& name_;
  Diagnostics& diags_;
  ImageConstants found_;
  std::set<std::uint64_t> counted_;  // addresses
};

}  // namespace

Result<ImageConstants> verify_image(std::span<const std::byte> bytes, const std::string& name,
                                    std::span<const ExpectedConstant> constants, Diagnostics& diags) {
  Image image;
  if (llvm::Error error = read(bytes, image)) {
    const std::string why = llvm::toString(std::move(error));
    const FileKind kind = kind_of_start(bytes);
    const bool is_elf = kind == FileKind::object || kind == FileKind::program || kind == FileKind::shared_library;
    return diags.error(name, {}, "is no readable ELF image", is_elf ? why : found_kind(kind),
                       "a linked ELF file; --dump takes what is in flash");
  }
  if (!image.linked)
    return diags.error(name, {}, "is an object that is not linked yet", "a relocatable", "a linked ELF file");
  const std::size_t before = diags.count();
  Verification verification(image, name, diags);
  for (const ExpectedConstant& c : constants) verification.check(c);
  if (diags.count() != before) return failure;
  return verification.take();
}

Result<void> verify_memory(std::span<const std::byte> memory, std::uint64_t address, const std::string& name,
                           std::span<const PlacedConstant> places, Diagnostics& diags) {
  const std::size_t before = diags.count();
  for (const PlacedConstant& p : places) {
    if (!within(p.address, p.size, address, memory.size())) {
      diags.error(name, p.symbol, "the memory does not reach to the constant",
                  hex(address) + " to " + hex(address + memory.size()),
                  hex(p.address) + " to " + hex(p.address + p.size));
      continue;
    }
    const auto bytes = memory.subspan(static_cast<std::size_t>(p.address - address), static_cast<std::size_t>(p.size));
    if (const std::string hash = to_hex(identify(bytes)); hash != p.xxh3_128)
      diags.error(name, p.symbol, "the memory has other bytes than the image at " + hex(p.address), "xxh3_128 " + hash,
                  p.xxh3_128);
  }
  return diags.count() == before ? Result<void>() : failure;
}

}  // namespace byoc
