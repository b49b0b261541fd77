// The frame of a function by its instructions, one after the other. Internal to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class MCInst;
class MCInstrInfo;
class MCRegisterInfo;
}  // namespace llvm

namespace byoc {

// Follows the stack pointer of one function. Its sum counts every instruction that lowers the pointer once, so it
// bounds the frame also where a function has several entries to its body; a loop that lowers it is for the caller to
// find. An instruction that moves the pointer in a way that is not known ends in unknown().
class FrameSize {
 public:
  FrameSize(const llvm::MCInstrInfo& instructions, const llvm::MCRegisterInfo& registers, bool is_arm);

  // The next instruction, at `address`. `literal` is the word that it loads from the code, where it does that.
  void add(const llvm::MCInst& inst, std::uint64_t address, std::uint32_t literal);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::string& unknown() const { return unknown_; }
  // Addresses of the instructions that lower the stack pointer.
  [[nodiscard]] const std::vector<std::uint64_t>& places() const { return places_; }
  // True if the instruction writes the register of this name.
  [[nodiscard]] bool writes(const llvm::MCInst& inst, unsigned reg) const;

 private:
  // The known content of a register.
  struct Value {
    bool near_stack = false;  // the stack pointer's value, or more, or `number` bytes less
    std::int64_t number = 0;  // else this
  };

  [[nodiscard]] std::string opcode(const llvm::MCInst& inst) const;
  [[nodiscard]] unsigned reg(const llvm::MCInst& inst, unsigned operand) const;
  [[nodiscard]] std::int64_t imm(const llvm::MCInst& inst, unsigned operand) const;
  [[nodiscard]] const Value* value_in(unsigned reg) const;
  [[nodiscard]] bool is_frame_pointer(unsigned reg) const;

  void lower(std::int64_t by, std::uint64_t address);
  void move_arm(const llvm::MCInst& inst, const std::string& op, std::uint64_t address);
  void move_riscv(const llvm::MCInst& inst, const std::string& op, std::uint64_t address);
  void copy_to_stack_pointer(unsigned from, std::uint64_t address);
  void add_register(unsigned from, int sign, std::uint64_t address);
  void note_arm(const llvm::MCInst& inst, const std::string& op, std::uint32_t literal);
  void note_riscv(const llvm::MCInst& inst, const std::string& op);
  void note(unsigned reg, const Value& value) { noted_.emplace(reg, value); }
  void note_offset(unsigned to, unsigned from, std::int64_t by);
  void note_mask(unsigned to, unsigned from, std::int64_t below);

  const llvm::MCInstrInfo& instructions_;
  const llvm::MCRegisterInfo& registers_;
  bool is_arm_;
  unsigned stack_pointer_ = 0;
  std::vector<unsigned> frame_pointers_;
  std::map<unsigned, Value> values_;
  std::optional<std::pair<unsigned, Value>> noted_;  // what the instruction leaves in a register
  std::uint64_t bytes_ = 0;
  std::string unknown_;
  std::vector<std::uint64_t> places_;
};

// The register of this name in the target's tables; 0 if it has none.
[[nodiscard]] unsigned register_named(const llvm::MCRegisterInfo& registers, const std::string& name);

}  // namespace byoc
