#include "sdk/library/object/object_facts.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/ARMAttributeParser.h>
#include <llvm/Support/DataExtractor.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/RISCVAttributeParser.h>

#include <algorithm>
#include <set>

namespace byoc {
namespace {

namespace object = llvm::object;

// Throws nothing; the first problem ends the reading.
class Reader {
 public:
  Reader(const object::ELFObjectFileBase& file, ObjectFacts& facts) : file_(file), facts_(facts) {}

  llvm::Error run() {
    facts_.type = file_.getEType();
    facts_.machine = file_.getEMachine();
    facts_.wide = file_.is64Bit();
    facts_.big_endian = !file_.isLittleEndian();
    facts_.flags = file_.getPlatformFlags();
    if (llvm::Error error = sections()) return error;
    if (llvm::Error error = symbols()) return error;
    return attributes();
  }

 private:
  llvm::Error sections() {
    for (const object::ELFSectionRef section : file_.sections()) {
      llvm::Expected<llvm::StringRef> name = section.getName();
      if (!name) return name.takeError();
      const std::uint64_t flags = section.getFlags();
      facts_.sections.push_back({name->str(), section.getSize(), alignment(section),
                                 (flags & llvm::ELF::SHF_ALLOC) != 0, (flags & llvm::ELF::SHF_WRITE) != 0,
                                 (flags & llvm::ELF::SHF_EXECINSTR) != 0, section.getType() == llvm::ELF::SHT_NOBITS,
                                 (flags & llvm::ELF::SHF_TLS) != 0, is_start_up_code(section.getType(), *name)});
    }
    return llvm::Error::success();
  }

  // ELF's own way, and the older one of GCC's.
  static bool is_start_up_code(std::uint32_t type, llvm::StringRef name) {
    if (type == llvm::ELF::SHT_INIT_ARRAY || type == llvm::ELF::SHT_FINI_ARRAY || type == llvm::ELF::SHT_PREINIT_ARRAY)
      return true;
    for (const char* stem : {".ctors", ".dtors", ".init", ".fini", ".init_array", ".fini_array"})
      if (name == stem || name.starts_with(std::string(stem) + ".")) return true;
    return false;
  }

  // ELFSectionRef::getAlignment() asserts a power of two, which a damaged file need not have.
  [[nodiscard]] std::uint64_t alignment(object::ELFSectionRef section) const {
    const llvm::object::DataRefImpl ref = section.getRawDataRefImpl();
    if (const auto* f = llvm::dyn_cast<object::ELF32LEObjectFile>(&file_)) return f->getSection(ref)->sh_addralign;
    if (const auto* f = llvm::dyn_cast<object::ELF64LEObjectFile>(&file_)) return f->getSection(ref)->sh_addralign;
    if (const auto* f = llvm::dyn_cast<object::ELF32BEObjectFile>(&file_)) return f->getSection(ref)->sh_addralign;
    return llvm::cast<object::ELF64BEObjectFile>(&file_)->getSection(ref)->sh_addralign;
  }

  llvm::Error symbols() {
    std::set<std::string> undefined;
    for (const object::ELFSymbolRef symbol : file_.symbols()) {
      llvm::Expected<llvm::StringRef> name = symbol.getName();
      if (!name) return name.takeError();
      llvm::Expected<std::uint32_t> flags = symbol.getFlags();
      if (!flags) return flags.takeError();
      const bool is_undefined = (*flags & object::BasicSymbolRef::SF_Undefined) != 0;
      const bool function =
          symbol.getELFType() == llvm::ELF::STT_FUNC || symbol.getELFType() == llvm::ELF::STT_GNU_IFUNC;
      if (function && !is_undefined) facts_.defines_functions = true;
      if (symbol.getBinding() == llvm::ELF::STB_LOCAL) continue;
      if (is_undefined) {
        undefined.insert(name->str());
        if (symbol.getELFType() == llvm::ELF::STT_TLS) facts_.undefined_per_thread.push_back(name->str());
        continue;
      }
      ObjectSymbol out{
          name->str(),
          {},
          symbol.getSize(),
          function,
          symbol.getBinding() == llvm::ELF::STB_WEAK || (*flags & object::BasicSymbolRef::SF_Common) != 0,
          (symbol.getOther() & 3) == llvm::ELF::STV_HIDDEN || (symbol.getOther() & 3) == llvm::ELF::STV_INTERNAL};
      llvm::Expected<object::section_iterator> section = symbol.getSection();
      if (!section) return section.takeError();
      if (*section != file_.section_end()) {
        llvm::Expected<llvm::StringRef> section_name = (*section)->getName();
        if (!section_name) return section_name.takeError();
        out.section = section_name->str();
        // A member of a group of which linkers keep one copy: GCC's __x86.get_pc_thunk.
        if ((object::ELFSectionRef(**section).getFlags() & llvm::ELF::SHF_GROUP) != 0) out.weak = true;
      }
      facts_.defined.push_back(std::move(out));
    }
    facts_.undefined.assign(undefined.begin(), undefined.end());
    return llvm::Error::success();
  }

  llvm::Error attributes() {
    using namespace llvm::ARMBuildAttrs;
    if (facts_.machine == llvm::ELF::EM_ARM) {
      llvm::ARMAttributeParser parser;
      if (llvm::Error error = parse(llvm::ELF::SHT_ARM_ATTRIBUTES, parser)) return error;
      const auto get = [&](unsigned tag) { return parser.getAttributeValue(tag); };
      facts_.arm = {get(CPU_arch),       get(CPU_arch_profile),   get(ARM_ISA_use),         get(THUMB_ISA_use),
                    get(FP_arch),        get(Advanced_SIMD_arch), get(ABI_PCS_wchar_t),     get(ABI_enum_size),
                    get(ABI_HardFP_use), get(ABI_VFP_args),       get(ABI_FP_16bit_format), get(DSP_extension),
                    get(MVE_arch)};
    } else if (facts_.machine == llvm::ELF::EM_RISCV) {
      llvm::RISCVAttributeParser parser;
      if (llvm::Error error = parse(llvm::ELF::SHT_RISCV_ATTRIBUTES, parser)) return error;
      if (const auto arch = parser.getAttributeString(llvm::RISCVAttrs::ARCH)) facts_.riscv_arch = arch->str();
    } else if (facts_.machine == llvm::ELF::EM_XTENSA) {
      return xtensa_info();
    }
    return llvm::Error::success();
  }

  // Lines "ABI=0" in a note (binutils, gas/config/tc-xtensa.c, xtensa_add_config_info), 0 for windowed registers.
  llvm::Error xtensa_info() {
    for (const object::ELFSectionRef section : file_.sections()) {
      llvm::Expected<llvm::StringRef> name = section.getName();
      if (!name) return name.takeError();
      if (*name != ".xtensa.info") continue;
      llvm::Expected<llvm::StringRef> contents = section.getContents();
      if (!contents) return contents.takeError();
      if (contents->contains("\nABI=0\n")) facts_.xtensa_abi = "windowed";
      if (contents->contains("\nABI=1\n")) facts_.xtensa_abi = "call0";
    }
    return llvm::Error::success();
  }

  llvm::Error parse(std::uint32_t section_type, llvm::ELFAttributeParser& parser) {
    bool is_read = false;
    for (const object::ELFSectionRef section : file_.sections()) {
      if (section.getType() != section_type) continue;
      llvm::Expected<llvm::StringRef> contents = section.getContents();
      if (!contents) return contents.takeError();
      if (contents->empty()) continue;
      facts_.attribute_sections += subsections(*contents);
      if (is_read) continue;
      is_read = true;
      if (llvm::Error error = parser.parse(llvm::arrayRefFromStringRef(*contents),
                                           file_.isLittleEndian() ? llvm::endianness::little : llvm::endianness::big))
        return error;
    }
    return llvm::Error::success();
  }

  // Counts subsections: a version byte, then subsections, each with its size in front. The parser refuses truncated
  // ones.
  [[nodiscard]] unsigned subsections(llvm::StringRef contents) const {
    unsigned count = 0;
    std::uint64_t offset = 1;
    const llvm::DataExtractor data(contents, file_.isLittleEndian(), 4);
    while (data.isValidOffsetForDataOfSize(offset, 4)) {
      const std::uint64_t at = offset;
      const std::uint32_t size = data.getU32(&offset);
      if (size < 4) break;
      const llvm::StringRef vendor = data.getCStrRef(&offset);  // compilers may add sets of their own
      if (vendor == "aeabi" || vendor == "riscv") ++count;
      offset = at + size;
    }
    return count;
  }

  const object::ELFObjectFileBase& file_;
  ObjectFacts& facts_;
};

}  // namespace

Result<ObjectFacts> read_object_facts(std::span<const std::byte> bytes, const std::string& name, Diagnostics& diags) {
  const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with("\177ELF")) return diags.error(name, {}, "is not an object file", "no ELF header", "ELF");
  auto file = object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(text, name));
  if (!file)
    return diags.error(name, {}, "is not a readable object file", llvm::toString(file.takeError()), "ELF relocatable");
  const auto* elf = llvm::dyn_cast<object::ELFObjectFileBase>(file->get());
  ObjectFacts facts;
  if (llvm::Error error = Reader(*elf, facts).run())
    return diags.error(name, {}, "is not a readable object file", llvm::toString(std::move(error)), "ELF relocatable");
  return facts;
}

}  // namespace byoc
