// The instructions of the VM, as a table: what each takes says how it is verified, written and shown.
//
// A function works on registers, each of which holds a value (a tensor, a sequence, an optional) or a list, which only
// the instructions of loops see. Numbers are u32; one of 64 bits is two of them, the lower half first.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace byoc::bytecode {

// Replaces a register: an operand that is not given. In a step: a constant of the library's own.
inline constexpr std::uint32_t kNone = 0xffffffffu;
// Replaces a register in steps and copies: the instance that the library keeps states in.
inline constexpr std::uint32_t kInstance = 0xfffffffeu;

enum class Op : std::uint32_t {
  constant = 0,
  move = 1,
  kill = 2,
  evaluate = 3,
  allocate = 4,
  step = 5,
  copy = 6,
  copy_constant = 7,
  jump = 8,
  branch = 9,
  call = 10,
  give = 11,
  load_state = 12,
  store_state = 13,
  increment = 14,
  less = 15,
  length = 16,
  same = 17,
  slice = 18,
  list = 19,
  append = 20,
  stack = 21,
  open_step = 22,  // a node of the function's graph, by a primitive
};

// The meaning of one number of an instruction.
enum class Field : std::uint32_t {
  to,        // register that is written
  from,      // register that is read
  ends,      // register that holds nothing from here on
  buffer,    // register or kInstance, of which bytes are written
  bytes,     // register or kInstance, of which bytes are read
  new_list,  // register that becomes an empty list
  list,      // register with a list
  constant,
  type,
  type_or_none,
  node,  // of the function's graph
  state,
  primitive,
  function,
  target,  // position of an instruction in the same function
  number,
  flag,
  wide,  // 64 bits
};

// The numbers that follow the fields.
enum class Tail : std::uint32_t {
  none,
  results_and_operands,  // a count, so many registers that are written, registers that are read
  places,                // register, offset (64 bits) for each operand and workspace of a primitive
  operands,              // registers that are read
};

struct Row {
  Op op;
  std::string_view name;
  std::vector<Field> fields;
  Tail tail = Tail::none;
};

// The rows in the order of Op.
[[nodiscard]] std::span<const Row> rows();

struct Instruction {
  Op op = Op::kill;
  std::vector<std::uint32_t> words;
  bool operator==(const Instruction&) const = default;
};

[[nodiscard]] constexpr std::uint64_t wide(std::uint32_t low, std::uint32_t high) {
  return low | (static_cast<std::uint64_t>(high) << 32);
}

}  // namespace byoc::bytecode
