// The operations of a model's run: the calls of its steps in planned order, with the place of every operand; the moves
// after them; control flow with the routines of its bodies; the memories and the instance.
//
// A Program is data and complete: an executor prints it (sdk/program/executor) without looking at the graph, at the
// codegens' artifacts, or at the plan. It names functions and constants by their symbols, and knows no executor and no
// language. docs/decisions/executors.md says what it promises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/program/plan/instance.hpp"
#include "sdk/program/plan/memory.hpp"
#include "sdk/program/plan/ram_pools.hpp"

namespace byoc::plan {

// Bytes, and where they are at run time.
struct Operand {
  Place place = Place::workspace;
  // Index of the routine's input or output, or of the program's pool, constant or state.
  std::uint32_t index = 0;
  std::uint64_t offset = 0;  // bytes from the start of that buffer; of a state: from the start of the instance
  std::uint64_t bytes = 0;
  DType dtype = DType::undefined;    // of its elements; undefined: bytes without a type
  ir::ValueId value = ir::kNoValue;  // of the graph; kNoValue: a private value of a codegen's, or a workspace
};

// Bytes that the executor itself moves: to.bytes of them.
struct Move {
  Operand to;
  Operand from;
};

// A value that a loop carries from round to round: the first round reads the call's input, the last one leaves it in
// the call's output.
struct CarriedValue {
  std::uint32_t input = 0;  // positions among those of the call
  std::uint32_t output = 0;
  std::uint64_t bytes = 0;
  DType dtype = DType::undefined;
  // The body may read and write it in one buffer, the call's output. Otherwise the output and a second buffer take
  // turns, which is `second` bytes from the start of the call's first workspace.
  bool in_place = false;
  std::uint64_t second = 0;
};

// An operand of a loop of which each round has one slice, along its first dim.
struct Sliced {
  std::uint32_t operand = 0;   // position among the inputs or the outputs of the call
  std::uint64_t elements = 0;  // of a slice
  bool backwards = false;      // the first round has the last slice
};

enum class ControlKind { branch, loop, scan };

// The If, Loop or Scan of a call, which the executor runs itself. The operands and results of its bodies are in the
// order of sdk/model/ir/control.hpp:
//   branch  (captured...) -> outputs...
//   loop    (iteration, condition, carried..., captured...) -> condition, carried..., stacked...
//   scan    (carried..., scanned..., captured...) -> carried..., stacked...
// They use the workspaces of the call.
struct Control {
  ControlKind kind = ControlKind::branch;
  std::string node;                         // "If 'top' (#3)"
  std::vector<std::uint32_t> bodies;        // of Program::bodies: then and else, or the one
  std::optional<std::uint32_t> condition;   // input: a branch takes the first body where it is not 0, a loop begins
  std::optional<std::uint32_t> trip_count;  // input: a loop ends after so many rounds
  std::optional<std::uint64_t> rounds;      // of a scan; a loop with stacked outputs must run as many
  std::vector<CarriedValue> carried;
  std::vector<Sliced> scanned;          // inputs
  std::vector<std::uint32_t> captured;  // inputs that every round, or both branches, are given as they are
  std::vector<Sliced> stacked;          // outputs
};

struct Call {
  StepInfo step;  // what reports say of it; its symbol is that of the function
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::vector<Operand> workspaces;
  bool uses_instance = false;
  std::uint64_t instance_offset = 0;  // bytes from the start of the model's instance to the part of its codegen
  std::optional<Control> control;     // nothing: a step of a codegen's, which has a function of that symbol
  // In main: the first output of the call's part of the graph, which shares no values with other parts.
  std::uint32_t part = 0;
};

struct Tensor {
  ir::ValueId value = ir::kNoValue;
  std::string name;  // as the model says; may be empty
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;
  std::uint64_t bytes = 0;
  Quantisation quantisation = {};           // scales empty: none
  std::vector<CountedLength> counted = {};  // dims of an output whose length a further output says
  bool overwritten = false;  // an input whose buffer the run writes other values into; aligned to kValueAlign
};

// The calls of one graph: the model's, or the body of an If, Loop or Scan.
struct Routine {
  std::string symbol;  // of a body
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<Call> calls;          // one after the other; the first that fails ends the run
  std::vector<Move> moves;          // after the last call, in order
  std::vector<PoolUse> workspaces;  // what it needs of each of the program's pools
  bool uses_instance = false;

  // True if it gets a workspace in this pool; the first pool always has one.
  [[nodiscard]] bool has_workspace(std::size_t pool) const { return pool == 0 || workspaces[pool].bytes != 0; }
  // The index of the pool's workspace among those that it gets.
  [[nodiscard]] std::uint32_t workspace_index(std::size_t pool) const {
    std::uint32_t index = 0;
    for (std::size_t p = 0; p < pool; ++p) index += has_workspace(p) ? 1u : 0u;
    return index;
  }
};

// A codegen's part of the caller's instance. Its functions get their part of the instance; "" for none.
struct InstancePart {
  std::uint64_t offset = 0;  // bytes
  std::string init, reset, deinit;
  std::string device;  // whose handle is at its start
};

// A state as it is at the start of a sequence.
struct InitialState {
  std::uint64_t offset = 0;  // bytes from the start of the instance
  std::uint64_t bytes = 0;
  std::optional<std::uint32_t> constant;  // of Program::constants: its bytes
  std::uint8_t fill = 0;                  // where there is none: what every byte is
};

struct Instance {
  std::uint64_t bytes = 0;  // 0: the model is stateless
  std::uint32_t align = 8;
  std::uint32_t pool = 0;  // of the program's; 0: where any variable may be
  std::vector<InstancePart> parts;
  std::vector<InitialState> states;
};

struct Program {
  std::string name;  // of the model, as it says
  std::string file;  // for diagnostics
  Routine main;      // its steps have live_bytes and results
  std::vector<Routine> bodies;
  std::vector<RamPool> pools;  // the default first
  Instance instance;
  std::vector<std::string> constants;      // symbols of those that the program itself reads
  std::uint64_t weight_bytes = 0;          // constants that are model tensors, before layout
  Problem memory;                          // the buffers of main's workspaces; behind `pools` those of reused inputs
  std::vector<std::uint64_t> offsets;      // of each of them, bytes from the start of its pool
  std::vector<BoundedValue> bounded = {};  // what main's inputs and outputs stand for
  // Steps of nodes whose operands have dims that only a run knows, each of a node of bytecode::Lowered::open, in its
  // order: main does not call them. Places are Place::given, which of the node's inputs, and outputs behind them.
  std::vector<Call> open = {};
};

// Plans memory over all steps, has the plan verified, and resolves every operand. With `reuse_inputs` the model's input
// buffers are memories, too, for what is only needed after the input and fits in there. Errors: a step reads what
// nothing has computed before it, a step writes an input or a constant, a workspace or private value that may live in
// no RAM pool of the target.
Result<Program> make_program(const ir::Graph& graph, const plugin::Compilation& compilation, const TargetSpec& target,
                             Diagnostics&, bool reuse_inputs = false);

}  // namespace byoc::plan
