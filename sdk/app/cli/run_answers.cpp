// Answers of a run for people: names of classes, and differences from the results of others.
#include <cstdio>

#include "sdk/app/cli/run_command.hpp"
#include "sdk/run/values/bounded_values.hpp"
#include "sdk/run/values/fill.hpp"
#include "sdk/run/values/input_set.hpp"

namespace byoc::cli {

Result<void> RunCommand::find_labels(Diagnostics& diags) {
  if (labels.empty()) {
    top.labels = labels_in_model(model.model);
    return {};
  }
  auto read = read_labels(labels, diags);
  if (!read) return failure;
  top.labels = {std::move(*read)};
  return {};
}

Result<void> RunCommand::check_labels(const std::vector<IoTensor>& outputs, Diagnostics& diags) const {
  if (labels.empty()) return {};
  for (const IoTensor& t : outputs)
    if (labels_for(top.labels, t) != nullptr) return {};
  return diags.error(labels, "--labels", "no output has as many classes",
                     std::to_string(top.labels.front().names.size()) + " names", list_tensors(outputs));
}

Bound RunCommand::bound() const { return {within.value_or(1), within.value_or(1e-4)}; }

Result<void> report_differences(const OtherSide& other, const std::string& model,
                                const std::vector<OutputDifference>& differences, bool quiet, const Bound& bound,
                                Diagnostics& diags) {
  bool good = true;
  const bool several = !differences.empty() && differences.back().run != 0;
  for (const OutputDifference& d : differences) {
    if (!quiet) std::printf("%s: %s\n", other.line.c_str(), to_string(d, several).c_str());
    if (d.beyond == 0) continue;
    good = false;
    char allowed[96];
    std::snprintf(allowed, sizeof allowed, "at most %g steps of quantised integers, %g of the largest of floats",
                  bound.steps, bound.relative);
    (void)diags.error(model, d.name,
                      std::to_string(d.beyond) + " of " + std::to_string(d.elements) + " values are further from " +
                          other.name + " than --within allows",
                      {}, allowed);
  }
  return good ? Result<void>() : failure;
}

Result<void> RunCommand::compare_references(const ModelInterface& interface, const RunResult& result,
                                            Diagnostics& diags) const {
  if (references.empty()) return {};
  if (has_bounded(interface, true))
    return diags.error(model.model, "--reference", "only tensors of numbers are compared with files");
  std::vector<RunOutput> outputs;
  for (std::size_t i = 0; i < result.outputs.size(); ++i)
    outputs.push_back({output_of(interface, result, i), result.outputs[i], i / interface.output_count()});
  const auto differences = compare_with_files(references, outputs, bound(), diags);
  if (!differences) return failure;
  return report_differences({"reference", "--reference"}, model.model, *differences, model.quiet, bound(), diags);
}

bool RunCommand::makes_inputs() const { return (options.compare || options.bisect) && inputs.empty() && fill.empty(); }

std::vector<std::vector<std::byte>> made_inputs(const ModelInterface& m) {
  std::vector<TensorBytes> out;
  for (std::size_t i = 0; i < m.inputs.size(); ++i) {
    const ElementRow& row = element_row(m.inputs[i].dtype);
    const bool is_index = row.kind != ElementKind::real && row.bits >= 32;
    out.push_back(filled(is_index ? Fill{} : Fill{FillKind::random, 1}, m.inputs[i], i));
  }
  return out;
}

void RunCommand::show_made_inputs() const {
  if (makes_inputs() && !model.quiet)
    std::printf("compare: inputs are random:1, but zeros of i32 and i64: --input and --fill give others\n");
}

}  // namespace byoc::cli
