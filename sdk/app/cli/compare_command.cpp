// byoc compare: a model by byoc and by another engine, on the same inputs.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/engine.hpp"
#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/run/values/bounded_values.hpp"
#include "sdk/run/values/fill.hpp"
#include "sdk/run/values/input.hpp"
#include "sdk/run/values/input_set.hpp"
#include "sdk/run/values/reference.hpp"

namespace byoc::cli {
namespace {

// Values in between, of both.
struct LayerSummary {
  std::size_t compared = 0;
  std::string first;  // the first that is off by more than the bound, and where
};

struct CompareCommand {
  ModelOptions model;
  std::vector<std::string> inputs;
  std::string fill, python = "python3";
  std::optional<double> within;

  Result<void> run(Diagnostics& diags) const;

 private:
  [[nodiscard]] Bound bound() const { return {within.value_or(1), within.value_or(1e-4)}; }
  Result<std::vector<TensorBytes>> read(const ModelInterface& m, Diagnostics& diags) const;
  Result<void> check_outputs(const ModelInterface& m, const RunResult& result, const EngineResults& other,
                             Diagnostics& diags) const;
  LayerSummary compare_layers(const ModelInterface& m, const RunResult& result, const EngineResults& other) const;
  void show_layers(const LayerSummary& layers) const;
};

Result<std::vector<TensorBytes>> CompareCommand::read(const ModelInterface& m, Diagnostics& diags) const {
  if (has_bounded(m, false) || has_bounded(m, true))
    return diags.error(model.model, {}, "only tensors of numbers are compared with another engine's");
  if (inputs.empty() && fill.empty()) return made_inputs(m);
  const auto blobs = read_inputs(inputs, m, parse_fill(fill), diags);
  if (!blobs) return failure;
  std::vector<TensorBytes> out;
  for (const Blob& blob : *blobs) out.emplace_back(blob.bytes().begin(), blob.bytes().end());
  if (out.size() <= m.inputs.size()) return out;
  return diags.error(model.model, "--input", "one run is compared", std::to_string(out.size()) + " values",
                     std::to_string(m.inputs.size()));
}

Result<void> CompareCommand::check_outputs(const ModelInterface& m, const RunResult& result, const EngineResults& other,
                                           Diagnostics& diags) const {
  std::vector<RunOutput> outputs;
  for (std::size_t i = 0; i < result.outputs.size(); ++i)
    outputs.push_back({output_of(m, result, i), result.outputs[i], 0});
  if (outputs.size() != other.outputs.size())
    return diags.error(model.model, {}, "the engine has another number of outputs",
                       std::to_string(other.outputs.size()), std::to_string(outputs.size()));
  const auto differences = compare_with_files(other.outputs, outputs, bound(), diags);
  if (!differences) return failure;
  return report_differences({"compare", other.engine}, model.model, *differences, model.quiet, bound(), diags);
}

// The layer that computes a value.
std::string layer_of(const ModelInterface& m, const StoredTensor& tensor) {
  for (const StepInfo& step : m.steps)
    for (const StoredTensor& t : step.results)
      if (t.value == tensor.value && !step.nodes.empty()) return step.nodes.back();
  return "a step";
}

LayerSummary CompareCommand::compare_layers(const ModelInterface& m, const RunResult& result,
                                            const EngineResults& other) const {
  LayerSummary out;
  for (const DumpedTensor& d : result.dumps) {
    if (d.tensor.place == Place::input || !d.tensor.channels.complete()) continue;
    for (const EngineResults::Value& value : other.values) {
      const bool same = value.index >= 0 ? value.index == d.tensor.source_index : value.name == d.tensor.name;
      if (!same) continue;
      IoTensor tensor;
      tensor.name = d.tensor.name;
      tensor.dtype = d.tensor.dtype;
      tensor.dims = d.tensor.dims;
      tensor.bytes = d.bytes.size();
      if (bit_width(tensor.dtype) <= 16) tensor.quantisation.scales = {1};
      Diagnostics ignored;  // a value of another type or shape is another value
      const auto expected = read_input(value.file, tensor, ignored);
      if (!expected) continue;
      ++out.compared;
      OutputDifference difference = difference_of(tensor, d.bytes, expected->bytes(), bound());
      difference.step = 0;
      if (difference.beyond == 0 || !out.first.empty()) continue;
      out.first = layer_of(m, d.tensor) + ": tensor " + difference.name + ": " + difference_text(difference);
    }
  }
  return out;
}

void CompareCommand::show_layers(const LayerSummary& layers) const {
  if (model.quiet) return;
  if (layers.compared == 0)
    std::printf("layers: the engine shows no tensor that byoc has, too\n");
  else if (layers.first.empty())
    std::printf("layers: none of %zu tensors is further off than an output may be\n", layers.compared);
  else
    std::printf("layers: of %zu tensors, the first that is further off is of %s\n", layers.compared,
                layers.first.c_str());
}

Result<void> CompareCommand::run(Diagnostics& diags) const {
  Progress progress(model.quiet);
  auto setup = model.resolve(progress, diags);
  if (!setup) return failure;
  setup->request.trace = true;
  const auto loaded = model.load(*setup, progress, diags);
  if (!loaded) return failure;
  const auto compiled = CompiledModel::compile(*loaded, setup->codegens, setup->request, diags);
  if (!compiled || !setup->codegens.end(diags)) return failure;
  const ModelInterface& m = compiled->interface();
  const auto tensors = read(m, diags);
  if (!tensors) return failure;
  progress.stage("run");
  RunOptions how;
  how.dump = true;
  const auto result = compiled->run(*tensors, how, diags);
  if (!result) return failure;
  std::set<std::string> names;
  for (const DumpedTensor& d : result->dumps) names.insert(d.tensor.name);
  progress.stage("other engine");
  const auto other = run_engine(model.model, m, *tensors, names, python, diags);
  if (!other) return failure;
  progress.stage("compare");
  if (!model.quiet)
    std::printf("byoc for %s beside %s; inputs: %s\n", model.target.c_str(), other->engine.c_str(),
                !inputs.empty() ? "--input"
                : fill.empty()  ? "random:1, zeros of i32 and i64"
                                : fill.c_str());
  const auto outputs = check_outputs(m, *result, *other, diags);
  show_layers(compare_layers(m, *result, *other));
  return outputs;
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  auto options = std::make_shared<CompareCommand>();
  CLI::App* command = app.add_subcommand(
      "compare", "run a model by byoc and by ONNX Runtime or TensorFlow Lite, and show where they differ");
  options->model.declare(*command);
  command->add_option("--input", options->inputs,
                      "values of the inputs, as run takes them; default: random:1, zeros of i32 and i64");
  command->add_option("--fill", options->fill, "what inputs get that no --input is for, as of run")
      ->check([](const std::string& text) {
        return parse_fill(text) ? std::string() : "'" + text + "' is none of zeros, ones, random and random:SEED";
      });
  command
      ->add_option("--within", options->within,
                   "how far outputs and layers may be apart: steps of quantised integers (default 1), a share of the "
                   "largest value for floats (default 0.0001)")
      ->check(CLI::NonNegativeNumber.description(""));
  command
      ->add_option("--python", options->python,
                   "Python that has onnxruntime, ai_edge_litert, tflite_runtime or tensorflow")
      ->capture_default_str();
  command->footer(
      "Example:\n  byoc compare kws.onnx\n  byoc compare kws.tflite --target cortex-m4f --input yes.npy --python "
      "venv/bin/python");
  CLI::Option* target = command->get_option("--target")->required(false);
  command->callback([options, target, &session] {
    if (target->empty()) options->model.target = "host";
    session.action = [options, &session] { return options->run(session.diags); };
  });
}

}  // namespace byoc::cli
