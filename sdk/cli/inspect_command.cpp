#include <cstdio>

#include "byoc/inspect.hpp"
#include "byoc/vm.hpp"
#include "sdk/cli/commands.hpp"

namespace byoc::cli {
namespace {

struct InspectCommand {
  std::string model;
  std::vector<std::string> dims;
  bool prepared = false;
  std::string signature;
  bool no_lift = false;
  std::size_t longest_constant = 16;
  bool bytecode = false;

  Result<void> run(Diagnostics& diags) const {
    if (bytecode || (!model.ends_with(".so") && HostModel::is_one(model))) return show_bytecode(diags);
    if (model.ends_with(".tar")) return show_model_library(diags);
    if (model.ends_with(".so")) return show_shared_library(diags);
    const std::size_t longest = longest_constant == 0 ? SIZE_MAX : longest_constant;
    auto text = prepared ? prepared_text(longest, diags) : imported_text(model, longest, diags, signature);
    if (!text) return failure;
    std::fputs(text->c_str(), stdout);
    return {};
  }

  Result<void> show_bytecode(Diagnostics& diags) const {
    const auto loaded = HostModel::open(model, diags);
    if (!loaded) return failure;
    std::fputs(loaded->text().c_str(), stdout);
    return {};
  }

  Result<std::string> prepared_text(std::size_t longest, Diagnostics& diags) const {
    auto bound = parse_dims(dims, diags);
    if (!bound) return failure;
    const auto loaded = Model::load(model, {.lift = !no_lift, .dims = *bound, .signature = signature}, diags);
    if (!loaded) return failure;
    return loaded->text(longest);
  }

  Result<void> show_shared_library(Diagnostics& diags) const {
    const auto library = inspect_shared_library(model, diags);
    if (!library) return failure;
    if (const ModelInterface& m = library->interface; !m.prefix.empty()) {
      std::printf("model %s for %s, workspace %llu, ", m.prefix.c_str(), library->target.c_str(),
                  static_cast<unsigned long long>(m.workspace_bytes));
      for (const PoolWorkspace& w : m.further_workspaces)
        std::printf("in %s %llu, ", w.pool.c_str(), static_cast<unsigned long long>(w.bytes));
      std::printf("instance %llu bytes\n", static_cast<unsigned long long>(m.instance_bytes));
    }
    for (const SharedLibrary::Module& n : library->modules) {
      std::printf("module %s: %s", n.name.c_str(), n.kind.c_str());
      if (!n.loader.empty()) std::printf(", %zu bytes for loader %s", n.bytes, n.loader.c_str());
      std::printf("\n");
      for (const std::string& f : n.functions) std::printf("  function %s\n", f.c_str());
      for (const std::uint32_t i : n.imports) std::printf("  imports %s\n", library->modules[i].name.c_str());
    }
    return {};
  }

  Result<void> show_model_library(Diagnostics& diags) const {
    const auto document = inspect_model_library(model, diags);
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
  add_signature(*command, options->signature);
  command->add_flag("--no-lift", options->no_lift, "keep QDQ and QLinear operators; with --prepared");
  command
      ->add_option("--longest-constant", options->longest_constant,
                   "print larger constants as their hash; 0: print all in full")
      ->capture_default_str();
  command->add_flag("--bytecode", options->bytecode, "the instructions in a .so that was exported with --executor vm");
  command->footer("Example:\n  byoc inspect kws.tflite --prepared");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
