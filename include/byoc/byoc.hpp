// The host API: import, partition and export for programs. Link byoc::byoc (find_package(byoc)). Standard headers only;
// what takes a Diagnostics does not throw: what goes wrong is told there, and the Result is a failure. Objects are
// handles: copies share what they stand for, which does not change. Threads may use different handles at a time, or
// one Model; not one Codegens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/diagnostics.hpp"
#include "byoc/interface.hpp"
#include "byoc/options.hpp"
#include "byoc/result.hpp"
#include "byoc/target.hpp"
#include "byoc/types.hpp"

#if defined(__GNUC__)
#define BYOC_API __attribute__((visibility("default")))
#else
#define BYOC_API
#endif

namespace byoc {

// The version of the library, "0.1.0".
[[nodiscard]] BYOC_API std::string version();

// A known name ("cortex-m4f"), a description file (ends in ".json"), or a triple with compiler options ("arm-none-eabi
// -mcpu=cortex-m4 -mfloat-abi=hard"). Errors: unknown, incomplete (says what is missing), malformed.
[[nodiscard]] BYOC_API Result<TargetSpec> find_target(const std::string& name_or_string, Diagnostics& diags);

struct TensorInfo {
  std::string name;
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;
  Quantisation quantisation;  // scales empty: none
};

// An imported and prepared model. Its file stays mapped as long as a handle lives; it must not change meanwhile.
class BYOC_API Model {
 public:
  struct Impl;

  // ONNX, TFLite or graph text, found by content. Errors: of the importers, and what cannot be prepared; each names
  // file and node.
  [[nodiscard]] static Result<Model> load(const std::string& path, const PrepareOptions& options, Diagnostics& diags);

  // The file's name made an identifier: what exported symbols start with unless ExportRequest::name says otherwise.
  [[nodiscard]] std::string default_name() const;
  [[nodiscard]] std::vector<TensorInfo> inputs() const;
  [[nodiscard]] std::vector<TensorInfo> outputs() const;
  [[nodiscard]] std::size_t node_count() const;
  // The prepared graph in byoc's graph text. Constants of more than `longest_constant` elements are shown by their
  // hash.
  [[nodiscard]] std::string text(std::size_t longest_constant = SIZE_MAX) const;

  explicit Model(std::shared_ptr<const Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// The codegens of exports for one target: plug-ins in the user's order, then the reference backend. With the last
// handle they end, and what a plug-in says then is lost.
class BYOC_API Codegens {
 public:
  struct Impl;

  // Errors: a plug-in that does not load, is refused (says why), or is there twice; options that do not fit. With
  // PluginChoice::isolate not to be used, nor exported with, while other threads of the program run.
  [[nodiscard]] static Result<Codegens> create(const TargetSpec& target, const PluginChoice& plugins,
                                               Diagnostics& diags);

  [[nodiscard]] const TargetSpec& target() const;
  [[nodiscard]] std::vector<std::string> ids() const;  // in order of preference

  explicit Codegens(std::shared_ptr<Impl> impl);
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

// What one codegen said of a node.
struct NodeVerdict {
  std::string codegen;
  bool claimed = false;
  std::string text;  // why not
};

struct NodeReport {
  std::string name;      // "Conv 'layer1/conv' (#3)"
  std::string codegen;   // who has it; "executor" for control flow
  std::string decision;  // "only", "pin", "order", "priority", "cost", "id"
  std::size_t region = 0;
  std::vector<NodeVerdict> verdicts;
};

struct CodegenCoverage {
  std::string codegen;
  std::size_t regions = 0;
  std::size_t nodes = 0;
  std::uint64_t macs = 0;   // multiply-accumulates of one run
  double node_percent = 0;  // of the model's
  double mac_percent = 0;
};

struct PartitionReport {
  std::vector<NodeReport> nodes;
  std::vector<CodegenCoverage> coverage;  // by codegen, in their order
  std::string json;                       // docs/formats.md
  std::string html;
};

// Who takes which node, and why. Nothing is compiled. Errors: a node nobody takes; pins and ids that fit nothing.
[[nodiscard]] BYOC_API Result<PartitionReport> partition_model(const Model& model, const Codegens& codegens,
                                                               const PartitionOptions& options, Diagnostics& diags);

struct ExportRequest {
  std::string name;       // prefix of public symbols, a C identifier; "" takes the model's default_name()
  std::string toolchain;  // "clang", "gnu"; "" takes the target's default
  Objective objective = Objective::balanced;
  PartitionOptions partition;
  std::function<void(std::string_view stage)> progress;  // told when a stage begins; may be empty
};

// Compiles `model` and writes `out` and what goes beside it, as `byoc export -o OUT` does: all of it or nothing.
// Returns what a caller of the library needs to know. Errors: those of every stage.
[[nodiscard]] BYOC_API Result<ModelInterface> export_model(const Model& model, const Codegens& codegens,
                                                           const ExportRequest& request, const std::string& out,
                                                           Diagnostics& diags);

}  // namespace byoc
