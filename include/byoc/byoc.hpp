// The host API: import, partition, export, run and load for programs; byoc/pack.hpp and byoc/inspect.hpp have what
// needs no model. The command line is written against it. Link byoc::byoc (find_package(byoc)). Standard headers only;
// what takes a Diagnostics does not throw: what goes wrong is told there, and the Result is a failure. Objects are
// handles: copies share what they stand for, which does not change. Threads may use different handles at a time, or one
// Model; not one Codegens. A program may have any number of threads, and what it does with signals and with want of
// memory is its own: libbyoc sets no handlers and does not end it.
//
// Compilers on code of others, plug-ins that are isolated, the linker, and runs of libraries have processes of their
// own, whose crash is an error: the program byoc of the same version, which is installed with the library
// (PREFIX/bin/byoc), or named by the environment variable BYOC_WORKER. That it is not there is an error of what needs
// it. What remains: files of more than 64 MiB are mapped, and who cuts one off while it is read raises a SIGBUS, which
// no library can prevent; and where memory runs out inside of LLVM, which compiles byoc's own sources in this process,
// LLVM may abort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/diagnostics.hpp"
#include "byoc/interface.hpp"
#include "byoc/options.hpp"
#include "byoc/result.hpp"
#include "byoc/rt/steps.h"
#include "byoc/run.hpp"
#include "byoc/sizes.hpp"
#include "byoc/target.hpp"
#include "byoc/types.hpp"
#include "byoc/visibility.hpp"

namespace byoc {

// The version of the library, "0.1.0".
[[nodiscard]] BYOC_API std::string version();

// A known name ("cortex-m4f"), a description file (ends in ".json"), or a triple with compiler options ("arm-none-eabi
// -mcpu=cortex-m4 -mfloat-abi=hard"). Errors: unknown, incomplete (says what is missing), malformed.
[[nodiscard]] BYOC_API Result<TargetSpec> find_target(const std::string& name_or_string, Diagnostics& diags);

// The named targets, in the order of byoc targets.
[[nodiscard]] BYOC_API std::vector<TargetSpec> targets();

struct TensorInfo {
  std::string name;
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;
  Quantisation quantisation;  // scales empty: none
};

// An imported and prepared model. Its files stay mapped as long as a handle lives. That they have changed since they
// were read is an error of whatever is made of the model next.
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
  // This model with its layers renamed to n00000 and so on; `names` becomes JSON with the original names
  // (docs/formats.md, "Names of layers"). CompiledModel does so for NameOptions::map.
  [[nodiscard]] Model without_names(std::string& names) const;

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

  // Errors: a plug-in that does not load, is refused (says why), or is there twice; options that do not fit.
  [[nodiscard]] static Result<Codegens> create(const TargetSpec& target, const PluginChoice& plugins,
                                               Diagnostics& diags);

  [[nodiscard]] const TargetSpec& target() const;
  [[nodiscard]] std::vector<std::string> ids() const;  // in the order in which they are asked
  // Ends them, for all handles: nothing can be compiled with them any more. Error: what a plug-in says at its end.
  Result<void> end(Diagnostics& diags) const;

  explicit Codegens(std::shared_ptr<Impl> impl);
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

// The verdict of one codegen on a node.
struct NodeVerdict {
  std::string codegen;
  bool claimed = false;
  std::string text;  // why not
  // The closeness of its results.
  codegen::Exactness exactness = codegen::Exactness::exact;
  double tolerance = 0;
};

struct NodeReport {
  std::string name;      // "Conv 'layer1/conv' (#3)"
  std::string codegen;   // who has it; "executor" for control flow
  std::string decision;  // "only", "pin", "order", "priority", "cost", "id"
  std::size_t region = 0;
  // The closeness that the codegen states for the results, alone or for the group in which it was granted.
  codegen::Exactness exactness = codegen::Exactness::exact;
  double tolerance = 0;
  std::vector<NodeVerdict> verdicts;
};

struct CodegenCoverage {
  std::string codegen;
  std::size_t regions = 0;
  std::size_t nodes = 0;
  std::uint64_t macs = 0;        // multiply-accumulates of one run
  std::uint64_t model_macs = 0;  // those of the whole model; 0: it has none
  double node_percent = 0;       // of the model's
  double mac_percent = 0;
};

struct PartitionReport {
  std::vector<NodeReport> nodes;
  std::vector<CodegenCoverage> coverage;  // by codegen, in their order
  std::vector<RewriteSummary> rewrites;   // those of the graph that do something
  std::string json;                       // docs/formats.md
  std::string html;
  std::string svg;  // the graph alone, drawn; "": it has too many nodes for that
};

// The placement of all nodes, its reasons, and the rewrites in the regions. Nothing is compiled; of `request` only the
// options for these, and `progress`, count. Errors: a node that no codegen takes; pins and ids that fit nothing.
[[nodiscard]] BYOC_API Result<PartitionReport> partition_model(const Model& model, const Codegens& codegens,
                                                               const ExportRequest& request, Diagnostics& diags);

// A region as compilers of others read it.
struct RegionFile {
  std::string name;     // "0_c": its number in the report and its codegen; unique among them
  std::string codegen;  // whose it is
  // The region as a model; empty where there is none, and then why.
  std::vector<std::byte> onnx, tflite;
  std::string no_onnx, no_tflite;
};

// The regions of partition_model(), as they are before anything is rewritten. Errors: those of partition_model().
[[nodiscard]] BYOC_API Result<std::vector<RegionFile>> region_files(const Model& model, const Codegens& codegens,
                                                                    const ExportRequest& request, Diagnostics& diags);

// The bytes of a tensor, row-major, little-endian.
using TensorBytes = std::vector<std::byte>;

// A text that is written together with a library, as a report.
struct OutputText {
  std::string path;
  std::string text;
};

// Bills of materials that are written together with a library: beside it, or in it if it is a folder.
struct BillsOfMaterials {
  std::vector<std::string> forms = {};  // "spdx", "cyclonedx", "slsa"
  std::string model_licence = {};       // SPDX licence expression of the model; "": not known
};

// A model compiled for one target, not written yet.
class BYOC_API CompiledModel {
 public:
  struct Impl;

  // Errors: those of every stage.
  [[nodiscard]] static Result<CompiledModel> compile(const Model& model, const Codegens& codegens,
                                                     const ExportRequest& request, Diagnostics& diags);

  // Inputs, outputs, workspace and steps of the exported library.
  [[nodiscard]] const ModelInterface& interface() const;
  // The flash and the stack that it takes, and the libraries that it is linked with.
  [[nodiscard]] LibrarySizes sizes() const;
  // As partition_model(), with the kernel of each step and its cost. `codegens`: those it was compiled with.
  [[nodiscard]] Result<PartitionReport> report(const Codegens& codegens, Diagnostics& diags) const;
  // Writes `out` and what goes beside it, as `byoc export -o OUT` does, and `others`: all of it or nothing. For a
  // folder or a shared library it should be compiled with ExportRequest::step_table, or nobody can call single steps of
  // it. Errors: two outputs that are one file, one that is a file of the model, a missing folder; a model whose files
  // have changed since they were read.
  Result<void> write(const std::string& out, Diagnostics& diags) const { return write(out, {}, diags); }
  Result<void> write(const std::string& out, std::span<const OutputText> others, Diagnostics& diags) const {
    return write(out, others, {}, diags);
  }
  Result<void> write(const std::string& out, std::span<const OutputText> others, const BillsOfMaterials& bills,
                     Diagnostics& diags) const;
  // Every file that was read and may change it: the model and its external data, added files, plug-ins, headers; not
  // what has no file (a target by its name).
  [[nodiscard]] std::vector<std::string> files_read() const;
  // Runs it where the target says: on this machine, in QEMU's user mode, or as firmware on a simulated board. `inputs`:
  // one for each input of the model; as many again for a second run of the same instance, and so on. Errors: compilers,
  // emulators and linkers, inputs of the wrong number or size, a fault, no end in time. A comparison that finds a
  // difference is none.
  [[nodiscard]] Result<RunResult> run(std::span<const TensorBytes> inputs, const RunOptions& options,
                                      Diagnostics& diags) const;

  explicit CompiledModel(std::shared_ptr<const Impl> impl);

 private:
  std::shared_ptr<const Impl> impl_;
};

// Compiles `model` and writes it, with a table of steps where `out` is for programs that load it. Returns what a caller
// of the library needs to know. Errors: those of every stage.
[[nodiscard]] BYOC_API Result<ModelInterface> export_model(const Model& model, const Codegens& codegens,
                                                           const ExportRequest& request, const std::string& out,
                                                           Diagnostics& diags);

// A model that was exported before, as a .so, .o, .a, .tar or folder, made ready to be run.
class BYOC_API ExportedModel {
 public:
  struct Impl;

  // True if `path` is an exported folder, or a library by its content or its name, and not a model.
  [[nodiscard]] static bool is_one(const std::string& path);
  // `target` replaces the one that the library names; "" looks that up among the known ones. A library that this
  // machine can load is loaded; any other is linked and simulated. Errors: a file that byoc did not write, a library
  // without a model or with several, a folder with another target than its own.
  [[nodiscard]] static Result<ExportedModel> open(const std::string& path, const std::string& target,
                                                  Diagnostics& diags);
  [[nodiscard]] const ModelInterface& interface() const;  // without what steps leave in memory
  [[nodiscard]] const TargetSpec& target() const;
  [[nodiscard]] const std::string& executor() const;  // which one runs it: "aot", "graph"
  // As CompiledModel::run(), without the options that need the model. With executor `graph`, steps are timed and
  // tensors dumped by the names that the graph has for them.
  [[nodiscard]] Result<RunResult> run(std::span<const TensorBytes> inputs, const RunOptions& options,
                                      Diagnostics& diags) const;

  explicit ExportedModel(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

// Values for an input from a file, by the end of its name: .npy, .pb (an ONNX TensorProto), anything else raw bytes.
// Errors: another element type or shape than the input's, a file that cannot be read.
[[nodiscard]] BYOC_API Result<TensorBytes> read_tensor(const std::string& path, const IoTensor& input,
                                                       Diagnostics& diags);

// Exported libraries on this machine. What byoc writes for a host carries its module tree; modules are found by
// their imports, in the order of the export. A module, and a function taken from one, keep the library open: it is
// closed when the last of them is gone.

// The functions that a loader finds in an opaque module.
class LoadedOpaque {
 public:
  virtual ~LoadedOpaque() = default;
  // The address of a function, null where there is none of that name. Valid as long as this is.
  virtual void* find(const std::string& function) = 0;
};

// Makes it of the bytes, which stay as long as the result does; reports why it cannot, and returns null.
using OpaqueLoader = std::function<std::unique_ptr<LoadedOpaque>(std::span<const std::byte> bytes, Diagnostics& diags)>;

class LoadedFunction {
 public:
  // Signature is a function type, "int32_t(const kws_inputs_t*, const kws_outputs_t*, void*)"; it must be the
  // function's own. The pointer is valid as long as a LoadedFunction or LoadedModule of this library is.
  template <class Signature>
  [[nodiscard]] Signature* as() const {
    return reinterpret_cast<Signature*>(address_);
  }

 private:
  friend class LoadedModule;
  LoadedFunction(void* address, std::shared_ptr<const void> library)
      : address_(address), library_(std::move(library)) {}
  void* address_;
  std::shared_ptr<const void> library_;
};

// The steps of a model, each of which can be called by itself.
class LoadedSteps {
 public:
  // The steps in the order in which <model>_run calls them. Valid as long as a handle of the library is.
  [[nodiscard]] std::span<const byoc_step_entry_t> all() const { return {table_->steps, table_->step_count}; }
  // The step whose function has this name; null if there is none.
  [[nodiscard]] const byoc_step_entry_t* find(std::string_view name) const {
    for (const byoc_step_entry_t& s : all())
      if (name == s.name) return &s;
    return nullptr;
  }
  // The copies that <model>_run makes after the last step.
  [[nodiscard]] std::span<const byoc_step_move_t> moves() const { return {table_->moves, table_->move_count}; }

 private:
  friend class LoadedModule;
  LoadedSteps(const byoc_step_table_t* table, std::shared_ptr<const void> library)
      : table_(table), library_(std::move(library)) {}
  const byoc_step_table_t* table_;
  std::shared_ptr<const void> library_;
};

enum class Lookup { own, with_imports };

class BYOC_API LoadedModule {
 public:
  struct Library;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string kind() const;                   // "c", "llvm", "object", "opaque" ...
  [[nodiscard]] std::string loader() const;                 // of an opaque one: who can load it
  [[nodiscard]] std::vector<LoadedModule> imports() const;  // in order
  // A function of this module, by its name or by what comes after the module's ("run" is kws_run of module kws); with
  // imports, of the first that has it, depth first in order. Error: nobody has it.
  [[nodiscard]] Result<LoadedFunction> function(const std::string& name, Lookup lookup, Diagnostics& diags) const;
  // <model>_run of the root of a model. Error: this is none.
  [[nodiscard]] Result<LoadedFunction> entry(Diagnostics& diags) const;
  // The bytes of an opaque module for its loader, or the content of a blob: valid as long as a handle of the library
  // is, at a multiple of 16. Empty for other modules.
  [[nodiscard]] std::span<const std::byte> bytes() const;
  // The steps of a model's root. Errors: no table of steps; one of another version (both are named).
  [[nodiscard]] Result<LoadedSteps> steps(Diagnostics& diags) const;
  // The manifest of a model's root (docs/formats.md); empty for other modules.
  [[nodiscard]] std::string manifest() const;
  [[nodiscard]] const std::string& path() const;  // of the library, as it was given

  LoadedModule(std::shared_ptr<Library> library, std::size_t node);

 private:
  [[nodiscard]] bool is_root() const;
  std::shared_ptr<Library> library_;
  std::size_t node_;
};

// The root module of what byoc exported for this machine: a .so, .o, .a, .tar or folder. Nothing of the file runs
// before it has been read and found right; a file that takes its place later is another library. What is no shared
// library yet is linked in a private directory, which goes with the last handle, by the linker that is part of byoc.
// `libraries`: objects and libraries that are linked besides it, as drivers. `loaders` are by the name that opaque
// modules ask for. Of a file that holds several libraries the root is one that imports theirs. Errors: no file, a file
// of another kind (says which command takes it), one of another machine (both are named), one without an import tree or
// with a damaged one, an opaque module whose loader is not there (those that are are listed; "byoc." are byoc's own,
// which need none) or fails, whatever the linkers say.
[[nodiscard]] BYOC_API Result<LoadedModule> load_module(const std::string& path,
                                                        const std::map<std::string, OpaqueLoader>& loaders,
                                                        Diagnostics& diags,
                                                        const std::vector<std::string>& libraries = {});

}  // namespace byoc
