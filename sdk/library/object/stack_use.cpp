#include "sdk/library/object/stack_use.hpp"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <map>
#include <set>

#include "sdk/library/object/decoder.hpp"
#include "sdk/library/object/frame_size.hpp"

namespace byoc {
namespace {

using llvm::object::ELFObjectFileBase;
using llvm::object::ELFSectionRef;
using llvm::object::ELFSymbolRef;

// The target of a relocation, which follows an instruction.
struct Reference {
  std::string symbol;                    // "" for a section's
  std::optional<std::uint64_t> section;  // where it is defined in this object
  std::uint64_t value = 0;               // its place there
  bool is_call = false;                  // the instruction goes there
};

// The place of a function in an object.
struct Extent {
  std::uint64_t section = 0, begin = 0, end = 0;
};

bool goes_there(std::uint16_t machine, std::uint64_t type) {
  using namespace llvm::ELF;
  static const std::set<std::uint64_t> kArm{R_ARM_THM_CALL, R_ARM_THM_JUMP24, R_ARM_THM_JUMP19, R_ARM_THM_JUMP11,
                                            R_ARM_THM_JUMP8};
  static const std::set<std::uint64_t> kRiscv{R_RISCV_CALL,     R_RISCV_CALL_PLT, R_RISCV_JAL,
                                              R_RISCV_RVC_JUMP, R_RISCV_BRANCH,   R_RISCV_RVC_BRANCH};
  return (machine == EM_ARM ? kArm : kRiscv).contains(type);
}

// One section with code.
struct CodeSection {
  llvm::ArrayRef<std::uint8_t> bytes;
  std::map<std::uint64_t, std::vector<Reference>> references;  // by place
  std::map<std::uint64_t, bool> marks;                         // from where on there is code, or data
  std::set<std::uint64_t> from_data;                           // places whose addresses are in tables outside of it

  [[nodiscard]] bool is_code(std::uint64_t at) const {
    const auto next = marks.upper_bound(at);
    return next == marks.begin() || std::prev(next)->second;
  }
  [[nodiscard]] std::uint32_t word(std::uint64_t at) const {
    if (at + 4 > bytes.size()) return 0;
    const std::uint8_t* b = bytes.data() + at;
    return static_cast<std::uint32_t>(b[0] | b[1] << 8 | b[2] << 16) | static_cast<std::uint32_t>(b[3]) << 24;
  }
};

// The registers of a function that hold what a call may go to, one instruction after the other.
class Pointers {
 public:
  Pointers(const Decoder& decoder, bool is_arm) : decoder_(decoder), is_arm_(is_arm) {}

  // `refers`: the instruction, or the word that it loads, has the address of a symbol.
  void add(const llvm::MCInst& inst, bool refers) {
    const std::string_view op = decoder_.opcode(inst);
    const auto from =
        op == "tMOVr" || op == "C_MV" || op == "ADDI" || op == "C_ADDI" ? held_.find(reg(inst, 1)) : held_.end();
    const Kind kind = refers ? Kind::symbol : from != held_.end() ? from->second : Kind::other;
    std::erase_if(held_, [&](const auto& entry) {
      return decoder_.instructions().get(inst.getOpcode()).hasDefOfPhysReg(inst, entry.first, decoder_.registers());
    });
    if (op == "tPOP")
      for (unsigned i = 2; i < inst.getNumOperands(); ++i) held_[reg(inst, i)] = Kind::popped;
    else if (kind != Kind::other && decoder_.instructions().get(inst.getOpcode()).getNumDefs() != 0)
      held_[reg(inst, 0)] = kind;
  }
  // By the register of this operand: a function whose address the code has.
  [[nodiscard]] bool is_symbol(const llvm::MCInst& inst, unsigned operand) const {
    return is(inst, operand, Kind::symbol);
  }
  // Armv6-M returns to high registers' callers by popping an address and branching there.
  [[nodiscard]] bool is_popped(const llvm::MCInst& inst, unsigned operand) const {
    return is_arm_ && is(inst, operand, Kind::popped);
  }

 private:
  enum class Kind { other, symbol, popped };

  static unsigned reg(const llvm::MCInst& inst, unsigned operand) {
    return operand < inst.getNumOperands() && inst.getOperand(operand).isReg() ? inst.getOperand(operand).getReg() : 0;
  }
  [[nodiscard]] bool is(const llvm::MCInst& inst, unsigned operand, Kind kind) const {
    const auto found = held_.find(reg(inst, operand));
    return found != held_.end() && found->second == kind;
  }

  const Decoder& decoder_;
  bool is_arm_;
  std::map<unsigned, Kind> held_;
};

class ObjectStack {
 public:
  ObjectStack(const ELFObjectFileBase& elf, const Decoder& decoder)
      : elf_(elf), decoder_(decoder), is_arm_(elf.getEMachine() == llvm::ELF::EM_ARM) {}

  llvm::Error read() {
    if (llvm::Error error = read_sections()) return error;
    if (llvm::Error error = read_symbols()) return error;
    if (llvm::Error error = read_relocations()) return error;
    for (std::size_t f = 0; f < functions_.size(); ++f) read_function(f);
    return llvm::Error::success();
  }
  std::vector<FunctionStack> take() { return std::move(functions_); }

 private:
  llvm::Error read_sections() {
    constexpr std::uint64_t kCode = llvm::ELF::SHF_ALLOC | llvm::ELF::SHF_EXECINSTR;
    for (const ELFSectionRef s : elf_.sections()) {
      if ((s.getFlags() & kCode) != kCode || s.getType() == llvm::ELF::SHT_NOBITS) continue;
      auto contents = s.getContents();
      if (!contents) return contents.takeError();
      sections_[s.getIndex()].bytes = llvm::arrayRefFromStringRef(*contents);
    }
    return llvm::Error::success();
  }

  // The lowest bit of a Thumb function's value is no part of its place.
  [[nodiscard]] std::uint64_t place(std::uint64_t value) const { return is_arm_ ? value & ~std::uint64_t{1} : value; }

  llvm::Error read_symbols() {
    for (const ELFSymbolRef symbol : elf_.symbols()) {
      auto name = symbol.getName();
      auto section = symbol.getSection();
      auto value = symbol.getValue();
      if (!name || !section || !value)
        return llvm::joinErrors(name.takeError(), llvm::joinErrors(section.takeError(), value.takeError()));
      if (*section == elf_.section_end()) continue;
      const auto found = sections_.find((*section)->getIndex());
      if (found == sections_.end()) continue;
      if (symbol.getELFType() == llvm::ELF::STT_NOTYPE && name->starts_with("$"))
        found->second.marks[*value] = !name->starts_with("$d");
      if (symbol.getELFType() != llvm::ELF::STT_FUNC) continue;
      const std::uint64_t begin = place(*value);
      functions_.push_back({name->str(), symbol.getBinding() != llvm::ELF::STB_LOCAL});
      extents_.push_back({found->first, begin, begin + symbol.getSize()});
    }
    for (Extent& e : extents_)
      if (e.end == e.begin) e.end = end_of(e);
    return llvm::Error::success();
  }

  // Assembly need not say where a function ends.
  [[nodiscard]] std::uint64_t end_of(const Extent& function) const {
    std::uint64_t end = sections_.at(function.section).bytes.size();
    for (const Extent& e : extents_)
      if (e.section == function.section && e.begin > function.begin) end = std::min(end, e.begin);
    return end;
  }

  llvm::Error read_relocations() {
    for (const ELFSectionRef s : elf_.sections()) {
      auto of = s.getRelocatedSection();
      if (!of) return of.takeError();
      if (*of == elf_.section_end()) continue;
      const auto code = sections_.find((*of)->getIndex());
      for (const llvm::object::ELFRelocationRef r : s.relocations()) {
        if (r.getSymbol() == elf_.symbol_end()) continue;
        auto reference = reference_of(*r.getSymbol());
        if (!reference) return reference.takeError();
        if (!is_arm_ && reference->section) {
          auto addend = r.getAddend();
          if (!addend) return addend.takeError();
          reference->value += static_cast<std::uint64_t>(*addend);
        }
        if (code != sections_.end()) {
          reference->is_call = goes_there(elf_.getEMachine(), r.getType());
          code->second.references[r.getOffset()].push_back(std::move(*reference));
        } else if (reference->section && ((*of)->isData() || (*of)->isText())) {
          if (const auto to = sections_.find(*reference->section); to != sections_.end())
            to->second.from_data.insert(reference->value);
        }
      }
    }
    return llvm::Error::success();
  }

  llvm::Expected<Reference> reference_of(const ELFSymbolRef& symbol) const {
    auto name = symbol.getName();
    auto section = symbol.getSection();
    auto value = symbol.getValue();
    if (!name || !section || !value)
      return llvm::joinErrors(name.takeError(), llvm::joinErrors(section.takeError(), value.takeError()));
    Reference out{symbol.getELFType() == llvm::ELF::STT_SECTION ? "" : name->str(), {}};
    if (*section != elf_.section_end()) out.section = (*section)->getIndex();
    out.value = place(*value);
    return out;
  }

  void read_function(std::size_t index) {
    FunctionStack& f = functions_[index];
    const Extent& where = extents_[index];
    const CodeSection& section = sections_.at(where.section);
    FrameSize frame(decoder_.instructions(), decoder_.registers(), is_arm_);
    Pointers pointers(decoder_, is_arm_);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> loops;
    std::uint64_t at = where.begin;
    const std::uint64_t end = std::min<std::uint64_t>(where.end, section.bytes.size());
    while (at < end) {
      note_references(index, section, at, loops);
      if (!section.is_code(at)) {
        at += 2;
        continue;
      }
      llvm::MCInst inst;
      std::uint64_t size = 0;
      if (!decoder_.decode({section.bytes.data() + at, static_cast<std::size_t>(end - at)}, at, inst, size)) {
        fail(f, "has instructions that are not known");
        at += std::max<std::uint64_t>(size, 2);
        continue;
      }
      const std::uint64_t literal = literal_of(inst, at);
      frame.add(inst, at, section.word(literal));
      look_at_branch(index, section, inst, {at, size}, pointers, loops);
      pointers.add(inst, has_address(section, at) || has_address(section, literal));
      at += size;
    }
    f.bytes = frame.bytes();
    if (!frame.unknown().empty()) fail(f, frame.unknown());
    for (const auto& [from, to] : loops)
      for (const std::uint64_t lowered : frame.places())
        if (lowered >= to && lowered <= from) fail(f, "moves the stack pointer in a loop");
  }

  [[nodiscard]] static bool has_address(const CodeSection& section, std::uint64_t at) {
    const auto found = section.references.find(at);
    return found != section.references.end() &&
           std::any_of(found->second.begin(), found->second.end(), [](const Reference& r) { return !r.is_call; });
  }

  static void fail(FunctionStack& f, const std::string& why) {
    if (f.unknown.empty()) f.unknown = why;
  }

  // Thumb's LDR of a word of the code; nowhere for other instructions.
  [[nodiscard]] std::uint64_t literal_of(const llvm::MCInst& inst, std::uint64_t at) const {
    const std::string_view op = decoder_.opcode(inst);
    if ((op != "tLDRpci" && op != "t2LDRpci") || !inst.getOperand(1).isImm()) return ~std::uint64_t{0} - 8;
    return ((at + 4) & ~std::uint64_t{3}) + static_cast<std::uint64_t>(inst.getOperand(1).getImm());
  }

  void note_references(std::size_t index, const CodeSection& section, std::uint64_t at,
                       std::vector<std::pair<std::uint64_t, std::uint64_t>>& loops) {
    for (std::uint64_t place = at; place < at + 2; ++place) {
      const auto found = section.references.find(place);
      if (found == section.references.end()) continue;
      for (const Reference& r : found->second) note_reference(index, r, at, loops);
    }
  }

  void note_reference(std::size_t index, const Reference& r, std::uint64_t at,
                      std::vector<std::pair<std::uint64_t, std::uint64_t>>& loops) {
    if (!r.section) return functions_[index].calls.push_back({r.symbol, {}, !r.is_call});
    if (!sections_.contains(*r.section)) return;
    // A reference to a section alone may be to any of its functions.
    if (r.symbol.empty()) return go_to(index, {*r.section, 0, ~std::uint64_t{0}}, at, loops);
    go_to(index, {*r.section, r.value, r.value + 1}, at, loops);
  }

  // From a place of a function to some place in `to`.
  void go_to(std::size_t index, const Extent& to, std::uint64_t at,
             std::vector<std::pair<std::uint64_t, std::uint64_t>>& loops) {
    const Extent& own = extents_[index];
    if (to.section == own.section && to.begin >= own.begin && to.end <= own.end) {
      if (to.begin <= at) loops.emplace_back(at, to.begin);
      return;
    }
    for (std::size_t f = 0; f < functions_.size(); ++f)
      if (f != index && extents_[f].section == to.section && extents_[f].begin < to.end && extents_[f].end > to.begin)
        functions_[index].calls.push_back({functions_[f].name, f});
  }

  struct Place {
    std::uint64_t at = 0, size = 0;
  };

  void look_at_branch(std::size_t index, const CodeSection& section, const llvm::MCInst& inst, Place place,
                      const Pointers& pointers, std::vector<std::pair<std::uint64_t, std::uint64_t>>& loops) {
    const llvm::MCInstrDesc& what = decoder_.instructions().get(inst.getOpcode());
    if (!what.isCall() && !what.isBranch() && !what.isIndirectBranch() && !is_register_jump(inst)) return;
    if (section.references.contains(place.at)) return;
    std::uint64_t to = 0;
    if (!is_register_jump(inst) && decoder_.analysis().evaluateBranch(inst, place.at, place.size, to))
      return go_to(index, {extents_[index].section, to, to + 1}, place.at, loops);
    if (!is_register_jump(inst) || is_return(inst) || is_second_half(section, place.at)) return;
    const unsigned by = jump_register(inst);
    if (pointers.is_popped(inst, by)) return;
    if (pointers.is_symbol(inst, by))
      functions_[index].by_pointer = true;
    else if (!has_table(index))
      fail(functions_[index], "calls by a pointer");
  }

  [[nodiscard]] bool is_register_jump(const llvm::MCInst& inst) const {
    const std::string_view op = decoder_.opcode(inst);
    if (is_arm_) return op == "tBX" || op == "tBLXr" || op == "tBXNS" || op == "tBLXNSr";
    return op == "JALR" || op == "C_JR" || op == "C_JALR";
  }

  // The operand with the address.
  [[nodiscard]] unsigned jump_register(const llvm::MCInst& inst) const {
    const std::string_view op = decoder_.opcode(inst);
    return op == "tBLXr" || op == "tBLXNSr" ? 2 : op == "JALR" ? 1 : 0;
  }

  // To the address that the function was called with.
  [[nodiscard]] bool is_return(const llvm::MCInst& inst) const {
    const std::string_view op = decoder_.opcode(inst);
    const auto name = [&](unsigned i) {
      return llvm::StringRef(decoder_.registers().getName(inst.getOperand(i).getReg()));
    };
    if (is_arm_) return op == "tBX" && name(0) == "LR";
    if (op == "C_JR") return name(0) == "X1";
    return op == "JALR" && name(0) == "X0" && name(1) == "X1";
  }

  // RISC-V calls by AUIPC, which has the relocation, and JALR.
  [[nodiscard]] static bool is_second_half(const CodeSection& section, std::uint64_t at) {
    const auto first = at < 4 ? section.references.end() : section.references.find(at - 4);
    return first != section.references.end() &&
           std::any_of(first->second.begin(), first->second.end(), [](const Reference& r) { return r.is_call; });
  }

  // RISC-V jumps to a case of a switch by a table, which has places of the function in it.
  [[nodiscard]] bool has_table(std::size_t index) const {
    const Extent& own = extents_[index];
    const std::set<std::uint64_t>& from_data = sections_.at(own.section).from_data;
    const auto first = from_data.upper_bound(own.begin);
    return !is_arm_ && first != from_data.end() && *first < own.end;
  }

  const ELFObjectFileBase& elf_;
  const Decoder& decoder_;
  bool is_arm_;
  std::map<std::uint64_t, CodeSection> sections_;  // by number
  std::vector<FunctionStack> functions_;
  std::vector<Extent> extents_;  // of functions_
};

class DecodingStackReader : public StackReader {
 public:
  explicit DecodingStackReader(std::unique_ptr<Decoder> decoder) : decoder_(std::move(decoder)) {}

  Result<std::vector<FunctionStack>> read(std::span<const std::byte> bytes, const std::string& name,
                                          Diagnostics& diags) override {
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto refuse = [&](llvm::Error error) {
      return diags.error(name, {}, "is not a readable object file", llvm::toString(std::move(error)),
                         "ELF relocatable");
    };
    auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(text, name));
    if (!file) return refuse(file.takeError());
    ObjectStack object(llvm::cast<ELFObjectFileBase>(**file), *decoder_);
    if (llvm::Error error = object.read()) return refuse(std::move(error));
    return object.take();
  }

 private:
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace

std::unique_ptr<StackReader> StackReader::create(const TargetSpec& target) {
  auto decoder = Decoder::of_firmware(target);
  return decoder == nullptr ? nullptr : std::make_unique<DecodingStackReader>(std::move(decoder));
}

}  // namespace byoc
