#include "sdk/library/object/listing.hpp"

#include <llvm/MC/MCInst.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "sdk/library/object/decoder.hpp"

namespace byoc {
namespace {

// A section's code, and what its instructions refer to.
struct ListedSection {
  llvm::ArrayRef<std::uint8_t> bytes;
  std::map<std::uint64_t, std::string> references;  // by place
  std::map<std::uint64_t, bool> marks;              // from where on there is code, or data
};

struct ListedFunction {
  std::string name;
  std::uint64_t section = 0, begin = 0, size = 0;
};

std::string hexadecimal(const char* format, unsigned long long value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

class Listing {
 public:
  Listing(const llvm::object::ELFObjectFileBase& elf, const Decoder& decoder)
      : elf_(elf), decoder_(decoder), is_arm_(elf.getEMachine() == llvm::ELF::EM_ARM) {}

  std::vector<FunctionListing> read() {
    read_sections();
    read_symbols();
    read_references();
    std::vector<FunctionListing> out;
    for (const ListedFunction& f : functions_) out.push_back({f.name, text_of(f)});
    return out;
  }

 private:
  void read_sections() {
    for (const llvm::object::ELFSectionRef s : elf_.sections()) {
      if ((s.getFlags() & llvm::ELF::SHF_EXECINSTR) == 0 || s.getType() == llvm::ELF::SHT_NOBITS) continue;
      if (auto contents = s.getContents())
        sections_[s.getIndex()].bytes = llvm::arrayRefFromStringRef(*contents);
      else
        llvm::consumeError(contents.takeError());
    }
  }

  void read_symbols() {
    for (const llvm::object::ELFSymbolRef symbol : elf_.symbols()) {
      auto name = symbol.getName();
      auto section = symbol.getSection();
      auto value = symbol.getValue();
      if (!name || !section || !value) {
        llvm::consumeError(
            llvm::joinErrors(name.takeError(), llvm::joinErrors(section.takeError(), value.takeError())));
        continue;
      }
      const auto found = *section == elf_.section_end() ? sections_.end() : sections_.find((*section)->getIndex());
      if (found == sections_.end()) continue;
      // The lowest bit of a Thumb function's value is no part of its place.
      if (symbol.getELFType() == llvm::ELF::STT_NOTYPE && name->starts_with("$"))
        found->second.marks[*value] = !name->starts_with("$d");
      if (symbol.getELFType() == llvm::ELF::STT_FUNC)
        functions_.push_back(
            {name->str(), found->first, is_arm_ ? *value & ~std::uint64_t{1} : *value, symbol.getSize()});
    }
  }

  void read_references() {
    for (const llvm::object::ELFSectionRef s : elf_.sections()) {
      auto of = s.getRelocatedSection();
      if (!of) {
        llvm::consumeError(of.takeError());
        continue;
      }
      const auto code = *of == elf_.section_end() ? sections_.end() : sections_.find((*of)->getIndex());
      if (code == sections_.end()) continue;
      for (const llvm::object::ELFRelocationRef r : s.relocations()) {
        if (r.getSymbol() == elf_.symbol_end()) continue;
        if (auto name = r.getSymbol()->getName())
          code->second.references[r.getOffset()] = name->str();
        else
          llvm::consumeError(name.takeError());
      }
    }
  }

  [[nodiscard]] static bool is_code(const ListedSection& section, std::uint64_t at) {
    const auto next = section.marks.upper_bound(at);
    return next == section.marks.begin() || std::prev(next)->second;
  }

  [[nodiscard]] std::string text_of(const ListedFunction& f) const {
    const ListedSection& section = sections_.at(f.section);
    const std::uint64_t end = std::min<std::uint64_t>(f.begin + f.size, section.bytes.size());
    std::string out;
    for (std::uint64_t at = f.begin; at < end;) {
      std::uint64_t size = 0;
      const std::string text = line(section, at, end, size);
      const auto reference = section.references.lower_bound(at);
      out += hexadecimal("%5llx  ", at - f.begin) + text;
      if (reference != section.references.end() && reference->first < at + size && !reference->second.empty())
        out += "  ; " + reference->second;
      out += "\n";
      at += size;
    }
    return out;
  }

  [[nodiscard]] std::string line(const ListedSection& section, std::uint64_t at, std::uint64_t end,
                                 std::uint64_t& size) const {
    llvm::MCInst inst;
    const std::span<const std::uint8_t> rest(section.bytes.data() + at, end - at);
    if (is_code(section, at) && decoder_.decode(rest, at, inst, size) && size != 0) return decoder_.text(inst, at);
    size = std::min<std::uint64_t>(end - at, at % 4 == 0 ? 4 : 2);
    unsigned long long value = 0;
    for (std::uint64_t i = size; i-- > 0;) value = value << 8 | rest[i];
    return (size == 4 ? ".word " : ".short ") + hexadecimal("0x%llx", value);
  }

  const llvm::object::ELFObjectFileBase& elf_;
  const Decoder& decoder_;
  bool is_arm_;
  std::map<std::uint64_t, ListedSection> sections_;  // by number
  std::vector<ListedFunction> functions_;
};

}  // namespace

std::vector<FunctionListing> list_functions(const TargetSpec& target, std::span<const std::byte> object) {
  const auto decoder = Decoder::of_firmware(target);
  if (decoder == nullptr) return {};
  const llvm::StringRef text(reinterpret_cast<const char*>(object.data()), object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(text, ""));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  return Listing(llvm::cast<llvm::object::ELFObjectFileBase>(**file), *decoder).read();
}

}  // namespace byoc
