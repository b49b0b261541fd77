#include <cstdio>

#include "sdk/cli/commands.hpp"
#include "sdk/import/import.hpp"
#include "sdk/ir/text.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/pack/model_library.hpp"
#include "sdk/pack/shared_library_content.hpp"
#include "sdk/pipeline/exported_library.hpp"

namespace byoc::cli {
namespace {

struct InspectCommand {
  std::string model;
  std::vector<std::string> dims;
  bool prepared = false;
  bool no_lift = false;
  std::size_t longest_constant = 16;

  Result<void> run(Diagnostics& diags) const {
    if (model.ends_with(".tar")) return show_model_library(diags);
    if (model.ends_with(".so")) return show_shared_library(diags);
    auto graph = import_model(model, diags);
    if (!graph) return failure;
    if (prepared) {
      auto bound = parse_dims(dims, diags);
      if (!bound || !prepare(*graph, {!no_lift, *bound}, diags)) return failure;
    }
    ir::PrintOptions options;
    options.longest_constant = longest_constant == 0 ? SIZE_MAX : longest_constant;
    std::fputs(ir::print(*graph, options).c_str(), stdout);
    return {};
  }

  Result<void> show_shared_library(Diagnostics& diags) const {
    auto content = read_shared_library(model, diags);
    if (!content) return failure;
    if (!content->manifest.empty()) {
      auto m = read_manifest_model(content->manifest, model, diags);
      if (!m) return failure;
      std::printf("model %s for %s, workspace %llu, ", m->interface.prefix.c_str(), m->target.c_str(),
                  static_cast<unsigned long long>(m->interface.workspace_bytes));
      for (const PoolWorkspace& w : m->interface.further_workspaces)
        std::printf("in %s %llu, ", w.pool.c_str(), static_cast<unsigned long long>(w.bytes));
      std::printf("instance %llu bytes\n", static_cast<unsigned long long>(m->interface.instance_bytes));
    }
    for (const ImportNode& n : content->modules) {
      std::printf("module %s: %s", std::string(n.name).c_str(), std::string(to_string(n.kind)).c_str());
      if (n.kind == ModuleKind::opaque)
        std::printf(", %zu bytes for loader %s", n.bytes.size(), std::string(n.loader).c_str());
      std::printf("\n");
      for (const std::string_view f : n.functions) std::printf("  function %s\n", std::string(f).c_str());
      for (const std::uint32_t i : n.imports)
        std::printf("  imports %s\n", std::string(content->modules[i].name).c_str());
    }
    return {};
  }

  Result<void> show_model_library(Diagnostics& diags) const {
    auto document = read_model_library(model, diags);
    if (!document) return failure;
    std::printf("Model Library Format %llu, %s\n", static_cast<unsigned long long>(document->version),
                document->time.c_str());
    for (const MlfModule& m : document->modules) {
      std::printf("model %s: %s", m.name.c_str(), m.style.c_str());
      for (const std::string& e : m.executors) std::printf(", %s", e.c_str());
      std::printf(", workspace %llu, inputs and outputs %llu, constants %llu bytes\n",
                  static_cast<unsigned long long>(m.workspace_bytes), static_cast<unsigned long long>(m.io_bytes),
                  static_cast<unsigned long long>(m.constant_bytes));
      for (const std::string& t : m.targets) std::printf("  target %s\n", t.c_str());
      for (const auto& [name, list] : {std::pair("input", &m.inputs), std::pair("output", &m.outputs)})
        for (const MlfModule::Tensor& t : *list)
          std::printf("  %s %s: %s, %llu bytes\n", name, t.name.c_str(), t.dtype.c_str(),
                      static_cast<unsigned long long>(t.bytes));
    }
    for (const MlfFile& f : document->files)
      std::printf("%10llu  %s\n", static_cast<unsigned long long>(f.bytes), f.path.c_str());
    return {};
  }
};

}  // namespace

void add_inspect(CLI::App& app, Session& session) {
  auto options = std::make_shared<InspectCommand>();
  CLI::App* command = app.add_subcommand(
      "inspect", "print a model as graph text, or what is in a .tar in Model Library Format or a .so");
  command->add_option("MODEL", options->model, "model file: ONNX, TFLite, or graph text; or a .tar or .so")->required();
  command->add_flag("--prepared", options->prepared,
                    "as codegens see it: shapes known, constants folded, quantisation lifted");
  command->add_option("--dim", options->dims, "bind a symbolic dimension, as in --dim N=1; with --prepared");
  command->add_flag("--no-lift", options->no_lift, "keep QDQ and QLinear operators; with --prepared");
  command
      ->add_option("--longest-constant", options->longest_constant,
                   "print larger constants as their hash; 0: print all in full")
      ->capture_default_str();
  command->footer("Example:\n  byoc inspect kws.tflite --prepared");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
