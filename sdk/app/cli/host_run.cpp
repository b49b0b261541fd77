#include "sdk/app/cli/host_run.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/run/values/input.hpp"
#include "sdk/run/values/input_set.hpp"
#include "sdk/run/values/reference.hpp"
#include "sdk/run/values/value_files.hpp"

namespace byoc::cli {
namespace {

Result<HostProgram> compile(const ModelOptions& options, Progress& progress, Diagnostics& diags) {
  auto setup = options.resolve(progress, diags);
  if (!setup) return failure;
  setup->prepare.open_types = true;
  const auto loaded = options.load(*setup, progress, diags);
  if (!loaded) return failure;
  const auto compiled = CompiledModel::compile(*loaded, setup->codegens, setup->request, diags);
  if (!compiled || !setup->codegens.end(diags)) return failure;
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;
  std::string library = directory->path() + "/model.so";
  auto model = compiled->write(library, {}, diags) ? HostModel::read(library, diags) : Result<HostModel>(failure);
  if (!model) return failure;
  return HostProgram{std::move(*model), std::move(library), {}, std::move(*directory)};
}

// True if only a tensor of numbers of this shape is accepted.
bool is_known(const ValueInfo& v) {
  if (v.kind != HostValue::Kind::tensor || !v.dims || v.dtype == DType::string) return false;
  return std::all_of(v.dims->begin(), v.dims->end(), [](std::int64_t d) { return d >= 0; });
}

}  // namespace

Result<HostModel> interpreted_model(const ModelOptions& options, Progress& progress, Diagnostics& diags,
                                    std::string* names) {
  progress.stage("import");
  auto prepare = options.prepare_options(diags);
  if (!prepare) return failure;
  prepare->open_types = true;
  const auto loaded = Model::load(options.model, *prepare, diags);
  if (!loaded) return failure;
  auto made = HostModel::interpret(*loaded, diags);
  // Errors were reported with the model's own names.
  return made && names != nullptr ? HostModel::interpret(loaded->without_names(*names), diags) : std::move(made);
}

Result<HostProgram> host_program(const ModelOptions& options, const std::string& weights, Progress& progress,
                                 Diagnostics& diags) {
  const bool exported = HostModel::is_one(options.model);
  if (!exported && options.request.executor != "interpreted") return compile(options, progress, diags);
  if (exported) progress.stage("read");
  const bool library = exported && kind_of_file(options.model) != FileKind::other;
  auto model = library    ? HostModel::read(options.model, diags)
               : exported ? HostModel::open(options.model, weights, diags)
                          : interpreted_model(options, progress, diags);
  if (!model) return failure;
  return HostProgram{std::move(*model), library ? options.model : "", library ? weights : "", std::nullopt};
}

namespace {

// An input as far as it is known: dims and bytes where they are.
IoTensor tensor_of(const ValueInfo& v) {
  IoTensor out;
  out.name = v.name;
  out.field = to_identifier(v.name);
  out.dtype = v.dtype;
  if (is_known(v)) {
    out.dims = *v.dims;
    std::uint64_t bits = bit_width(v.dtype);
    for (const std::int64_t d : out.dims)
      if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(d), &bits)) bits = UINT64_MAX - 7;
    out.bytes = (bits + 7) / 8;
  }
  return out;
}

// Values that are made are part of what a run may take, or of what the process may: that is asked before they are
// there.
Result<void> check_made(const std::vector<InputOrigin>& origins, const std::vector<IoTensor>& tensors,
                        const std::string& name, std::uint64_t most, Diagnostics& diags) {
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < origins.size(); ++k) {
    const IoTensor& t = tensors[k % tensors.size()];
    if (!origins[k].file.empty() || origins[k].array) continue;
    bytes += std::min(t.bytes, UINT64_MAX - bytes);
    if (most != 0 && bytes > most)
      return diags.error(name, t.name, "the inputs that are made take more memory than the run's values may",
                         std::to_string(bytes) + " bytes", std::to_string(most));
    if (bytes > PTRDIFF_MAX) return diags.error(name, t.name, "the input is too large to be made", shape_text(t.dims));
  }
  return {};
}

// Values of all inputs of all runs.
Result<std::vector<HostValue>> read_values(const std::vector<ValueInfo>& inputs, const std::string& name,
                                           const HostRun& run, Diagnostics& diags) {
  std::vector<IoTensor> tensors;
  for (const ValueInfo& v : inputs) tensors.push_back(tensor_of(v));
  auto origins = assign_inputs(run.inputs, name, tensors, run.fill.has_value(), diags);
  if (!origins || !check_made(*origins, tensors, name, run.how.limits.memory, diags)) return failure;
  std::vector<HostValue> out;
  for (std::size_t k = 0; k < origins->size(); ++k) {
    InputOrigin& o = (*origins)[k];
    const std::size_t i = k % inputs.size();
    if (!o.file.empty()) {
      auto value = read_value(o.file, inputs[i], diags);
      if (!value) return failure;
      out.push_back(std::move(*value));
      continue;
    }
    if (!is_known(inputs[i]))
      return diags.error(name, "--input", "only a .npy or .pb file says the shape of this input, unless --dim does",
                         "'" + inputs[i].name + "'", inputs[i].type);
    HostValue value{.dtype = inputs[i].dtype, .dims = tensors[i].dims};
    value.bytes = o.array ? std::vector<std::byte>(o.array->bytes().begin(), o.array->bytes().end())
                          : filled(run.fill.value_or(Fill{}), tensors[i], i);
    out.push_back(std::move(value));
  }
  return out;
}

void show(const ValueInfo& output, const HostValue& value, const HostRun& run) {
  const bool numbers = value.kind == HostValue::Kind::tensor && value.dtype != DType::string;
  if (!run.quiet) show_value(output.name, value);
  if (numbers && (!run.quiet || run.top.most)) run.top.show(as_tensor(output.name, value), value.bytes);
}

Result<void> compare_references(const std::vector<std::vector<HostValue>>& results, const std::vector<ValueInfo>& infos,
                                const std::string& name, const HostRun& run, Diagnostics& diags) {
  if (run.references.empty()) return {};
  std::vector<RunOutput> outputs;
  for (std::size_t r = 0; r < results.size(); ++r) {
    for (std::size_t o = 0; o < infos.size(); ++o) {
      const HostValue& value = results[r][o];
      if (value.kind != HostValue::Kind::tensor || value.dtype == DType::string)
        return diags.error(name, "--reference", "only tensors of numbers are compared with files");
      outputs.push_back({as_tensor(infos[o].name, value), value.bytes, r});
      outputs.back().tensor.field = to_identifier(infos[o].name);
    }
  }
  const auto differences = compare_with_files(run.references, outputs, run.bound, diags);
  return differences ? report_differences({"reference", "--reference"}, name, *differences, run.quiet, run.bound, diags)
                     : failure;
}

}  // namespace

Result<void> run_host_program(const HostProgram& program, const std::string& name, const HostRun& run,
                              const std::vector<FileStamp>& read, Diagnostics& diags) {
  const std::vector<ValueInfo> inputs = program.model.inputs(), outputs = program.model.outputs();
  const auto values = read_values(inputs, name, run, diags);
  if (!values) return failure;
  OutputSet files(diags, read);
  Diagnostics said;
  api::HostRuns runs = run.how;
  runs.values = *values;
  const auto answer = program.library.empty()
                          ? api::run_here(program.model, runs, said)
                          : api::run_apart(program.model, program.library, program.weights, runs, said);
  for (Diagnostic d : said.all()) {
    if (program.directory && d.file == program.library) d.file = name;  // compiled for this run: the model's name
    diags.add(std::move(d));
  }
  if (!answer) return failure;
  const std::size_t count = answer->results.size();
  for (std::size_t r = 0; r < count; ++r) {
    if (!run.quiet && count > 1) std::printf("run %zu\n", r);
    for (std::size_t o = 0; o < outputs.size(); ++o) show(outputs[o], answer->results[r][o], run);
    const std::string folder = count == 1 ? run.output_dir : run.output_dir + "/run_" + std::to_string(r);
    if (!run.output_dir.empty() && !add_values(folder, answer->results[r], outputs, run.output_form, files))
      return failure;
  }
  if (run.print_time) show_times(answer->times);
  if (!flush_output(diags) || !files.commit()) return failure;
  return compare_references(answer->results, outputs, name, run, diags);
}

}  // namespace byoc::cli
