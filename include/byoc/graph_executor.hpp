// Runs a graph.json, step by step, on this machine: what `byoc export --executor graph` writes, and files of the same
// format that others made. Part of the host API (byoc/byoc.hpp): Result and Diagnostics are as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "byoc/diagnostics.hpp"
#include "byoc/result.hpp"
#include "byoc/rt/packed.h"
#include "byoc/rt/threads.h"
#include "byoc/visibility.hpp"

namespace byoc {

class LoadedModule;

struct GraphTensor {
  std::string name;  // of its node; "conv.1" where that has several outputs
  byoc_dl_data_type_t type{};
  std::vector<std::int64_t> dims;
  std::uint64_t bytes = 0;
};

// The function of that name; null where there is none.
using PackedLookup = std::function<byoc_packed_function_t(const std::string& name)>;

struct GraphSource {
  std::string name;                          // for diagnostics
  std::string json;                          // graph.json
  PackedLookup functions = {};               // called while the executor is made
  std::shared_ptr<const void> library = {};  // keeps what they are in; may be empty
};

// The reaction to a parameter that the graph has no node for.
enum class UnknownParams { warn, error };

// Told of each tensor once it is computed. `node`: position in graph.json.
using GraphObserver = std::function<void(std::size_t node, const GraphTensor&, std::span<const std::byte> bytes)>;

// A handle; copies share the executor. One thread at a time.
class BYOC_API GraphExecutor {
 public:
  struct Impl;

  // Errors: a graph.json that is wrong (all that can be found), a function that is not there, too much memory.
  [[nodiscard]] static Result<GraphExecutor> create(const GraphSource& source, Diagnostics& diags);
  // Creates it with the graph and the parameters of a library that was exported with executor `graph`. The library
  // stays open as long as the executor exists.
  [[nodiscard]] static Result<GraphExecutor> create(const LoadedModule& root, Diagnostics& diags);
  // Opens three files; `params` may be "". The library is any shared library that has the functions. Additional errors:
  // those of the dynamic linker.
  [[nodiscard]] static Result<GraphExecutor> open(const std::string& graph, const std::string& library,
                                                  const std::string& params, Diagnostics& diags);

  // The nodes without a function, parameters among them, and the heads; valid as long as the executor is there.
  [[nodiscard]] const std::vector<GraphTensor>& inputs() const;
  [[nodiscard]] const std::vector<GraphTensor>& outputs() const;
  // The number of leading inputs that are a model's that byoc exported; for other graphs, all inputs.
  [[nodiscard]] std::size_t model_inputs() const;
  // Error: there is none of that name.
  [[nodiscard]] Result<std::size_t> input(const std::string& name, Diagnostics& diags) const;

  // Copies. Errors: no such input, another size.
  Result<void> set_input(std::size_t input, std::span<const std::byte> bytes, Diagnostics& diags);
  Result<void> set_input(const std::string& name, std::span<const std::byte> bytes, Diagnostics& diags);
  // From now on the graph reads and writes these tensors in place; they must outlive that use. Additional errors:
  // another element type or shape, gaps, a device that is not the CPU, an address that the element type does not allow,
  // an input that the graph writes.
  Result<void> set_input_zero_copy(std::size_t input, const byoc_dl_tensor_t& tensor, Diagnostics& diags);
  Result<void> set_input_zero_copy(const std::string& name, const byoc_dl_tensor_t& tensor, Diagnostics& diags);
  Result<void> set_output_zero_copy(std::size_t output, const byoc_dl_tensor_t& tensor, Diagnostics& diags);
  // The current bytes, without a copy; those of an output until the next run. Error: no such input or output.
  [[nodiscard]] Result<std::span<const std::byte>> get_input(std::size_t input, Diagnostics& diags) const;
  [[nodiscard]] Result<std::span<const std::byte>> get_output(std::size_t output, Diagnostics& diags) const;

  // A file of parameters (docs/formats.md). Errors: one that is damaged, a parameter of another type or shape.
  Result<void> load_params(std::span<const std::byte> params, Diagnostics& diags,
                           UnknownParams unknown = UnknownParams::warn);
  // The inputs that `params` names are those of `source` from now on, without a copy; it may go. Errors as above, and a
  // name that `source` does not have.
  Result<void> share_params(const GraphExecutor& source, std::span<const std::byte> params, Diagnostics& diags);

  // Error: a function that failed.
  Result<void> run(Diagnostics& diags);
  Result<void> run(const GraphObserver& observer, Diagnostics& diags);
  // A run that also gives the nanoseconds of each node of graph.json; 0 for nodes without a function.
  [[nodiscard]] Result<std::vector<std::uint64_t>> run_timed(Diagnostics& diags);
  // Takes effect from the next run on, for a graph that was exported with --threads; null: no threads any more. They
  // must outlive the runs. Error: a graph without --threads.
  Result<void> set_threads(const byoc_threads_t* threads, Diagnostics& diags);
  // Resets the values kept from run to run to those at the start.
  void reset();

  [[nodiscard]] const std::string& graph_json() const;
  // Bytes of memory of its own, for all tensors.
  [[nodiscard]] std::uint64_t memory_bytes() const;

  explicit GraphExecutor(std::shared_ptr<Impl> impl);
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace byoc
