// Runs of a graph.json, whoever made it, with its library: here, or where a server is.
#include "sdk/app/api/host/graph_runs.hpp"
#include "sdk/app/cli/run_command.hpp"
#include "sdk/app/cli/run_outputs.hpp"

namespace byoc::cli {

Result<void> RunCommand::run_graph(Diagnostics& diags) const {
  Progress progress(model.quiet);
  progress.stage("read");
  if (!remote.address.empty()) {
    auto session = connect(diags);
    if (!session || !session->load_graph(graph, model.model, params, diags)) return failure;
    return show_remote(*session, {}, progress, diags);
  }
  const auto interface = api::graph_interface(graph, params, diags);
  if (!interface || !check_places(interface->inputs.size(), interface->output_count(), diags)) return failure;
  const auto tensors = read_tensors(*interface, diags);
  if (!tensors) return failure;
  progress.stage("run");
  const api::GraphRuns runs{.graph = graph,
                            .library = model.model,
                            .params = params,
                            .inputs = *tensors,
                            .reset = options.reset,
                            .repeat = repetitions()};
  const auto result = api::run_apart(runs, *interface, diags);
  if (!result) return failure;
  if (!model.quiet) show_outputs(*interface, *result);
  if (!show_asked_for(*interface, *result, result->times, diags)) return failure;
  OutputSet files(diags, files_read());
  if (!add_results(*interface, {}, *tensors, *result, files, diags) || !flush_output(diags) || !files.commit())
    return failure;
  if (!model.quiet) show_places();
  return compare_references(*interface, *result, diags);
}

}  // namespace byoc::cli
