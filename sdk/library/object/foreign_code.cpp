#include "sdk/library/object/foreign_code.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/MC/MCInst.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/RISCVISAInfo.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "sdk/library/object/decoder.hpp"
#include "sdk/library/object/x86_features.hpp"

namespace byoc {
namespace {

namespace object = llvm::object;
using Bytes = llvm::ArrayRef<std::uint8_t>;

enum class Machine { aarch64, riscv, x86_64 };

std::optional<Machine> machine_of(const TargetSpec& t) {
  if (t.triple.starts_with("aarch64")) return Machine::aarch64;
  if (t.triple.starts_with("riscv")) return Machine::riscv;
  if (t.triple.starts_with("x86_64")) return Machine::x86_64;
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& features) {
  std::string out;
  for (const std::string& f : features) out += (out.empty() ? "" : ",") + f;
  return out;
}

// The target's features in LLVM's names; nullopt if they are not known.
std::optional<std::string> features_of(const TargetSpec& t, Machine machine) {
  if (machine == Machine::riscv) {
    auto isa = llvm::RISCVISAInfo::parseArchString(t.march, /*EnableExperimentalExtension=*/true);
    if (!isa) {
      llvm::consumeError(isa.takeError());
      return std::nullopt;
    }
    // They were part of "i" once, and tools do not list them.
    return joined((*isa)->toFeatures()) + ",+zicsr,+zifencei";
  }
  if (t.cpu != "native") return std::string();
  std::vector<std::string> out;
  for (const auto& [name, is_there] : llvm::sys::getHostCPUFeatures())
    out.push_back((is_there ? "+" : "-") + name.str());
  return joined(out);
}

// Every known extension of the architecture that does not exclude another, to name an instruction.
const char* all_features(Machine machine) {
  switch (machine) {
    case Machine::aarch64: return "+all";
    case Machine::riscv:
      return "+m,+a,+f,+d,+c,+v,+zicsr,+zifencei,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkx,+zknd,+zkne,+zknh,+zksed,+zksh,+"
             "zicond,"
             "+zicbom,+zicboz,+zicbop,+zfh,+zfa,+zvfh,+zvbb,+zvbc,+zvkned,+zvknhb,+zcb,+zawrs,+h,+svinval";
    case Machine::x86_64: return "";
  }
  return "";
}

struct Range {
  std::uint64_t begin = 0, end = 0;
};

// Symbols of one section that say what is code in it.
struct Marks {
  std::vector<std::pair<std::uint64_t, bool>> mapping;  // from where on there is code, or data
  std::vector<Range> functions;
};

class ForeignCodeReader : public CodeReader {
 public:
  ForeignCodeReader(Machine machine, std::unique_ptr<Decoder> target, std::unique_ptr<Decoder> all)
      : machine_(machine), target_(std::move(target)), all_(std::move(all)) {}

  Result<ForeignCode> read(std::span<const std::byte> bytes, const std::string& name, Diagnostics& diags) override {
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ForeignCode out;
    llvm::Error problem = read(llvm::MemoryBufferRef(text, name), out);
    if (!problem) return out;
    return diags.error(name, {}, "is not a readable object file", llvm::toString(std::move(problem)),
                       "ELF relocatable");
  }

 private:
  llvm::Error read(llvm::MemoryBufferRef buffer, ForeignCode& out) {
    auto file = object::ObjectFile::createELFObjectFile(buffer);
    if (!file) return file.takeError();
    const auto& elf = llvm::cast<object::ELFObjectFileBase>(**file);
    std::map<std::uint64_t, Marks> marks;
    if (llvm::Error error = read_symbols(elf, marks, out)) return error;
    for (const object::ELFSectionRef section : elf.sections()) {
      constexpr std::uint64_t kCode = llvm::ELF::SHF_ALLOC | llvm::ELF::SHF_EXECINSTR;
      if ((section.getFlags() & kCode) != kCode || section.getType() == llvm::ELF::SHT_NOBITS) continue;
      auto name = section.getName();
      if (!name) return name.takeError();
      auto contents = section.getContents();
      if (!contents) return contents.takeError();
      for (const Range& r : code_of(marks[section.getIndex()], contents->size()))
        sweep(llvm::arrayRefFromStringRef(*contents), r, name->str(), out);
    }
    return llvm::Error::success();
  }

  llvm::Error read_symbols(const object::ELFObjectFileBase& elf, std::map<std::uint64_t, Marks>& marks,
                           ForeignCode& out) const {
    for (const object::ELFSymbolRef symbol : elf.symbols()) {
      auto name = symbol.getName();
      if (!name) return name.takeError();
      auto section = symbol.getSection();
      if (!section) return section.takeError();
      if (symbol.getELFType() == llvm::ELF::STT_GNU_IFUNC || is_question(*name)) out.asks_for_more = true;
      if (*section == elf.section_end()) continue;
      auto value = symbol.getValue();
      if (!value) return value.takeError();
      Marks& m = marks[(*section)->getIndex()];
      if (symbol.getELFType() == llvm::ELF::STT_FUNC && symbol.getSize() != 0)
        m.functions.push_back({*value, *value + symbol.getSize()});
      if (symbol.getELFType() == llvm::ELF::STT_NOTYPE && (name->starts_with("$x") || name->starts_with("$d")))
        m.mapping.emplace_back(*value, name->starts_with("$x"));
    }
    return llvm::Error::success();
  }

  // Symbols by which compilers and C libraries tell the features of the CPU.
  static bool is_question(llvm::StringRef symbol) {
    return symbol == "__cpu_model" || symbol == "__cpu_indicator_init" || symbol == "__cpu_features2" ||
           symbol == "__aarch64_cpu_features" || symbol == "getauxval" || symbol == "__riscv_hwprobe";
  }

  // The code between mapping symbols, which AArch64 and RISC-V have. x86-64 has none, and data may be between its
  // functions.
  [[nodiscard]] std::vector<Range> code_of(Marks& m, std::uint64_t size) const {
    if (machine_ == Machine::x86_64 && !m.functions.empty()) {
      std::sort(m.functions.begin(), m.functions.end(),
                [](const Range& a, const Range& b) { return a.begin < b.begin; });
      std::vector<Range> out;
      std::uint64_t at = 0;  // functions may have several names
      for (const Range& f : m.functions) {
        out.push_back({std::max(f.begin, at), std::min(f.end, size)});
        at = std::max(at, f.end);
      }
      return out;
    }
    std::sort(m.mapping.begin(), m.mapping.end());
    std::vector<Range> out;
    Range open{0, 0};
    bool is_code = true;
    for (const auto& [at, code] : m.mapping) {
      if (is_code) out.push_back({open.begin, std::min(at, size)});
      open.begin = at;
      is_code = code;
    }
    if (is_code) out.push_back({open.begin, size});
    return out;
  }

  void sweep(Bytes bytes, Range r, const std::string& section, ForeignCode& out) {
    for (std::uint64_t at = r.begin; at < r.end;) {
      const Bytes rest = bytes.slice(static_cast<std::size_t>(at), static_cast<std::size_t>(r.end - at));
      llvm::MCInst inst;
      std::uint64_t size = 0;
      if (target_->decode({rest.data(), rest.size()}, at, inst, size)) {
        look_at(inst, rest.slice(0, static_cast<std::size_t>(size)), at, section, out);
      } else {
        size = stride(rest);
        llvm::MCInst other;
        std::uint64_t other_size = 0;
        const bool padding = std::all_of(rest.begin(), rest.begin() + size, [](std::uint8_t b) { return b == 0; });
        if (all_ != nullptr && all_->decode({rest.data(), rest.size()}, at, other, other_size))
          add(other, *all_, at, section, {}, out);
        else if (machine_ == Machine::riscv && !padding && out.unknown++ == 0)
          out.unknown_place = section + " at offset " + std::to_string(at);
      }
      at += std::max<std::uint64_t>(size, 1);
    }
  }

  void look_at(const llvm::MCInst& inst, Bytes bytes, std::uint64_t at, const std::string& section, ForeignCode& out) {
    const std::string_view opcode = target_->opcode(inst);
    if (machine_ == Machine::x86_64) {
      if (opcode == "CPUID" || opcode == "XGETBV") out.asks_for_more = true;
      const std::string_view feature = x86_feature(opcode, {bytes.data(), bytes.size()});
      if (!feature.empty() && !target_->has(feature)) add(inst, *target_, at, section, std::string(feature), out);
    } else if (machine_ == Machine::aarch64 && opcode == "MRS") {
      if (target_->text(inst, at).find("ID_AA64") != std::string::npos) out.asks_for_more = true;
    }
  }

  static void add(const llvm::MCInst& inst, const Decoder& by, std::uint64_t at, const std::string& section,
                  std::string feature, ForeignCode& out) {
    if (out.count++ != 0) return;
    out.section = section;
    out.offset = at;
    out.text = by.text(inst, at);
    out.needs = std::move(feature);
  }

  // The distance to the next instruction if there is none here.
  [[nodiscard]] std::uint64_t stride(Bytes bytes) const {
    std::uint64_t size = 1;
    if (machine_ == Machine::aarch64) size = 4;
    if (machine_ == Machine::riscv) size = (bytes[0] & 3) == 3 ? 4 : 2;
    return std::min<std::uint64_t>(size, bytes.size());
  }

  Machine machine_;
  std::unique_ptr<Decoder> target_, all_;  // all_ null where the first one knows everything
};

}  // namespace

std::unique_ptr<CodeReader> CodeReader::create(const TargetSpec& t) {
  const auto machine = machine_of(t);
  if (!machine) return nullptr;
  const auto features = features_of(t, *machine);
  if (!features) return nullptr;
  const std::string cpu = t.cpu == "native" ? llvm::sys::getHostCPUName().str() : t.cpu;
  auto own = Decoder::create(t.triple, cpu, *features);
  if (own == nullptr) return nullptr;
  std::unique_ptr<Decoder> all;
  if (*machine != Machine::x86_64) all = Decoder::create(t.triple, "", all_features(*machine));
  return std::make_unique<ForeignCodeReader>(*machine, std::move(own), std::move(all));
}

}  // namespace byoc
