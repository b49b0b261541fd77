// The pipeline: a model becomes a link-ready library for one target. docs/architecture.md lists the stages.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/interface.hpp"
#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/codegen/optimise/optimise.hpp"
#include "sdk/codegen/partition/partition.hpp"
#include "sdk/export/load_model.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/package.hpp"
#include "sdk/library/weights/write.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

namespace executor {
class Executor;
}  // namespace executor

// The codegens of a target, in the order in which they are asked.
struct TargetCodegens {
  std::span<codegen::Codegen* const> codegens = {};
  std::shared_ptr<const void> owner = {};  // of the codegens; may be empty
  std::vector<CodegenOrigin> origins = {};
};

// One export: the user's request and all that the compiler works with. It is made once and not changed afterwards; a
// variant of an export makes a job of its own, or says in its Execution (sdk/export/run_export.hpp) how it differs.
struct Job {
  ExportRequest request = {};
  std::string name = {};  // prefix of public symbols: the request's, or one that its model suggests
  TargetSpec target = {};
  std::span<codegen::Codegen* const> codegens = {};
  std::shared_ptr<const void> owner = {};
  std::vector<CodegenOrigin> origins = {};
  // Makes the codegens of another target, for ExportRequest::multiversion; may be empty.
  std::function<Result<TargetCodegens>(const TargetSpec&, Diagnostics&)> codegens_of = {};
  // Null: the one that the request names (sdk/program/executor/executor.hpp). It outlives the export.
  const executor::Executor* executor = nullptr;
  WorkerLimits limits = {};  // of compiling one source or module of a foreign codegen
  CheckSources check_sources = CheckSources::warn;
  CompileFunction compile_function = {};  // ExportRequest::compile, as compilers take it
  std::string model_file = {};            // whose hash the manifest has; "" for none
  std::string sanitize = {};              // for tests on a host: sanitizers of the compiler, "address,undefined"
  // Objects of shared kernels by name, which says everything they are made of: taken from here, and added. Null: none.
  std::map<std::string, std::vector<std::byte>>* kernel_objects = nullptr;
  // Asked when a stage begins: true ends the export with an error. May be empty.
  std::function<bool()> cancelled = {};
  // Given all sources and constants before the first is compiled, with an empty manifest; may be empty.
  std::function<Result<void>(const Package&)> generated = {};
};

// A compiled library that is not written yet; it has a description.
struct Library : Package {
  [[nodiscard]] const ModelInterface& interface() const { return description->interface; }

  std::vector<std::byte> traced_root;                        // in place of the root's with ExportRequest::trace
  Partition partition;                                       // of the graph it was compiled from
  std::vector<std::string> files_read;                       // headers of the machine's
  std::string names_text = {};                               // what NameOptions::map is to have in it
  std::shared_ptr<const weights::WeightsFile> weights = {};  // with ExportRequest::weights; else null
};

// Error: job.cancelled says so.
[[nodiscard]] Result<void> check_cancelled(const Job& job, Diagnostics&);

// partition .. verify.
Result<Library> compile_model(const ir::Graph& graph, const Job& job, Diagnostics&);

// The files that an export writes, the folder of sources last. Errors: those of check_name() and check_request()
// (sdk/export/rules.hpp).
[[nodiscard]] Result<std::vector<OutputName>> export_outputs(const std::string& default_name,
                                                             const ExportRequest& request, const std::string& out,
                                                             Diagnostics&);

// pack: `out`, in the form that its name asks for (sdk/library/pack/write_package.hpp); with `traced` the root that
// calls byoc_trace().
Result<void> write_library(const Library& library, const std::string& out, bool traced, Diagnostics&);

}  // namespace byoc
