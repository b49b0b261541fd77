// Models that a host interprets: bytecode with a kernel library beside it (--executor vm), or by itself, for the
// evaluator (byoc export --executor interpreted). As byoc/byoc.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/byoc.hpp"
#include "byoc/rt/threads.h"

namespace byoc {

// A value of a run: a tensor of numbers (bytes, row-major) or of strings (texts), or what holds others.
struct HostValue {
  enum class Kind { tensor, sequence, optional };
  Kind kind = Kind::tensor;
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims = {};
  std::vector<std::byte> bytes = {};
  std::vector<std::string> texts = {};  // of a tensor of strings
  std::vector<HostValue> items = {};    // of a sequence; of an optional one or none
};

// An input or output, as the model states it.
struct ValueInfo {
  std::string name = {};
  std::string type = {};  // "f32[N,3]"
  HostValue::Kind kind = HostValue::Kind::tensor;
  DType dtype = DType::undefined;
  // Dims that only a run knows are negative; nullopt: the rank is unknown, too.
  std::optional<std::vector<std::int64_t>> dims = {};
};

// The limits of one run; 0: no limit.
struct HostLimits {
  std::uint64_t memory = 0;        // bytes of all values that are alive at once
  std::uint64_t instructions = 0;  // of the bytecode
};

// A model made ready to be interpreted by this program. One thread at a time: it keeps its states between runs.
class BYOC_API HostModel {
 public:
  struct Impl;

  // True if `path` is a file of bytecode, or a shared library that has bytecode.
  [[nodiscard]] static bool is_one(const std::string& path);
  // Bytecode of its own, or beside a kernel library, which is loaded. Errors: those of load_module(), bytecode that is
  // damaged or does not fit its library.
  [[nodiscard]] static Result<HostModel> open(const std::string& path, Diagnostics& diags);
  // Opens bytecode whose constants are in a file of their own: `weights`, which --weights-blob wrote (for several
  // models, if you like). Errors: no such file, a damaged one, one of another model, bytecode that has its constants.
  [[nodiscard]] static Result<HostModel> open(const std::string& path, const std::string& weights, Diagnostics& diags);
  // Reads such a file, for any machine: none of its code is loaded, so an untrusted file is safe. inputs(), outputs(),
  // text() and bytecode() are there, a run is an error. Errors: those of open(), except those that only a loaded
  // library can show.
  [[nodiscard]] static Result<HostModel> read(const std::string& path, Diagnostics& diags);
  // Every node through the evaluator. Load the model with PrepareOptions::open_types.
  [[nodiscard]] static Result<HostModel> interpret(const Model& model, Diagnostics& diags);

  [[nodiscard]] std::vector<ValueInfo> inputs() const;
  [[nodiscard]] std::vector<ValueInfo> outputs() const;
  // Runs the model; values are in the order of inputs() and outputs(). Errors: inputs that do not fit, those of nodes
  // and steps, a limit.
  [[nodiscard]] Result<std::vector<HostValue>> run(std::span<const HostValue> inputs, const HostLimits& limits,
                                                   Diagnostics& diags) const;
  // Takes effect from the next run on, for a model that was exported with --threads; null: no threads any more. They
  // must outlive the runs. Error: a model without --threads.
  [[nodiscard]] Result<void> set_threads(const byoc_threads_t* threads, Diagnostics& diags) const;
  // Resets the states to the start of a new sequence.
  [[nodiscard]] Result<void> reset(Diagnostics& diags) const;
  [[nodiscard]] std::string text() const;                 // the instructions, for people
  [[nodiscard]] std::vector<std::byte> bytecode() const;  // as a file has it
  // The bytecode without constants of options.least bytes and more, and these constants, as options.file has them (.bin
  // or .hex). Errors: there is no such constant, those of a key.
  struct Detached {
    std::vector<std::byte> bytecode, weights;
  };
  [[nodiscard]] Result<Detached> detach(const WeightsOptions& options, Diagnostics& diags) const;

  explicit HostModel(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

// True if an executor of that name interprets: its exports are run with HostModel, and models for it are loaded with
// PrepareOptions::open_types.
[[nodiscard]] BYOC_API bool executor_interprets(const std::string& name);

// A value from a file, by the end of its name: .npy, .pb (an ONNX TensorProto, of a sequence a SequenceProto, of an
// optional an OptionalProto), anything else raw bytes of an input whose dims are known. Open dims are taken from the
// file. Errors as read_tensor(); strings, sequences and optionals that are not in a .pb.
[[nodiscard]] BYOC_API Result<HostValue> read_value(const std::string& path, const ValueInfo& input,
                                                    Diagnostics& diags);

}  // namespace byoc
