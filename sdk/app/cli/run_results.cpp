// The inputs and results of a run.
#include <algorithm>
#include <cstdio>

#include "sdk/app/cli/page_facts.hpp"
#include "sdk/app/cli/run_command.hpp"
#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/library/object/file_hash.hpp"
#include "sdk/run/simulate/dump.hpp"
#include "sdk/run/simulate/simulate.hpp"
#include "sdk/run/simulate/stats.hpp"
#include "sdk/run/simulate/stats_page.hpp"
#include "sdk/run/simulate/verdicts.hpp"
#include "sdk/run/values/bounded_values.hpp"
#include "sdk/run/values/input_set.hpp"
#include "sdk/run/values/output_npy.hpp"
#include "sdk/run/values/value_files.hpp"

namespace byoc::cli {
namespace {

template <class T>
std::vector<T> piece(const std::vector<T>& of_all, std::size_t run, std::size_t runs) {
  const auto each = static_cast<std::ptrdiff_t>(of_all.size() / runs);
  const auto first = of_all.begin() + static_cast<std::ptrdiff_t>(run) * each;
  return {first, first + each};
}

}  // namespace

Result<void> RunCommand::show_asked_for(const ModelInterface& interface, const RunResult& result,
                                        const std::vector<std::uint64_t>& times, Diagnostics& diags) const {
  std::vector<IoTensor> outputs;
  for (std::size_t i = 0; i < result.outputs.size(); ++i) outputs.push_back(output_of(interface, result, i));
  if (!check_labels(outputs, diags)) return failure;
  for (std::size_t i = 0; (!model.quiet || top.most) && i < outputs.size(); ++i)
    top.show(outputs[i], result.outputs[i]);
  if (print_time) show_times(times);
  return {};
}

void RunCommand::show_places() const {
  std::string files;
  for (const std::string& file : {output_dir.empty() ? "" : output_dir + "/", stats, report, dump_tensors})
    files += file.empty() ? "" : ", " + file;
  if (files.empty())
    std::printf("nothing was written; --output-dir keeps the outputs, --output-form npy for numpy\n");
  else
    std::printf("written: %s\n", files.c_str() + 2);
}

std::vector<FileStamp> RunCommand::files_read() const {
  std::vector<FileStamp> out = model.inputs();
  std::vector<std::string> constants;
  for (const std::string& file : {weights, graph, params, labels})
    if (!file.empty()) constants.push_back(file);
  for (const auto& further : {files_of_inputs(inputs), files_of_inputs(references), options.libraries, constants})
    for (FileStamp& stamp : stamps_of(further)) out.push_back(std::move(stamp));
  return out;
}

Result<void> RunCommand::check_places(std::size_t model_inputs, std::size_t model_outputs, Diagnostics& diags) const {
  const std::size_t runs = model_inputs == 0 ? 1 : std::max<std::size_t>(inputs.size() / model_inputs, 1);
  OutputSet files(diags, files_read());
  for (const std::string& folder : {output_dir, dump_tensors}) {
    for (std::size_t i = 0; !folder.empty() && i < runs * model_outputs; ++i) {
      const std::string of_one = of_run(folder, i / model_outputs, runs);
      const std::string name = of_one + "/output_" + std::to_string(i % model_outputs) + "." + output_form;
      if (!files.make_folders(of_one) || !files.add(name, std::string_view())) return failure;
    }
  }
  for (const std::string& file : {stats, report})
    if (!file.empty() && !files.add(file, std::string_view())) return failure;
  return {};
}

Result<std::vector<TensorBytes>> RunCommand::read_tensors(const ModelInterface& m, Diagnostics& diags) const {
  if (makes_inputs() && !has_bounded(m, false)) return made_inputs(m);
  const auto blobs = read_inputs(inputs, m, parse_fill(fill), diags);
  if (!blobs) return failure;
  std::vector<TensorBytes> out;
  for (const Blob& blob : *blobs) out.emplace_back(blob.bytes().begin(), blob.bytes().end());
  return out;
}

Result<void> RunCommand::add_results(const ModelInterface& interface, const TargetSpec& target,
                                     const std::vector<TensorBytes>& tensors, const RunResult& result, OutputSet& files,
                                     Diagnostics& diags) const {
  const std::size_t runs = run_count(interface, tensors.size());
  const std::size_t each = interface.output_count();
  const bool bounded = has_bounded(interface, true) && each != 0;
  std::vector<ValueInfo> own;
  for (const BoundedValue& b : own_values(interface, true)) own.push_back(info_of(interface, b));
  for (std::size_t run = 0; !output_dir.empty() && bounded && run < runs; ++run) {
    const auto values = outputs_of_run(interface, result, run, diags);
    if (!values || !add_values(of_run(output_dir, run, runs), *values, own, output_form, files)) return failure;
  }
  for (std::size_t i = 0; !output_dir.empty() && !bounded && i < result.outputs.size(); ++i) {
    const std::string directory = of_run(output_dir, i / each, runs);
    if (!files.make_folders(directory)) return failure;
    const std::span<const std::byte> bytes = result.outputs[i];
    const IoTensor tensor = output_of(interface, result, i);
    const std::vector<std::byte> npy = output_form == "npy" ? npy_file(tensor, bytes) : std::vector<std::byte>();
    const std::string stem = directory + "/output_" + std::to_string(i % each);
    if (!files.add(stem + "." + output_form, [&](int fd) { return write_all(fd, output_form == "npy" ? npy : bytes); }))
      return failure;
    if (!tensor.counted.empty() && !files.add(stem + ".json", shape_json(tensor, tensor.dims))) return failure;
  }
  std::vector<Blob> blobs;
  for (const TensorBytes& t : tensors) blobs.push_back(Blob::view(t, nullptr));
  for (std::size_t run = 0; !dump_tensors.empty() && run < runs; ++run)
    if (!add_dumps(of_run(dump_tensors, run, runs), interface, piece(blobs, run, runs),
                   {.outputs = piece(result.outputs, run, runs),
                    .output_dims = piece(result.output_dims, run, runs),
                    .instructions = {},
                    .nanoseconds = {},
                    .flash = {},
                    .ram = {},
                    .step_counts = {},
                    .dumps = piece(result.dumps, run, runs)},
                   files))
      return failure;
  if (!stats.empty() && !files.add(stats, stats_json(interface, target, result, origin()))) return failure;
  if (report.empty()) return {};
  if (report.ends_with(".json")) {
    const auto data = node_data(interface, target, result, report, diags);
    return data && files.add(report, *data) ? Result<void>() : failure;
  }
  const std::string page = stats_page(interface, target, result, origin());
  return files.add(report, page_with_facts(page, *command, model.model, &target)) ? Result<void>() : failure;
}

RunOrigin RunCommand::origin() const {
  return {sha256_of_file(model.model), options_in_words(*command), options.flash};
}

std::string RunCommand::of_run(const std::string& directory, std::size_t run, std::size_t runs) {
  return runs == 1 ? directory : directory + "/run_" + std::to_string(run);
}

Result<void> RunCommand::report_comparison(const RunComparison& compared, Diagnostics& diags) const {
  show_made_inputs();
  for (const OutputDifference& d : compared.outputs)
    if (!model.quiet) std::printf("compare: %s\n", to_string(d, compared.runs > 1).c_str());
  if (!compared.difference) {
    if (!model.quiet)
      std::printf("compare: all %zu tensors agree with the evaluator%s%s\n", compared.tensors,
                  stated_text(compared).c_str(), taken_text(compared).c_str());
    return {};
  }
  const RunComparison::Difference& d = *compared.difference;
  const bool exact = d.allowed == "exactly";
  return diags.error(model.model, d.node,
                     "tensor '" + d.tensor + "'" + (compared.runs > 1 ? " of run " + std::to_string(d.run) : "") +
                         " is the first that differs from the evaluator" +
                         (exact ? "" : " by more than its codegen states") + ": " + std::to_string(d.count) + " of " +
                         std::to_string(d.elements) + " elements, first at index " + std::to_string(d.element),
                     std::to_string(d.found), std::to_string(d.expected) + (exact ? "" : " " + d.allowed));
}

Result<void> RunCommand::report_verdicts(const ModelInterface& interface, const std::vector<StepVerdict>& verdicts,
                                         Diagnostics& diags) const {
  show_made_inputs();
  if (!model.quiet) std::fputs(verdict_table(interface, verdicts).c_str(), stdout);
  const auto is_bad = [](const StepVerdict& v) { return !is_good(v); };
  const auto bad = std::count_if(verdicts.begin(), verdicts.end(), is_bad);
  if (bad == 0) return {};
  const auto first = std::find_if(verdicts.begin(), verdicts.end(), is_bad);
  return diags.error(model.model, interface.name,
                     std::to_string(bad) + " of " + std::to_string(verdicts.size()) +
                         " steps are not as they should be; the first is " + describe_step(interface, first->step) +
                         ": " + first->text);
}

std::string RunCommand::taken_text(const RunComparison& compared) {
  if (compared.taken == 0) return {};
  return "; " + std::to_string(compared.taken) + " of operators that byoc does not know are taken as they are";
}

std::string RunCommand::stated_text(const RunComparison& compared) {
  if (compared.exact == compared.tensors) return "";
  std::string out;
  for (const std::string& s : compared.stated) out += (out.empty() ? "" : ", ") + s;
  return ", " + std::to_string(compared.tensors - compared.exact) + " of them as near as codegens state: " + out;
}

}  // namespace byoc::cli
