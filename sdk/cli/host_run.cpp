#include "sdk/cli/host_run.hpp"

#include <cstdio>

#include "sdk/simulate/value_files.hpp"
#include "sdk/support/output_set.hpp"

namespace byoc::cli {
namespace {

Result<HostModel> compile(const ModelOptions& options, Progress& progress, Diagnostics& diags) {
  auto setup = options.resolve(progress, diags);
  if (!setup) return failure;
  setup->prepare.open_types = true;
  const auto loaded = options.load(*setup, progress, diags);
  if (!loaded) return failure;
  const auto compiled = CompiledModel::compile(*loaded, setup->codegens, setup->request, diags);
  if (!compiled || !setup->codegens.end(diags)) return failure;
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;
  const std::string library = directory->path() + "/model.so";
  if (!compiled->write(library, {}, diags)) return failure;
  return HostModel::open(library, diags);
}

}  // namespace

Result<HostModel> host_model(const ModelOptions& options, Progress& progress, Diagnostics& diags) {
  if (HostModel::is_one(options.model)) {
    progress.stage("read");
    return HostModel::open(options.model, diags);
  }
  if (options.request.executor != "interpreted") return compile(options, progress, diags);
  progress.stage("import");
  auto prepare = options.prepare_options(diags);
  if (!prepare) return failure;
  prepare->open_types = true;
  const auto loaded = Model::load(options.model, *prepare, diags);
  if (!loaded) return failure;
  return HostModel::interpret(*loaded, diags);
}

Result<void> run_host_model(const HostModel& model, const std::string& name, const HostRun& run,
                            const std::vector<FileStamp>& read, Diagnostics& diags) {
  const std::vector<ValueInfo> inputs = model.inputs(), outputs = model.outputs();
  const std::size_t each = inputs.size();
  const std::size_t runs = each == 0 ? 1 : run.inputs.size() / each;
  if (runs == 0 || run.inputs.size() != runs * each)
    return diags.error(name, "--input", "one --input for each input of the model is needed, for each run",
                       std::to_string(run.inputs.size()), std::to_string(each) + " or a multiple of it");
  OutputSet files(diags, read);
  std::vector<std::vector<HostValue>> results;  // files are written from them
  for (std::size_t r = 0; r < runs; ++r) {
    std::vector<HostValue> values;
    for (std::size_t i = 0; i < each; ++i) {
      auto value = read_value(run.inputs[r * each + i], inputs[i], diags);
      if (!value) return failure;
      values.push_back(std::move(*value));
    }
    if (run.reset && r != 0 && !model.reset(diags)) return failure;
    auto result = model.run(values, run.limits, diags);
    if (!result) return failure;
    results.push_back(std::move(*result));
  }
  for (std::size_t r = 0; r < runs; ++r) {
    if (!run.quiet && runs > 1) std::printf("run %zu\n", r);
    for (std::size_t o = 0; !run.quiet && o < outputs.size(); ++o)
      std::printf("output %s: %s\n", outputs[o].name.c_str(), type_text(results[r][o]).c_str());
    const std::string folder = runs == 1 ? run.output_dir : run.output_dir + "/run_" + std::to_string(r);
    if (!run.output_dir.empty() && !add_values(folder, results[r], outputs, files)) return failure;
  }
  return flush_output(diags) && files.commit() ? Result<void>() : failure;
}

}  // namespace byoc::cli
