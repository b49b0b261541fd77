// A program that calls the steps of graphs one by one, each with buffers of its own between guard bytes, on this
// machine or a simulated board: what a step writes, what it reads that nobody wrote, and its overlays are seen there.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/app/check/recorder.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::check {

// The steps of one graph.
struct StepGraph {
  struct Buffer {
    std::uint64_t bytes = 0;
    std::uint32_t align = 1;
    std::uint32_t kind = 0;          // of firmware/steps.h
    std::string name;                // for people
    DType dtype = DType::undefined;  // of its elements, where it is a value of the graph
  };
  struct Call {
    std::string symbol;
    std::string name;                     // for people: "step 'g_conv' of Conv"
    std::vector<std::size_t> parameters;  // buffers
    std::size_t inputs = 0, outputs = 0, workspaces = 0;
    bool instance = false;
    std::vector<codegen::Overlay> overlays;
  };
  std::string archive;
  std::vector<Buffer> buffers;
  std::vector<Call> calls;
  std::string init;
  std::size_t instance = 0;
  std::vector<std::vector<std::byte>> given;    // for each set the bytes of what is given, one after the other
  std::map<std::uint32_t, std::size_t> values;  // buffer of each of the graph's values that has one
  std::map<std::uint32_t, std::size_t> private_values;
  std::uint64_t constant_bytes = 0;

  [[nodiscard]] std::uint64_t ram() const;
};

// The steps that the recorder has seen for this graph. `sets`: input tensors, one list for each run. Error: a step has
// an operand that nobody computes.
[[nodiscard]] Result<StepGraph> make_step_graph(const Recorder& record, const ir::Graph& graph,
                                                std::span<const std::vector<evaluate::Tensor>> sets,
                                                Diagnostics& diags);

struct StepOutcome {
  // "" or what went wrong, with its requirement.
  std::string problem;
  std::string requirement;
  // For each set and each of the two fills: the bytes of each buffer that is a value; empty if the run did not get
  // there.
  std::vector<std::vector<std::map<std::size_t, std::vector<std::byte>>>> runs;
};

// RAM for the buffers of one graph.
[[nodiscard]] Result<std::uint64_t> step_memory(const TargetSpec& target, Diagnostics& diags);

// Links and runs them, in `folder`. `libraries` are linked besides. Errors: what the linker says; no compiler or
// simulator.
[[nodiscard]] Result<std::vector<StepOutcome>> run_steps(const TargetSpec& target, const std::string& folder,
                                                         std::span<const StepGraph> graphs,
                                                         const std::vector<std::string>& libraries, Diagnostics& diags);

}  // namespace byoc::check
