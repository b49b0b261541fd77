#include "sdk/cli/host_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "sdk/cli/run_outputs.hpp"
#include "sdk/simulate/input_set.hpp"
#include "sdk/simulate/value_files.hpp"
#include "sdk/support/name_table.hpp"
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

// Whether a tensor of numbers of this shape and no other is taken.
bool is_known(const ValueInfo& v) {
  if (v.kind != HostValue::Kind::tensor || !v.dims || v.dtype == DType::string) return false;
  return std::all_of(v.dims->begin(), v.dims->end(), [](std::int64_t d) { return d >= 0; });
}

}  // namespace

Result<HostModel> host_model(const ModelOptions& options, Progress& progress, Diagnostics& diags, std::string* names,
                             const std::string& weights) {
  if (HostModel::is_one(options.model)) {
    progress.stage("read");
    return HostModel::open(options.model, weights, diags);
  }
  if (options.request.executor != "interpreted") return compile(options, progress, diags);
  progress.stage("import");
  auto prepare = options.prepare_options(diags);
  if (!prepare) return failure;
  prepare->open_types = true;
  const auto loaded = Model::load(options.model, *prepare, diags);
  if (!loaded) return failure;
  auto made = HostModel::interpret(*loaded, diags);
  // What is wrong with it was said in its own words.
  return made && names != nullptr ? HostModel::interpret(loaded->without_names(*names), diags) : std::move(made);
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
    std::uint64_t elements = 1;
    for (const std::int64_t d : out.dims) elements *= static_cast<std::uint64_t>(d);
    out.bytes = (elements * bit_width(v.dtype) + 7) / 8;
  }
  return out;
}

IoTensor tensor_of(const ValueInfo& v, const HostValue& value) {
  IoTensor out;
  out.name = v.name;
  out.dtype = value.dtype;
  out.dims = value.dims;
  out.bytes = value.bytes.size();
  return out;
}

// Values of all inputs of all runs.
Result<std::vector<HostValue>> read_values(const std::vector<ValueInfo>& inputs, const std::string& name,
                                           const HostRun& run, Diagnostics& diags) {
  std::vector<IoTensor> tensors;
  for (const ValueInfo& v : inputs) tensors.push_back(tensor_of(v));
  auto origins = assign_inputs(run.inputs, name, tensors, run.fill.has_value(), diags);
  if (!origins) return failure;
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
      return diags.error(name, "--input", "only a file says the shape of this input", "'" + inputs[i].name + "'",
                         inputs[i].type);
    HostValue value{.dtype = inputs[i].dtype, .dims = tensors[i].dims};
    value.bytes = o.array ? std::vector<std::byte>(o.array->bytes().begin(), o.array->bytes().end())
                          : filled(run.fill.value_or(Fill{}), tensors[i], i);
    out.push_back(std::move(value));
  }
  return out;
}

void show_value(const ValueInfo& output, const HostValue& value, const HostRun& run) {
  const bool numbers = value.kind == HostValue::Kind::tensor && value.dtype != DType::string;
  if (!run.quiet) std::printf("output %s: %s\n", output.name.c_str(), type_text(value).c_str());
  if (numbers && run.top != 0) show_top(tensor_of(output, value), value.bytes, run.top);
}

// The last inputs once more, as often as is asked for.
Result<void> repeat_run(const HostModel& model, std::span<const HostValue> inputs, const HostRun& run,
                        Diagnostics& diags) {
  std::vector<std::uint64_t> times;
  for (std::uint32_t i = 0; i < run.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (!model.run(inputs, run.limits, diags)) return failure;
    times.push_back(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count()));
  }
  if (run.print_time) show_times(std::move(times));
  return {};
}

}  // namespace

Result<void> run_host_model(const HostModel& model, const std::string& name, const HostRun& run,
                            const std::vector<FileStamp>& read, Diagnostics& diags) {
  const std::vector<ValueInfo> inputs = model.inputs(), outputs = model.outputs();
  const auto values = read_values(inputs, name, run, diags);
  if (!values) return failure;
  auto pool = run.threads == 0 ? Result<ThreadPool>(failure) : ThreadPool::create(run.threads, diags);
  if (run.threads != 0 && (!pool || !model.set_threads(&pool->threads(), diags))) return failure;
  const std::size_t each = inputs.size();
  const std::size_t runs = each == 0 ? 1 : values->size() / each;
  OutputSet files(diags, read);
  std::vector<std::vector<HostValue>> results;  // files are written from them
  for (std::size_t r = 0; r < runs; ++r) {
    if (run.reset && r != 0 && !model.reset(diags)) return failure;
    auto result = model.run(std::span(*values).subspan(r * each, each), run.limits, diags);
    if (!result) return failure;
    results.push_back(std::move(*result));
  }
  for (std::size_t r = 0; r < runs; ++r) {
    if (!run.quiet && runs > 1) std::printf("run %zu\n", r);
    for (std::size_t o = 0; o < outputs.size(); ++o) show_value(outputs[o], results[r][o], run);
    const std::string folder = runs == 1 ? run.output_dir : run.output_dir + "/run_" + std::to_string(r);
    if (!run.output_dir.empty() && !add_values(folder, results[r], outputs, run.output_form, files)) return failure;
  }
  if (!repeat_run(model, std::span(*values).last(each), run, diags)) return failure;
  return flush_output(diags) && files.commit() ? Result<void>() : failure;
}

}  // namespace byoc::cli
