#include "sdk/app/cli/host_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "sdk/app/cli/host_answer.hpp"
#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/run_apart.hpp"
#include "sdk/run/values/input_set.hpp"
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
    std::uint64_t elements = 1;
    for (const std::int64_t d : out.dims) elements *= static_cast<std::uint64_t>(d);
    out.bytes = (elements * bit_width(v.dtype) + 7) / 8;
  }
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
  if (numbers && run.top != 0) show_top(as_tensor(output.name, value), value.bytes, run.top);
}

// All runs, then the last inputs once more, as often as is asked for.
Result<HostAnswer> run_all(const HostModel& model, std::span<const HostValue> values, const HostRun& run,
                           Diagnostics& diags) {
  auto pool = run.threads == 0 ? Result<ThreadPool>(failure) : ThreadPool::create(run.threads, diags);
  if (run.threads != 0 && (!pool || !model.set_threads(&pool->threads(), diags))) return failure;
  const std::size_t each = model.inputs().size();
  const std::size_t runs = each == 0 ? 1 : values.size() / each;
  HostAnswer out;
  for (std::size_t r = 0; r < runs; ++r) {
    if (run.reset && r != 0 && !model.reset(diags)) return failure;
    auto result = model.run(values.subspan(r * each, each), run.limits, diags);
    if (!result) return failure;
    out.results.push_back(std::move(*result));
  }
  for (std::uint32_t i = 0; i < run.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (!model.run(values.last(each), run.limits, diags)) return failure;
    out.times.push_back(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count()));
  }
  return out;
}

bool answer_run(std::string_view request, MessageWriter& message, Diagnostics& said) {
  MessageReader in(request);
  const std::string library = in.text(), weights = in.text();
  const std::vector<HostValue> values = get_values(in);
  HostRun run;
  run.reset = in.flag();
  run.repeat = in.get<std::uint32_t>();
  run.threads = in.get<std::uint32_t>();
  run.limits.memory = in.get<std::uint64_t>();
  run.limits.instructions = in.get<std::uint64_t>();
  if (!in.ended()) return false;
  const auto model = HostModel::open(library, weights, said);
  const auto answer = model ? run_all(*model, values, run, said) : Result<HostAnswer>(failure);
  if (answer) put_answer(*answer, message);
  return bool(answer);
}

void serve_run(Worker::Channel& channel, std::string_view request) {
  answer_apart(channel, [&](MessageWriter& message, Diagnostics& said) { return answer_run(request, message, said); });
}

}  // namespace

extern const Service kHostRunService{"host run", serve_run};

namespace {

Result<HostAnswer> run_apart_or_here(const HostProgram& program, std::span<const HostValue> values, const HostRun& run,
                                     Diagnostics& diags) {
  if (program.library.empty()) return run_all(program.model, values, run, diags);
  MessageWriter request;
  request.put(program.library);
  request.put(program.weights);
  put_values(values, request);
  request.put(run.reset);
  request.put(run.repeat);
  request.put(run.threads);
  request.put(run.limits.memory);
  request.put(run.limits.instructions);
  const auto message = run_apart(program.library, {}, 0, kHostRunService.name, request.bytes(), diags);
  if (!message) return failure;
  auto answer = read_answer(*message);
  const std::size_t outputs = program.model.outputs().size();
  if (!answer || std::any_of(answer->results.begin(), answer->results.end(),
                             [&](const std::vector<HostValue>& r) { return r.size() != outputs; }))
    return bad_answer(program.library, diags);
  return std::move(*answer);
}

}  // namespace

Result<void> run_host_program(const HostProgram& program, const std::string& name, const HostRun& run,
                              const std::vector<FileStamp>& read, Diagnostics& diags) {
  const std::vector<ValueInfo> inputs = program.model.inputs(), outputs = program.model.outputs();
  const auto values = read_values(inputs, name, run, diags);
  if (!values) return failure;
  OutputSet files(diags, read);
  Diagnostics said;
  const auto answer = run_apart_or_here(program, *values, run, said);  // files are written from it
  for (Diagnostic d : said.all()) {
    if (program.directory && d.file == program.library) d.file = name;  // compiled for this run: the model's name
    diags.add(std::move(d));
  }
  if (!answer) return failure;
  const std::size_t runs = answer->results.size();
  for (std::size_t r = 0; r < runs; ++r) {
    if (!run.quiet && runs > 1) std::printf("run %zu\n", r);
    for (std::size_t o = 0; o < outputs.size(); ++o) show(outputs[o], answer->results[r][o], run);
    const std::string folder = runs == 1 ? run.output_dir : run.output_dir + "/run_" + std::to_string(r);
    if (!run.output_dir.empty() && !add_values(folder, answer->results[r], outputs, run.output_form, files))
      return failure;
  }
  if (run.print_time) show_times(answer->times);
  return flush_output(diags) && files.commit() ? Result<void>() : failure;
}

}  // namespace byoc::cli
