// The program of ./dev demo: export and run, for ONNX models and the C backend. It is linked from the objects of byoc,
// so that the demo can speak before the rest is built. This file defines what stands in for the parts that it leaves
// out.
#include "sdk/app/cli/commands.hpp"
#include "backends/c/backend.hpp"
#include "backends/reference.hpp"
#include "sdk/model/import/tflite/tflite.hpp"

namespace byoc::cli {

void add_commands(CLI::App& app, Session& session) {
  add_export(app, session);
  add_run(app, session);
}

}  // namespace byoc::cli

namespace byoc {

Result<ir::Graph> import_tflite(const std::string& path, Diagnostics& diags, const std::string&,
                                std::map<std::string, std::int64_t>*) {
  return diags.error(path, {}, "the demo's program reads no TFLite models: './dev build' makes byoc, which does",
                     "a TFLite model", "ONNX");
}

}  // namespace byoc

namespace byoc::reference {
namespace {

constexpr Backend kBackend{"c", c::query, c::create, c::operators};

}  // namespace

std::span<const Backend> backends() { return {&kBackend, 1}; }

const Backend* find(std::string_view id) { return id == kBackend.id ? &kBackend : nullptr; }

}  // namespace byoc::reference
