// The program of ./dev demo: export and run, for ONNX models and the C backend. It is linked from the objects of byoc,
// so that the demo can speak before the rest is built. This file defines what stands in for the parts that it leaves
// out.
#include <cstdlib>

#include "backends/c/backend.hpp"
#include "backends/reference.hpp"
#include "byoc/vm.hpp"
#include "sdk/app/api/host/files_run.hpp"
#include "sdk/app/cli/host_run.hpp"
#include "sdk/app/cli/run_command.hpp"
#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"
#include "sdk/export/executors.hpp"
#include "sdk/export/with_vm.hpp"
#include "sdk/library/compile/check/source_check.hpp"
#include "sdk/library/compile/worker.hpp"
#include "sdk/library/pack/model_library.hpp"
#include "sdk/library/pack/model_library_package.hpp"
#include "sdk/model/import/tflite/tflite.hpp"
#include "sdk/program/executor/aot/aot.hpp"

namespace byoc {
namespace {

Failure refuse(Diagnostics& diags, const std::string& what) {
  return diags.error({}, {}, "the demo's program does not " + what + ": './dev build' makes byoc, which does");
}

}  // namespace
}  // namespace byoc

namespace byoc::cli {

void add_commands(CLI::App& app, Session& session) {
  add_export(app, session);
  add_run(app, session);
}

std::vector<Service> services() { return {compile::kService, plugin::kService}; }

Result<void> RunCommand::run_remote(Diagnostics& diags) const { return refuse(diags, "run models on other machines"); }
Result<void> RunCommand::run_graph(Diagnostics& diags) const { return refuse(diags, "run graphs of others"); }
Result<void> RunCommand::run_frontier(const Model&, ModelSetup&, Progress&, Diagnostics& diags) const {
  return refuse(diags, "compare bounds of RAM");
}

Result<HostModel> interpreted_model(const ModelOptions&, Progress&, Diagnostics& diags, std::string*) {
  return refuse(diags, "interpret models");
}
Result<HostProgram> host_program(const ModelOptions&, const std::string&, Progress&, Diagnostics& diags) {
  return refuse(diags, "interpret models");
}
Result<void> run_host_program(const HostProgram&, const std::string&, const HostRun&, const std::vector<FileStamp>&,
                              Diagnostics& diags) {
  return refuse(diags, "interpret models");
}

}  // namespace byoc::cli

namespace byoc {

Result<ir::Graph> import_tflite(const std::string& path, Diagnostics& diags, const std::string&,
                                std::map<std::string, std::int64_t>*) {
  return diags.error(path, {}, "the demo's program reads no TFLite models: './dev build' makes byoc, which does",
                     "a TFLite model", "ONNX");
}

// Nothing makes an ExportedModel or a HostModel.
Result<ExportedModel> ExportedModel::open(const std::string&, const std::string&, Diagnostics& diags) {
  return refuse(diags, "run what was exported");
}
const ModelInterface& ExportedModel::interface() const { std::abort(); }
const TargetSpec& ExportedModel::target() const { std::abort(); }
const std::string& ExportedModel::executor() const { std::abort(); }
Result<RunResult> ExportedModel::run(std::span<const TensorBytes>, const RunOptions&, Diagnostics&) const {
  std::abort();
}
bool HostModel::is_one(const std::string&) { return false; }
std::vector<std::byte> HostModel::bytecode() const { std::abort(); }
Result<HostModel::Detached> HostModel::detach(const WeightsOptions&, Diagnostics&) const { std::abort(); }

Result<Library> export_with_vm(const ir::Graph&, const Job&, const executor::Executor&, Diagnostics& diags) {
  return refuse(diags, "interpret models");
}

Result<void> add_model_library(std::span<const Package>, MlfFlavour, const std::string&, OutputSet&,
                               Diagnostics& diags) {
  return refuse(diags, "write Model Library Format");
}
Result<Package> read_model_library_package(const std::string&, const std::optional<TargetSpec>&, Diagnostics& diags) {
  return refuse(diags, "read Model Library Format");
}

}  // namespace byoc

namespace byoc::executor {

std::span<const Executor* const> executors() {
  static const Executor* const all = &aot();
  return {&all, 1};
}

}  // namespace byoc::executor

namespace byoc::api {

// It loads nothing.
bool is_of_this_machine(const TargetSpec&) { return false; }

Result<RunResult> run_graph_file(const std::string&, const ModelInterface&, std::span<const TensorBytes>,
                                 const RunOptions&, Diagnostics& diags) {
  return refuse(diags, "run graphs");
}

}  // namespace byoc::api

namespace byoc::compile {

clang::ASTConsumer* make_source_check(clang::CompilerInstance&, const SourceRules&,
                                      std::vector<SourceFinding>& findings) {
  findings.emplace_back().message =
      "the demo's program does not check the sources of plug-ins: './dev build' makes byoc, which does";
  return nullptr;
}

}  // namespace byoc::compile

namespace byoc::reference {
namespace {

constexpr Backend kBackend{"c", c::query, c::create, c::operators};

}  // namespace

std::span<const Backend> backends() { return {&kBackend, 1}; }

const Backend* find(std::string_view id) { return id == kBackend.id ? &kBackend : nullptr; }

}  // namespace byoc::reference
