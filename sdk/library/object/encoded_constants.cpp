#include "sdk/library/object/encoded_constants.hpp"

#include <llvm/Object/ELF.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/object/elf_target.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/object/stack_note.hpp"

namespace byoc {
namespace {

namespace object = llvm::object;
namespace ELF = llvm::ELF;

std::string bytes_text(std::uint64_t n) { return std::to_string(n) + " bytes"; }

std::string flags_text(std::uint64_t flags) {
  std::string out;
  for (const auto& [flag, letter] : {std::pair<std::uint64_t, char>{ELF::SHF_WRITE, 'W'},
                                     {ELF::SHF_ALLOC, 'A'},
                                     {ELF::SHF_EXECINSTR, 'X'},
                                     {ELF::SHF_MERGE, 'M'},
                                     {ELF::SHF_STRINGS, 'S'},
                                     {ELF::SHF_GROUP, 'G'},
                                     {ELF::SHF_TLS, 'T'},
                                     {ELF::SHF_COMPRESSED, 'C'},
                                     {ELF::SHF_X86_64_LARGE, 'l'}})
    if (flags & flag) out += letter;
  return out.empty() ? "none" : out;
}

std::string binding_text(unsigned binding) {
  return binding == ELF::STB_LOCAL ? "local" : binding == ELF::STB_GLOBAL ? "global" : "weak";
}

// Compares one object with what was promised; errors are reported, all of them.
template <class ELFT>
class Comparison {
 public:
  using Section = typename ELFT::Shdr;
  using Sym = typename ELFT::Sym;

  Comparison(const object::ELFFile<ELFT>& file, const ConstantObject& promised, const TargetSpec& target,
             const std::string& who, Diagnostics& diags)
      : file_(file), promised_(promised), target_(target), who_(who), diags_(diags) {}

  // The offset of each content in the file. All errors except file errors go to the diagnostics.
  llvm::Expected<std::vector<std::uint64_t>> run() {
    auto sections = file_.sections();
    if (!sections) return sections.takeError();
    sections_ = *sections;
    if (llvm::Error error = read_symbols()) return error;
    offsets_.resize(promised_.contents().size());
    for (const ConstantObject::Place& p : promised_.places())
      if (llvm::Error error = check(p)) return error;
    for (const auto& [name, symbol] : symbols_)
      if (!wanted_.contains(name)) fail(name, "is a global symbol that nobody asked for", "", "the constants alone");
    if (llvm::Error error = check_note()) return error;
    return offsets_;
  }

  // Symbols to complete: where they are in the file, and their size.
  [[nodiscard]] const std::vector<std::pair<std::size_t, std::uint64_t>>& incomplete() const { return incomplete_; }

 private:
  llvm::Error read_symbols() {
    for (const Section& s : sections_) {
      if (s.sh_type != ELF::SHT_SYMTAB) continue;
      auto symbols = file_.symbols(&s);
      if (!symbols) return symbols.takeError();
      auto strings = file_.getStringTableForSymtab(s);
      if (!strings) return strings.takeError();
      for (const Sym& symbol : *symbols) {
        auto name = symbol.getName(*strings);
        if (!name) return name.takeError();
        if (symbol.getBinding() == ELF::STB_LOCAL)
          locals_.emplace(name->str(), &symbol);
        else if (symbol.isUndefined())
          fail(name->str(), "the constants refer to this symbol", "", "no reference to anything");
        else
          symbols_.emplace(name->str(), &symbol);
      }
    }
    return llvm::Error::success();
  }

  const Sym* find(const ConstantObject::Place& p) const {
    const auto global = symbols_.find(p.symbol);
    if (global != symbols_.end()) return global->second;
    const auto local = locals_.find(p.symbol);
    return local == locals_.end() ? nullptr : local->second;
  }

  llvm::Error check(const ConstantObject::Place& p) {
    wanted_.insert(p.symbol);
    const Sym* symbol = find(p);
    if (symbol == nullptr) {
      fail(p.symbol, "the object does not define this constant", symbols_.empty() ? "no global symbol" : list(),
           p.symbol);
      return llvm::Error::success();
    }
    check_symbol(p, *symbol);
    const std::uint64_t index = symbol->st_shndx;
    if (index >= sections_.size() || index >= ELF::SHN_LORESERVE) {
      fail(p.symbol, "the constant is in no section", "", p.section);
      return llvm::Error::success();
    }
    return check_section(p, *symbol, sections_[static_cast<std::size_t>(index)]);
  }

  void check_symbol(const ConstantObject::Place& p, const Sym& symbol) {
    const unsigned binding = p.global ? ELF::STB_GLOBAL : ELF::STB_LOCAL;
    if (symbol.getBinding() != binding)
      fail(p.symbol, "the symbol has another binding", binding_text(symbol.getBinding()), binding_text(binding));
    if (p.global && symbol.getVisibility() != ELF::STV_DEFAULT)
      fail(p.symbol, "others cannot see the symbol", "hidden or protected", "default visibility");
    const bool unsaid = symbol.getType() == ELF::STT_NOTYPE && symbol.st_size == 0;
    if (unsaid)
      incomplete_.emplace_back(static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(&symbol) - file_.base()),
                               p.size);
    else if (symbol.getType() != ELF::STT_OBJECT)
      fail(p.symbol, "the symbol is of another type", std::to_string(symbol.getType()), "an object");
    else if (symbol.st_size != p.size && symbol.st_size != 0)
      fail(p.symbol, "the symbol has another size", bytes_text(symbol.st_size), bytes_text(p.size));
    else if (symbol.st_size != p.size)
      incomplete_.emplace_back(static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(&symbol) - file_.base()),
                               p.size);
    if (symbol.st_value != 0)
      fail(p.symbol, "the constant is not where its section begins", "offset " + std::to_string(symbol.st_value),
           "offset 0");
  }

  llvm::Error check_section(const ConstantObject::Place& p, const Sym& symbol, const Section& section) {
    const ConstantObject::Content& content = promised_.contents()[p.content];
    auto name = file_.getSectionName(section);
    if (!name) return name.takeError();
    const std::uint64_t flags = section.sh_flags;
    if (*name != content.section) fail(p.symbol, "the constant is in another section", name->str(), content.section);
    if (flags & ELF::SHF_WRITE)
      fail(p.symbol, "the constant is in a writable section", name->str() + " with flags " + flags_text(flags),
           "a read-only section, flags " + flags_text(content.flags));
    else if (flags != content.flags)
      fail(p.symbol, "the section has other flags", flags_text(flags), flags_text(content.flags));
    if (section.sh_type != ELF::SHT_PROGBITS) {
      fail(p.symbol, "the section is of another type", std::to_string(section.sh_type), "SHT_PROGBITS");
      return llvm::Error::success();
    }
    if (section.sh_addralign < content.align)
      fail(p.symbol, "the section is not aligned enough", std::to_string(section.sh_addralign),
           std::to_string(content.align));
    for (const Section& other : sections_)
      if ((other.sh_type == ELF::SHT_REL || other.sh_type == ELF::SHT_RELA) && other.sh_size != 0 &&
          &sections_[0] + other.sh_info == &section)
        fail(p.symbol, "the linker would change the constant", "relocations", "none");
    auto bytes = file_.getSectionContents(section);
    if (!bytes) return bytes.takeError();
    if (bytes->size() != p.size)
      fail(p.symbol, "the section has another size than the constant", bytes_text(bytes->size()), bytes_text(p.size));
    else if (symbol.st_value == 0)
      check_bytes(p, content.bytes, {reinterpret_cast<const std::byte*>(bytes->data()), bytes->size()});
    offsets_[p.content] = section.sh_offset;
    return llvm::Error::success();
  }

  void check_bytes(const ConstantObject::Place& p, const Blob& expected, std::span<const std::byte> found) {
    std::uint64_t at = 0;
    const bool same = read_pieces(expected, [&](std::span<const std::byte> part) {
      const auto mine = found.subspan(static_cast<std::size_t>(at), part.size());
      const auto [a, b] = std::mismatch(mine.begin(), mine.end(), part.begin());
      at += static_cast<std::uint64_t>(a - mine.begin());
      return a == mine.end();
    });
    if (!same) fail(p.symbol, "the constant has other bytes", "a difference at byte " + std::to_string(at), "none");
  }

  llvm::Error check_note() {
    if (!target_.hosted) return llvm::Error::success();
    for (const Section& s : sections_) {
      auto name = file_.getSectionName(s);
      if (!name) return name.takeError();
      if (*name == ".note.GNU-stack") return llvm::Error::success();
    }
    fail("", "the object does not say that it needs no executable stack", "", "an empty section .note.GNU-stack");
    return llvm::Error::success();
  }

  [[nodiscard]] std::string list() const {
    std::string out;
    for (const auto& [name, symbol] : symbols_) {
      if (out.size() > 100) return out + " ...";
      out += (out.empty() ? "" : ", ") + name;
    }
    return out;
  }

  void fail(std::string symbol, std::string message, std::string found, std::string expected) {
    diags_.error(who_, std::move(symbol), std::move(message), std::move(found), std::move(expected));
  }

  const object::ELFFile<ELFT>& file_;
  const ConstantObject& promised_;
  const TargetSpec& target_;
  const std::string& who_;
  Diagnostics& diags_;
  llvm::ArrayRef<Section> sections_;
  std::map<std::string, const Sym*> symbols_, locals_;
  std::set<std::string> wanted_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::pair<std::size_t, std::uint64_t>> incomplete_;
};

template <class ELFT>
Result<ConstantObject> take(const ConstantObject& promised, std::vector<std::byte> bytes, const TargetSpec& target,
                            const std::string& who, Diagnostics& diags) {
  const auto broken = [&](llvm::Error error) {
    return diags.error(who, {}, "is not a readable object file", llvm::toString(std::move(error)), "ELF relocatable");
  };
  auto file = object::ELFFile<ELFT>::create({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!file) return broken(file.takeError());
  const std::size_t before = diags.count();
  Comparison<ELFT> comparison(*file, promised, target, who, diags);
  auto offsets = comparison.run();
  if (!offsets) return broken(offsets.takeError());
  if (diags.count() != before) return failure;
  for (const auto& [at, size] : comparison.incomplete()) {
    typename ELFT::Sym symbol;
    std::memcpy(&symbol, bytes.data() + at, sizeof symbol);
    symbol.setBindingAndType(symbol.getBinding(), ELF::STT_OBJECT);
    symbol.st_size = static_cast<typename ELFT::uint>(size);
    std::memcpy(bytes.data() + at, &symbol, sizeof symbol);
  }
  // Data alone makes no claim; what is said of the ABI then is what byoc says.
  typename ELFT::Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_flags = elf_target(target)->flags;
  std::memcpy(bytes.data(), &header, sizeof header);
  if (!target.hosted) drop_stack_note(bytes);
  return promised.written_as(Blob::own(std::move(bytes)), *offsets);
}

}  // namespace

Result<ConstantObject> take_encoded(const ConstantObject& promised, std::vector<std::byte> bytes,
                                    const TargetSpec& target, const std::string& who, Diagnostics& diags) {
  auto facts = read_object_facts(bytes, who, diags);
  if (!facts || !check_object(*facts, target, who, diags)) return failure;
  return facts->wide ? take<object::ELF64LE>(promised, std::move(bytes), target, who, diags)
                     : take<object::ELF32LE>(promised, std::move(bytes), target, who, diags);
}

}  // namespace byoc
