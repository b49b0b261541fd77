// A model as bytecode: functions over registers, the constants and graph nodes they use, and the names of the steps of
// a kernel library (include/byoc/rt/steps.h) that they call. docs/formats.md has the file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/program/bytecode/instructions.hpp"

namespace byoc::bytecode {

struct Constant {
  std::uint32_t type = 0;  // of Module::types
  Blob bytes;
  // For a constant that is bound late: its offset in the bound data, in bytes. `bytes` is empty until then.
  std::optional<std::uint64_t> late = {};
};

// The operands of a step whose node has dims that only a run knows.
struct OpenOperands {
  struct Length {
    std::uint32_t operand = 0;  // of the node's, as below
    std::uint32_t axis = 0;
    bool operator==(const Length&) const = default;
  };
  std::vector<std::uint32_t> operands;  // for each of the step's which of the node's inputs, and outputs behind them
  std::vector<Length> lengths;          // its dims, in order
  bool operator==(const OpenOperands&) const = default;
};

// A step of the kernel library, as it was when the bytecode was made: another one is not called.
struct Primitive {
  std::string name;                       // of the step
  std::uint32_t inputs = 0;               // so many of the operands; the rest are outputs
  std::vector<std::uint64_t> operands;    // bytes of each; 0 of an open one
  std::vector<std::uint64_t> workspaces;  // the same
  bool uses_instance = false;
  std::uint64_t instance_offset = 0;
  std::optional<OpenOperands> open = {};
  bool operator==(const Primitive&) const = default;
};

// Registers 0 to parameters.size() - 1 hold the arguments at the start. A function calls only those behind it.
struct Function {
  std::string name;
  std::vector<std::uint32_t> parameters;  // types; names there are those of the model
  std::vector<std::uint32_t> results;
  std::uint32_t registers = 0;
  std::uint32_t graph = kNone;  // of Module::graphs: whose nodes it evaluates
  std::vector<Instruction> code;
};

// A value that the interpreter keeps between runs.
struct State {
  std::uint32_t type = 0;
  std::uint32_t constant = 0;  // its value at the start
};

struct Module {
  std::string name;                  // of the model
  std::string prefix;                // of the kernel library's symbols; "": there is no library
  std::uint64_t instance_bytes = 0;  // that the library keeps its states in; 0: none
  ir::Graph types;                   // its values are the types: nothing else is in it
  std::vector<ir::Graph> graphs;     // nodes that are evaluated; all their operands are inputs
  std::vector<Constant> constants;
  std::vector<Primitive> primitives;
  std::vector<State> states;
  std::vector<Function> functions;  // the first is the model
  // The key for constants that are bound late: a hash of everything else. Zeros if there are none.
  std::array<std::uint8_t, 16> layout{};

  [[nodiscard]] const ir::TensorType& type(std::uint32_t t) const { return types.values[t].type; }
  [[nodiscard]] bool binds_constants() const;
  // True if some of its steps are open.
  [[nodiscard]] bool opens() const;
  // True if some of its constants are still to be bound.
  [[nodiscard]] bool lacks_constants() const;
};

// Gives constants that are bound late their bytes, which are pieces of `payload`: one that was made for this layout.
// Error: it is too short.
Result<void> bind_constants(Module& module, const Blob& payload, const std::string& file, Diagnostics& diags);

// Checks everything that the machine relies on. Errors, of the first function that is wrong: an unknown instruction, a
// wrong number of operands, an index out of range, a register that is not assigned on every path to its use, a jump out
// of the function, unreachable code, an end without `give`, a call of a function that is not behind, bytes beyond a
// buffer, a constant that is written.
Result<void> verify(const Module& module, const std::string& file, Diagnostics& diags);

// The module as text, for people.
[[nodiscard]] std::string disassemble(const Module& module);

}  // namespace byoc::bytecode
