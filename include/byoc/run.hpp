// The result of a run of a compiled model: on this machine, or as firmware in a simulated board. Part of byoc/byoc.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byoc/interface.hpp"

namespace byoc {

// Bytes of the linked firmware that are there because of the model, C library functions it needs included: the
// difference to the same firmware linked with a model that does nothing.
struct FlashUse {
  std::uint64_t text = 0;
  std::uint64_t rodata = 0;   // without `weights`
  std::uint64_t data = 0;     // initial values of .data
  std::uint64_t weights = 0;  // ModelInterface::weight_bytes
  [[nodiscard]] std::uint64_t total() const { return text + rodata + data + weights; }
};

struct RamUse {
  std::uint64_t workspace = 0;  // ModelInterface's workspaces and instance; inputs and outputs are the caller's
  std::uint64_t data = 0;
  std::uint64_t bss = 0;
  std::uint64_t stack = 0;  // deepest below the caller of <prefix>_run, in one inference
  [[nodiscard]] std::uint64_t total() const { return workspace + data + bss + stack; }
};

// A graph value as it was right after the step that completed it: dense, row-major, with all channels.
struct DumpedTensor {
  StoredTensor tensor;
  std::vector<std::byte> bytes;
};

// An output of one run beside the values that it was compared with.
struct OutputDifference {
  std::size_t run = 0;
  std::string name;
  std::size_t elements = 0;
  std::size_t mismatches = 0;  // elements that are not equal
  std::size_t beyond = 0;      // of them: off by more than the comparison allows
  double largest = 0;          // absolute error, of the elements as they are stored; NaN where only one is a number
  double step = 0;             // real value of 1 of them; 0: not quantised, or not by one scale
  double cosine = 1;           // of the real values
};

// A run against the evaluator, tensor by tensor: docs/simulation.md says what agrees.
struct RunComparison {
  std::size_t runs = 1;
  std::size_t tensors = 0;          // that were compared, of all runs
  std::size_t exact = 0;            // of them: had to be what the evaluator says, bit for bit
  std::vector<std::string> stated;  // how near codegens state the others are: "within 1 LSB"
  // The first that is off by more, in the order of the model.
  struct Difference {
    std::size_t run = 0;
    std::string tensor;        // its name
    std::string node;          // who computes it: "Conv 'layer1/conv' (#3)"
    std::string allowed;       // "exactly", "within 1 LSB"
    std::size_t element = 0;   // the first that differs
    std::size_t count = 0;     // how many differ
    std::size_t elements = 0;  // of how many
    double found = 0;
    double expected = 0;
  };
  std::optional<Difference> difference;
  std::size_t taken = 0;  // tensors beside them that only the target computes: of operators that byoc does not know
  // Every output that the comparison reached.
  std::vector<OutputDifference> outputs = {};
};

// The verdict on a step that was given the evaluator's inputs. For a region or a codegen: the verdicts on its steps.
struct StepVerdict {
  enum class Kind { agrees, differs, wrong, unseen };
  std::size_t step = 0;      // index into ModelInterface::steps
  std::string region;        // "": none is known of it
  Kind kind = Kind::unseen;  // wrong: a status, memory that is not its own; unseen: none of its values can be recovered
  std::string allowed;       // by how much its results may be off, the most of them: "exactly", "within 1 LSB"
  std::size_t tensors = 0;   // that were compared, of all runs
  std::string text;          // what differs or is wrong; "" where it agrees
};

struct RunResult {
  // The outputs of the model, of all runs in sequence. An output with a count (IoTensor::counted) has that length here;
  // counts themselves are not included.
  std::vector<std::vector<std::byte>> outputs;
  std::vector<std::vector<std::int64_t>> output_dims = {};  // of each of them
  std::optional<std::uint64_t> instructions;                // of one inference, executed; simulated boards only
  std::optional<std::uint64_t> nanoseconds;  // of one inference; on this machine only, shortest of up to ten
  std::vector<std::uint64_t> times = {};     // with RunOptions::repeat: nanoseconds of each of them
  FlashUse flash;
  RamUse ram;
  // Figures are of the first run. With RunOptions::profile, one for each step: instructions or nanoseconds, as above;
  // empty where neither is counted.
  std::vector<std::uint64_t> step_counts;
  // With RunOptions::cycles, one for each step: estimated, see docs/simulation.md.
  std::vector<std::uint64_t> step_cycles = {};
  // With RunOptions::dump, in order of completion, of all runs in sequence, without values that live in constants.
  std::vector<DumpedTensor> dumps = {};
  std::optional<RunComparison> comparison = {};  // with RunOptions::compare
  std::vector<StepVerdict> verdicts = {};        // with RunOptions::bisect, one for each step
};

// The model's own program around it is compiled by the target's GNU compiler.
struct RunOptions {
  std::string pack = "a";  // how the model is linked: "a", "o" or "so", as export_model() would write it
  std::vector<std::string> libraries = {};  // objects and static libraries that are linked besides, as drivers
  unsigned timeout_seconds = 600;           // of one simulation
  bool reset = false;                       // the instance is reset before each run but the first
  // Further runs of the last inputs, each timed; on this machine, of what was exported before.
  std::uint32_t repeat = 0;
  // The number of threads of this machine that share the steps of a model that was exported with --threads. 0: none
  // were asked for.
  std::uint32_t threads = 0;
  // Options that need ExportRequest::trace, and the model:
  bool profile = false;    // figures of each step
  bool cycles = false;     // cycles of each step, too; for CPUs with an estimate (docs/simulation.md)
  std::string flash = {};  // with `cycles`: wait for the flash of this part at this clock, "l4r5@120"
  bool dump = false;       // every tensor
  bool compare = false;    // every tensor with the evaluator's; and steps are watched (docs/simulation.md)
  bool bisect = false;     // every step is given the evaluator's values, and gets a verdict
};

}  // namespace byoc
