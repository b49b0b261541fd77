#include "sdk/library/object/frame_size.hpp"

#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace byoc {
namespace {

constexpr const char* kByRegister = "moves the stack pointer by a number that only a run knows";

bool is_one_of(std::string_view op, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

// Instructions that raise the stack pointer.
constexpr std::array<std::string_view, 13> kArmRaises{
    "tPOP",        "tPOP_RET", "t2LDMIA_UPD", "t2LDMIA_RET",  "VLDMDIA_UPD",  "VLDMSIA_UPD",  "t2LDR_POST",
    "t2LDRD_POST", "tADDspi",  "t2ADDspImm",  "t2ADDspImm12", "VLDR_P0_post", "VLDR_VPR_post"};

// Loads of a word from the code.
constexpr std::array<std::string_view, 2> kArmLiterals{"tLDRpci", "t2LDRpci"};

}  // namespace

unsigned register_named(const llvm::MCRegisterInfo& registers, const std::string& name) {
  for (unsigned r = 1; r < registers.getNumRegs(); ++r)
    if (name == registers.getName(r)) return r;
  return 0;
}

FrameSize::FrameSize(const llvm::MCInstrInfo& instructions, const llvm::MCRegisterInfo& registers, bool is_arm)
    : instructions_(instructions), registers_(registers), is_arm_(is_arm) {
  stack_pointer_ = register_named(registers, is_arm ? "SP" : "X2");
  for (const char* name : {is_arm ? "R7" : "X8", is_arm ? "R11" : "X8"})
    frame_pointers_.push_back(register_named(registers, name));
}

std::string FrameSize::opcode(const llvm::MCInst& inst) const { return instructions_.getName(inst.getOpcode()).str(); }

unsigned FrameSize::reg(const llvm::MCInst& inst, unsigned operand) const {
  return operand < inst.getNumOperands() && inst.getOperand(operand).isReg() ? inst.getOperand(operand).getReg() : 0;
}

std::int64_t FrameSize::imm(const llvm::MCInst& inst, unsigned operand) const {
  return operand < inst.getNumOperands() && inst.getOperand(operand).isImm() ? inst.getOperand(operand).getImm() : 0;
}

const FrameSize::Value* FrameSize::value_in(unsigned reg) const {
  const auto found = values_.find(reg);
  return found == values_.end() ? nullptr : &found->second;
}

bool FrameSize::is_frame_pointer(unsigned reg) const {
  return std::find(frame_pointers_.begin(), frame_pointers_.end(), reg) != frame_pointers_.end();
}

bool FrameSize::writes(const llvm::MCInst& inst, unsigned reg) const {
  return instructions_.get(inst.getOpcode()).hasDefOfPhysReg(inst, reg, registers_);
}

void FrameSize::lower(std::int64_t by, std::uint64_t address) {
  if (by <= 0) return;
  bytes_ += static_cast<std::uint64_t>(by);
  places_.push_back(address);
}

void FrameSize::add(const llvm::MCInst& inst, std::uint64_t address, std::uint32_t literal) {
  const std::string op = opcode(inst);
  if (writes(inst, stack_pointer_)) {
    if (is_arm_)
      move_arm(inst, op, address);
    else
      move_riscv(inst, op, address);
    return;
  }
  noted_.reset();
  if (is_arm_)
    note_arm(inst, op, literal);
  else
    note_riscv(inst, op);
  std::erase_if(values_, [&](const auto& entry) { return writes(inst, entry.first); });
  if (noted_) values_.insert_or_assign(noted_->first, noted_->second);
}

// Operands of PUSH are two of the condition, then registers; of the others the base twice before these.
void FrameSize::move_arm(const llvm::MCInst& inst, const std::string& op, std::uint64_t address) {
  if (is_one_of(op, kArmRaises)) return;
  const auto stored = [&](unsigned first, std::int64_t each) {
    lower((static_cast<std::int64_t>(inst.getNumOperands()) - first) * each, address);
  };
  if (op == "tPUSH") return stored(2, 4);
  if (op == "t2STMDB_UPD" || op == "VSTMSDB_UPD") return stored(4, 4);
  if (op == "VSTMDDB_UPD") return stored(4, 8);
  if (op == "tSUBspi") return lower(imm(inst, 2) * 4, address);
  if (op == "t2SUBspImm" || op == "t2SUBspImm12") return lower(imm(inst, 2), address);
  if (op == "t2STR_PRE") return lower(-imm(inst, 3), address);
  if (op == "t2STRD_PRE") return lower(-imm(inst, 4), address);
  if (op == "VSTR_P0_pre" || op == "VSTR_VPR_pre") return lower(4, address);
  if (op == "tMOVr") return copy_to_stack_pointer(reg(inst, 1), address);
  if (op == "tADDspr" || op == "tADDhirr" || op == "t2ADDspr" || op == "t2ADDrr")
    return add_register(reg(inst, 2), 1, address);
  if (op == "t2SUBspr" || op == "t2SUBrr") return add_register(reg(inst, 2), -1, address);
  if (unknown_.empty()) unknown_ = kByRegister;
}

void FrameSize::move_riscv(const llvm::MCInst& inst, const std::string& op, std::uint64_t address) {
  const unsigned from = reg(inst, 1);
  const bool on_itself = from == stack_pointer_;
  if ((op == "ADDI" && on_itself) || op == "C_ADDI16SP" || op == "C_ADDI") return lower(-imm(inst, 2), address);
  if (op == "ANDI" && on_itself && imm(inst, 2) < 0) return lower(-imm(inst, 2) - 1, address);
  if (op == "ADDI" && is_frame_pointer(from)) return;
  if (op == "C_MV" || (op == "ADDI" && imm(inst, 2) == 0)) return copy_to_stack_pointer(from, address);
  if ((op == "ADD" || op == "C_ADD") && on_itself) return add_register(reg(inst, 2), 1, address);
  if ((op == "SUB" || op == "C_SUB") && on_itself) return add_register(reg(inst, 2), -1, address);
  if (unknown_.empty()) unknown_ = kByRegister;
}

void FrameSize::copy_to_stack_pointer(unsigned from, std::uint64_t address) {
  const Value* value = value_in(from);
  if (value != nullptr && value->near_stack) return lower(value->number, address);
  // The frame pointer has what the stack pointer was: the function ends.
  if (!is_frame_pointer(from) && unknown_.empty()) unknown_ = kByRegister;
}

void FrameSize::add_register(unsigned from, int sign, std::uint64_t address) {
  const Value* value = value_in(from);
  if (value != nullptr && !value->near_stack) return lower(-sign * value->number, address);
  if (unknown_.empty()) unknown_ = kByRegister;
}

void FrameSize::note_offset(unsigned to, unsigned from, std::int64_t by) {
  if (from == stack_pointer_) return note(to, {true, std::max<std::int64_t>(-by, 0)});
  if (is_frame_pointer(from)) return note(to, {true, 0});
  const Value* value = value_in(from);
  if (value == nullptr) return;
  if (value->near_stack)
    note(to, {true, value->number + std::max<std::int64_t>(-by, 0)});
  else
    note(to, {false, static_cast<std::int32_t>(value->number + by)});
}

// `below`: the most by which a value that is rounded down becomes smaller.
void FrameSize::note_mask(unsigned to, unsigned from, std::int64_t below) {
  if (from == stack_pointer_) return note(to, {true, below});
  const Value* value = value_in(from);
  if (value != nullptr && value->near_stack) note(to, {true, value->number + below});
}

void FrameSize::note_arm(const llvm::MCInst& inst, const std::string& op, std::uint32_t literal) {
  const unsigned to = reg(inst, 0);
  const auto inverse = [](std::int64_t mask) { return static_cast<std::int64_t>(~static_cast<std::uint32_t>(mask)); };
  if (op == "tMOVr") return note_offset(to, reg(inst, 1), 0);
  if (op == "tADDrSPi") return note_offset(to, stack_pointer_, imm(inst, 2) * 4);
  if (op == "t2ADDri" || op == "t2ADDri12") return note_offset(to, reg(inst, 1), imm(inst, 2));
  if (op == "t2SUBri" || op == "t2SUBri12") return note_offset(to, reg(inst, 1), -imm(inst, 2));
  if (op == "tSUBi8") return note_offset(to, to, -imm(inst, 3));
  if (op == "tADDi8") return note_offset(to, to, imm(inst, 3));
  if (op == "t2BFC") return note_mask(to, reg(inst, 1), inverse(imm(inst, 2)));
  if (op == "t2BICri") return note_mask(to, reg(inst, 1), imm(inst, 2));
  if (op == "t2ANDri") return note_mask(to, reg(inst, 1), inverse(imm(inst, 2)));
  if (op == "tLSRri" || op == "tLSLri")
    return note_mask(to, reg(inst, 2), op == "tLSRri" ? (std::int64_t{1} << imm(inst, 3)) - 1 : 0);
  if (op == "tMOVi8") return note(to, {false, imm(inst, 2)});
  if (op == "t2MOVi" || op == "t2MOVi16") return note(to, {false, imm(inst, 1)});
  if (op == "t2MVNi") return note(to, {false, static_cast<std::int32_t>(~imm(inst, 1))});
  if (is_one_of(op, kArmLiterals)) return note(to, {false, static_cast<std::int32_t>(literal)});
  const Value* low = value_in(to);
  if (op == "t2MOVTi16" && low != nullptr && !low->near_stack)
    note(to, {false, static_cast<std::int32_t>((static_cast<std::uint32_t>(imm(inst, 2)) << 16) |
                                               (static_cast<std::uint32_t>(low->number) & 0xffff))});
}

void FrameSize::note_riscv(const llvm::MCInst& inst, const std::string& op) {
  const unsigned to = reg(inst, 0);
  if (op == "C_MV") return note_offset(to, reg(inst, 1), 0);
  if (op == "C_ADDI4SPN") return note_offset(to, stack_pointer_, imm(inst, 2));
  if (op == "LUI" || op == "C_LUI")
    return note(to, {false, static_cast<std::int32_t>(static_cast<std::uint32_t>(imm(inst, 1)) << 12)});
  if (op == "C_LI") return note(to, {false, imm(inst, 1)});
  if (op == "ADDI" && registers_.getName(reg(inst, 1)) == std::string_view("X0"))
    return note(to, {false, imm(inst, 2)});
  if (op == "ADDI" || op == "C_ADDI") return note_offset(to, reg(inst, 1), imm(inst, 2));
  if (op == "ANDI" && imm(inst, 2) < 0) return note_mask(to, reg(inst, 1), -imm(inst, 2) - 1);
}

}  // namespace byoc
