#include "sdk/library/object/constant_object.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "sdk/base/support/file.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/object/elf_bytes.hpp"
#include "sdk/library/object/elf_target.hpp"

namespace byoc {

using elf::align_up, elf::Bytes, elf::put_section, elf::SectionHeader, elf::Strings;

namespace {

constexpr std::uint64_t kShfX8664Large = 0x10000000;  // System V ABI, AMD64 supplement; <elf.h> has no name for it

}  // namespace

// Finds contents that are the same bytes, reading as little as tells them apart: nothing of those that are the same
// piece of memory or file, the start of others of one size, and all of those that start alike.
class SameContents {
 public:
  explicit SameContents(const std::vector<ConstantObject::Content>& contents) : contents_(contents) {}

  // Sets `content` to an earlier one of the region with these bytes; where there is none, it stays, and is that of the
  // bytes. False with errno set when something cannot be read.
  bool find(const std::string& region, const Blob& bytes, std::size_t& content) {
    const Blob& origin = bytes.arrangement() == nullptr ? bytes : bytes.arranged_source();
    auto& of_origin = by_origin_[{region, origin.data()}];
    for (const std::size_t c : of_origin) {
      if (!is_same(bytes, contents_[c].bytes)) continue;
      content = c;
      return true;
    }
    std::vector<std::byte> start(std::min<std::size_t>(bytes.size(), 4096) / 8 * 8);
    if (!read_start(bytes, start)) return false;
    auto& alike = by_start_[{region, bytes.size(), identify(start)}];
    std::optional<std::size_t> equal;
    if (!find_equal(bytes, alike, content, equal)) return false;
    if (equal)
      content = *equal;
    else
      alike.push_back(content);
    of_origin.push_back(content);
    return true;
  }

  // The identities of those contents for which they were needed.
  [[nodiscard]] const std::map<std::size_t, Identity>& identities() const { return identities_; }

 private:
  // Among contents that start alike; `own` is what the bytes become if there is none.
  bool find_equal(const Blob& bytes, const std::vector<std::size_t>& alike, std::size_t own,
                  std::optional<std::size_t>& out) {
    if (alike.empty()) return true;
    Identity identity;
    if (!identify_blob(bytes, identity)) return false;
    for (const std::size_t c : alike) {
      if (!identities_.contains(c) && !identify_blob(contents_[c].bytes, identities_[c])) return false;
      bool equal = false;
      if (identities_[c] == identity && !compare_blobs(bytes, contents_[c].bytes, equal)) return false;
      if (equal) {
        out = c;
        return true;
      }
    }
    identities_[own] = identity;
    return true;
  }

  const std::vector<ConstantObject::Content>& contents_;
  std::map<std::pair<std::string, const std::byte*>, std::vector<std::size_t>> by_origin_;
  std::map<std::tuple<std::string, std::size_t, Identity>, std::vector<std::size_t>> by_start_;
  std::map<std::size_t, Identity> identities_;
};

// Builds a ConstantObject step by step.
class ConstantLayout {
 public:
  ConstantLayout(const TargetSpec& target, const ElfTarget& elf, const std::vector<ConstantArtifact>& artifacts,
                 Diagnostics& diags)
      : target_(target), elf_(elf), artifacts_(artifacts), diags_(diags) {}

  Result<ConstantObject> run() {
    if (!check() || !merge()) return failure;
    place();
    build_tables();
    if (!elf_.wide && out_.size_ > UINT32_MAX)
      return diags_.error({}, target_.name, "the constants do not fit into a 32-bit object",
                          std::to_string(out_.size_) + " bytes", "less than 4 GiB");
    return std::move(out_);
  }

 private:
  bool check() {
    const std::size_t before = diags_.count();
    // Section numbers from 0xff00 on have other meanings, and five sections are not constants.
    if (artifacts_.size() > 65000)
      diags_.error({}, target_.name, "there are too many constants for one object", std::to_string(artifacts_.size()),
                   "at most 65000");
    std::set<std::string> symbols;
    for (const ConstantArtifact& a : artifacts_) {
      if (a.symbol.empty())
        diags_.error({}, target_.name, "a constant has no symbol");
      else if (!symbols.insert(a.symbol).second)
        diags_.error({}, a.symbol, "two constants have this symbol");
      if (!std::has_single_bit(a.align))
        diags_.error({}, a.symbol, "the alignment is not a power of two", std::to_string(a.align), "1, 2, 4 ...");
      if (!pool(a.region))
        diags_.error({}, a.symbol, "the region is not a flash pool of " + target_.name, a.region, flash_pools());
    }
    return diags_.count() == before;
  }

  [[nodiscard]] const MemoryPool* pool(const std::string& name) const {
    for (const MemoryPool& p : target_.pools)
      if (p.name == name && p.kind == PoolKind::flash) return &p;
    return nullptr;
  }

  [[nodiscard]] std::string flash_pools() const {
    std::string out;
    for (const MemoryPool& p : target_.pools)
      if (p.kind == PoolKind::flash) out += (out.empty() ? "" : " | ") + p.name;
    return out;
  }

  // Gives every artifact a content; identical ones get the same.
  bool merge() {
    SameContents same(out_.contents_);
    std::map<std::pair<std::string, std::size_t>, std::size_t> of_size;
    for (const ConstantArtifact& a : artifacts_) ++of_size[{a.region, a.bytes.size()}];
    for (const ConstantArtifact& a : artifacts_) {
      std::size_t content = out_.contents_.size();
      if (of_size[{a.region, a.bytes.size()}] > 1 && !same.find(a.region, a.bytes, content)) return unreadable(a);
      const bool shared = content != out_.contents_.size();
      if (!shared) {
        const bool large = elf_.large_threshold != 0 && a.bytes.size() > elf_.large_threshold;
        const std::string usual = large ? ".lrodata" : ".rodata", &own = pool(a.region)->section;
        out_.contents_.push_back({a.bytes, (own.empty() ? usual : own) + "." + a.symbol, 0, 1,
                                  large ? SHF_ALLOC | kShfX8664Large : std::uint64_t{SHF_ALLOC}});
      }
      auto& c = out_.contents_[content];
      c.align = std::max({c.align, a.align, a.bytes.size() >= 16 ? elf_.large_array_align : 1});
      out_.places_.push_back({a.symbol, c.section, 0, a.bytes.size(), 1, shared, a.global, content});
    }
    out_.identities_ = std::make_shared<std::vector<std::optional<Identity>>>(out_.contents_.size());
    for (const auto& [content, identity] : same.identities())
      if (content < out_.contents_.size()) (*out_.identities_)[content] = identity;
    return true;
  }

  bool unreadable(const ConstantArtifact& a) {
    diags_.error(a.bytes.file() ? a.bytes.file()->path() : std::string(), a.symbol,
                 std::string("the constant cannot be read: ") + std::strerror(errno));
    return false;
  }

  void place() {
    std::uint64_t at = elf_.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    for (auto& c : out_.contents_) {
      c.offset = align_up(at, c.align);
      at = c.offset + c.bytes.size();
    }
    for (ConstantObject::Place& p : out_.places_) {
      p.offset = out_.contents_[p.content].offset;
      p.align = out_.contents_[p.content].align;
    }
    out_.tail_offset_ = align_up(at, 8);
  }

  // Section 0 is empty, 1..n are the contents, then .note.GNU-stack (hosted), .symtab, .strtab, .shstrtab.
  void build_tables() {
    Strings names, section_names;
    Bytes symbols(elf_.wide);
    put_symbol(symbols, 0, 0, 0, 0);
    std::uint32_t locals = 1;
    for (const bool global : {false, true}) {
      for (const ConstantObject::Place& p : out_.places_) {
        if (p.global != global) continue;
        const unsigned info = static_cast<unsigned>(global ? STB_GLOBAL : STB_LOCAL) << 4 | STT_OBJECT;
        put_symbol(symbols, names.add(p.symbol), info, p.content + 1, p.size);
        if (!global) ++locals;
      }
    }
    std::vector<SectionHeader> sections(1);
    for (const auto& c : out_.contents_)
      sections.push_back(
          {section_names.add(c.section), SHT_PROGBITS, c.flags, c.offset, c.bytes.size(), 0, 0, c.align, 0});
    const std::uint64_t first = out_.tail_offset_;
    if (target_.hosted)  // stack_note.hpp says why only there
      sections.push_back({section_names.add(".note.GNU-stack"), SHT_PROGBITS, 0, first, 0, 0, 0, 1, 0});
    const std::uint64_t symtab = sections.size();
    sections.push_back({section_names.add(".symtab"), SHT_SYMTAB, 0, first, symbols.size(), symtab + 1, locals, 8,
                        elf_.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)});
    sections.push_back(
        {section_names.add(".strtab"), SHT_STRTAB, 0, first + symbols.size(), names.text().size(), 0, 0, 1, 0});
    const std::uint64_t shstrtab_name = section_names.add(".shstrtab");
    sections.push_back({shstrtab_name, SHT_STRTAB, 0, sections.back().offset + sections.back().size,
                        section_names.text().size(), 0, 0, 1, 0});

    Bytes tail(elf_.wide);
    for (std::byte b : symbols.take()) tail.u8(static_cast<std::uint64_t>(b));
    tail.text(names.text()).text(section_names.text());
    const std::uint64_t headers = align_up(tail.size(), 8);
    tail.pad_to(headers);
    for (const SectionHeader& s : sections) put_section(tail, s);
    out_.tail_ = tail.take();
    out_.size_ = first + out_.tail_.size();
    out_.head_ = elf::object_header(elf_, first + headers, sections.size());
  }

  void put_symbol(Bytes& out, std::uint64_t name, unsigned info, std::uint64_t section, std::uint64_t size) const {
    if (elf_.wide)
      out.u32(name).u8(info).u8(STV_DEFAULT).u16(section).word(0).word(size);
    else
      out.u32(name).word(0).word(size).u8(info).u8(STV_DEFAULT).u16(section);
  }

  const TargetSpec& target_;
  const ElfTarget& elf_;
  const std::vector<ConstantArtifact>& artifacts_;
  Diagnostics& diags_;
  ConstantObject out_;
};

Result<ConstantObject> ConstantObject::create(const TargetSpec& target, const std::vector<ConstantArtifact>& artifacts,
                                              Diagnostics& diags) {
  const auto elf = elf_target(target);
  if (!elf)
    return diags.error({}, target.name, "constants cannot be written for this architecture", target.triple,
                       "arm, aarch64, riscv, x86_64, i386, hexagon or xtensa");
  if (elf->big_endian)
    return diags.error({}, target.name, "constants cannot be written for this byte order", "big", "little");
  return ConstantLayout(target, *elf, artifacts, diags).run();
}

bool ConstantObject::Content::is_large() const { return (flags & kShfX8664Large) != 0; }

std::vector<std::string> ConstantObject::global_symbols() const {
  std::vector<std::string> out;
  for (const Place& p : places_)
    if (p.global) out.push_back(p.symbol);
  return out;
}

ConstantObject ConstantObject::written_as(Blob object, const std::vector<std::uint64_t>& offsets) const {
  ConstantObject out = *this;
  for (Place& p : out.places_) p.offset = offsets[p.content];
  for (std::size_t i = 0; i < offsets.size(); ++i) out.contents_[i].offset = offsets[i];
  out.size_ = object.size();
  out.object_ = std::move(object);
  return out;
}

bool ConstantObject::identify() {
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    if ((*identities_)[i]) continue;
    Identity identity;
    if (!identify_blob(contents_[i].bytes, identity)) return false;
    (*identities_)[i] = identity;
  }
  return true;
}

bool ConstantObject::write(int fd) const {
  if (object_.size() != 0) return write_blob(fd, object_);
  if (!write_all(fd, head_)) return false;
  std::uint64_t at = head_.size();
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    const Content& c = contents_[i];
    if (!write_zeros(fd, c.offset - at)) return false;
    if (Identity identity; !identify_when_written_ || (*identities_)[i]) {
      if (!write_blob(fd, c.bytes)) return false;
    } else {
      if (!write_and_identify_blob(fd, c.bytes, identity)) return false;
      (*identities_)[i] = identity;
    }
    at = c.offset + c.bytes.size();
  }
  return write_zeros(fd, tail_offset_ - at) && write_all(fd, tail_);
}

}  // namespace byoc
