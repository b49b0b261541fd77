// The interface of a compiled model: the header, the manifest, the harness of `byoc run` and the per-layer reports are
// written from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byoc/types.hpp"

namespace byoc {

// A dim of an output whose length only a run tells: IoTensor::dims has the most it can be.
struct CountedLength {
  std::uint32_t dim = 0;
  std::uint32_t output = 0;  // which output, an i32 scalar, says the length; it follows all outputs of the model
};

// The form of a sequence, an optional or a tensor of strings among inputs or outputs in code without a heap: tensors
// that follow each other, with room for the largest number, and flags and lengths beside them.
struct BoundedValue {
  std::string name = {};  // as the model says
  bool is_output = false;
  bool is_sequence = false;  // of as many tensors as `count` says, which come first
  bool is_optional = false;  // there is one where `given` says so
  // The type of its elements in the model; strings are tensors of bytes along the last dim, up to the first 0.
  DType dtype = DType::undefined;
  std::uint32_t first = 0;                  // position of the first tensor among the inputs, or the outputs
  std::uint32_t elements = 1;               // how many tensors there are
  std::optional<std::uint32_t> count = {};  // which of them all is the count, an i32 scalar; nothing: all are there
  std::optional<std::uint32_t> given = {};  // which one says whether it is there, a bool scalar; nothing: it is
  [[nodiscard]] bool is_text() const { return dtype == DType::string; }
  bool operator==(const BoundedValue&) const = default;
};

// An input or output of the model, in the model's order.
struct IoTensor {
  std::string name;   // as the model says
  std::string field;  // its C identifier in <prefix>_inputs_t / <prefix>_outputs_t
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;
  std::uint64_t bytes = 0;
  Quantisation quantisation;  // scales empty: none
  // Inputs only: the run writes other values into this buffer once it has read it (ExportRequest::reuse_inputs).
  bool overwritten = false;
  std::uint32_t align = 0;                  // of the buffer, bytes; 0: that of its element type
  std::vector<CountedLength> counted = {};  // outputs only; elements beyond a counted length are 0
};

// The place of a tensor's bytes while the model runs. `given`: given by the step's caller; the operands have dims that
// only a run knows.
enum class Place { input, output, workspace, constant, instance, given };

// The channels of a tensor that are computed, if not all are.
struct ChannelMap {
  std::uint32_t axis = 0;            // the dim of the channels
  std::vector<std::int64_t> stored;  // for each channel its place among those that are computed; -1: it is not
  // For each channel that is not computed, its integer in every run; nullopt if no node needs it.
  std::vector<std::optional<std::int64_t>> constant;

  [[nodiscard]] bool complete() const { return stored.empty(); }  // all are computed
  // True if all values that are not computed are known.
  [[nodiscard]] bool recoverable() const {
    for (std::size_t c = 0; c < stored.size(); ++c)
      if (stored[c] < 0 && !constant[c]) return false;
    return true;
  }
};

struct StoredTensor {
  std::uint32_t value = 0;  // its id in the prepared graph
  std::string name;
  std::int64_t source_index = -1;  // position in the source's tensor table, -1 where it has none
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;
  std::uint64_t bytes = 0;
  Place place = Place::workspace;
  std::uint32_t index = 0;            // which input or output; workspace: 0, or 1 + which of the further ones
  std::uint64_t offset = 0;           // bytes from the start of that buffer
  std::vector<std::int64_t> strides;  // bytes, one for each dim; empty: dense and row-major
  ChannelMap channels = {};           // dims and bytes are of the computed ones
};

// The result of one kind of rewrite of the graph (ExportRequest::no_optimise).
struct RewriteSummary {
  std::string name;                  // "pads"
  std::uint64_t count = 0;           // how often
  std::uint64_t macs = 0;            // fewer multiply-accumulates of one run
  std::uint64_t constant_bytes = 0;  // fewer bytes of model tensors
  std::uint64_t tensor_bytes = 0;    // fewer bytes of values between nodes, of one run
};

// One call of the root, in execution order.
struct StepInfo {
  std::string symbol;
  std::string kernel;              // "conv_s8_dsp"; "" where the codegen does not say
  std::vector<std::string> nodes;  // "Conv 'layer1/conv' (#3)"
  std::uint64_t macs = 0;
  std::uint64_t constant_bytes = 0;   // flash: constants this step brought
  std::uint64_t live_bytes = 0;       // workspace bytes in use while it runs, scratch included
  std::vector<StoredTensor> results;  // graph values complete once it has run, recoverable from memory right then
  std::string codegen = {};           // id of the codegen that made it; the executor's name for its own
  std::uint64_t workspace_bytes = 0;  // scratch of its own, part of live_bytes
  // Estimates of its codegen; 0: not known.
  std::uint64_t estimated_instructions = 0;  // of one call
  std::uint64_t kernel_bytes = 0;            // of the code of `kernel`, which steps may share
  std::string remark = {};                   // why this kernel
  std::string failure = {};  // why it may fail: "index out of range"; "": it says nothing, or never does
};

// A call that may fail, in the root or in a body of an If, Loop or Scan.
struct RunFailure {
  std::int32_t code = 0;  // that the run then returns
  std::string name;       // part of the macro's: <PREFIX>_FAILED_<NAME>
  std::string symbol;     // of the step; of a loop that runs too many or too few rounds the loop's
  std::string text;       // "Gather 'layer1/gather' (#3): index out of range"
};

// Bytes of a workspace that are one thing while steps [first, last] run. Two may touch where the later one is written
// over what the step reads of the earlier one.
struct WorkspaceBuffer {
  std::string name;             // of a value, as the model says, or what a codegen needs it for
  std::uint32_t workspace = 0;  // 0, or 1 + which of the further ones
  std::uint64_t offset = 0;     // bytes from its start
  std::uint64_t bytes = 0;
  std::uint32_t first = 0;  // step
  std::uint32_t last = 0;
};

// A model's workspace in a RAM of the target other than the first: an accelerator's own, a tightly coupled one.
struct PoolWorkspace {
  std::string pool;     // as the target says: "dtcm"
  std::string field;    // its C identifier; the parameter of <prefix>_run is workspace_<field>
  std::string section;  // where a variable that is this workspace belongs
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  std::uint64_t lower_bound = 0;
};

// The place for a variable in such a RAM.
struct PoolPlace {
  std::string pool;  // as of a PoolWorkspace
  std::string field;
  std::string section;
};

// <prefix>_run(const <prefix>_inputs_t*, const <prefix>_outputs_t*, void* workspace) for a stateless model; with an
// instance, <prefix>_run(<prefix>_instance_t*, inputs, outputs, workspace) and _init, _reset, _deinit over it. Each of
// further_workspaces is one pointer more, in their order.
// A root compiled with BYOC_TRACE defined calls `void byoc_trace(int32_t step)` with -1 at its start and with the
// index of each step right after that step.
struct ModelInterface {
  std::string prefix;  // C identifier that every public symbol starts with
  std::string name;    // as the model says
  std::vector<IoTensor> inputs;
  std::vector<IoTensor> outputs;
  std::uint64_t workspace_bytes = 0;
  std::uint32_t workspace_align = 1;
  std::uint64_t instance_bytes = 0;  // 0: stateless
  std::uint32_t instance_align = 1;
  std::uint64_t workspace_lower_bound = 0;  // largest live set, bytes
  std::uint64_t weight_bytes = 0;           // constants that are model tensors, before layout
  std::vector<StepInfo> steps;
  std::vector<PoolWorkspace> further_workspaces = {};  // in the target's order of pools
  std::vector<RewriteSummary> rewrites = {};           // those that did something
  std::vector<WorkspaceBuffer> buffers = {};           // of all workspaces; of a model compiled here only
  std::optional<PoolPlace> instance_place = {};        // nothing: the instance is where any variable may be
  std::vector<std::string> devices = {};               // those whose handles <prefix>_set_devices() takes
  // Constants that are no part of the library: <prefix>_bind() is given them before the first run. 0: none are.
  std::uint64_t bound_bytes = 0;
  std::vector<BoundedValue> bounded = {};  // what inputs and outputs stand for
  std::vector<RunFailure> failures = {};   // of calls whose steps say why they may fail, codes ascending

  // Outputs of the model: those behind them are counts.
  [[nodiscard]] std::size_t output_count() const {
    std::size_t n = outputs.size();
    for (const IoTensor& t : outputs)
      for (const CountedLength& c : t.counted) n = c.output < n ? c.output : n;
    return n;
  }

  // The failure that a run ended with; null where the code is none of them.
  [[nodiscard]] const RunFailure* failure_of(std::int64_t code) const {
    for (const RunFailure& f : failures)
      if (f.code == code) return &f;
    return nullptr;
  }
  // The failure of a step; null where it has none.
  [[nodiscard]] const RunFailure* failure_of(const std::string& symbol) const {
    for (const RunFailure& f : failures)
      if (f.symbol == symbol) return &f;
    return nullptr;
  }

  // The bytes of all workspaces.
  [[nodiscard]] std::uint64_t all_workspace_bytes() const {
    std::uint64_t sum = workspace_bytes;
    for (const PoolWorkspace& w : further_workspaces) sum += w.bytes;
    return sum;
  }
};

}  // namespace byoc
