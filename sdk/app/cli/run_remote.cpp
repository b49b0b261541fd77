// Runs on other machines.
#include <algorithm>

#include "sdk/app/cli/run_command.hpp"
#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/export/load_model.hpp"
#include "sdk/run/remote/server.hpp"
#include "sdk/run/simulate/actual_outputs.hpp"

namespace byoc::cli {

Result<RemoteSession> RunCommand::connect(Diagnostics& diags) const {
  auto token = remote::read_token(token_file, diags);
  if (!token) return failure;
  RemoteServer server = remote;
  server.token = std::move(*token);
  return RemoteSession::connect(server, diags);
}

Result<void> RunCommand::run_remote(Diagnostics& diags) const {
  Progress progress(model.quiet);
  progress.stage("connect");
  auto session = connect(diags);
  auto directory = TemporaryDirectory::create(diags);
  if (!session || !directory) return failure;
  const std::string made = directory->path() + "/" + default_name(model.model) + ".so";
  const bool exported = ExportedModel::is_one(model.model);
  const std::string& library = exported ? model.model : made;
  ModelOptions local = model;
  if (local.target.empty()) local.target = session->target();
  if (local.target.empty())
    return diags.error(remote.address, "--target", "the server's machine has no name here", session->machine());
  if (!exported && !write_shared(local, made, progress, diags)) return failure;
  progress.stage("load");
  if (!session->load(library, diags)) return failure;
  const ModelInterface& interface = session->interface();
  const auto target = find_target(local.target, diags);
  if (!target || !check_places(interface.inputs.size(), interface.output_count(), diags)) return failure;
  return show_remote(*session, *target, progress, diags);
}

Result<void> RunCommand::write_shared(const ModelOptions& local, const std::string& out, Progress& progress,
                                      Diagnostics& diags) {
  auto setup = local.resolve(progress, diags);
  const auto loaded = setup ? local.load(*setup, progress, diags) : failure;
  if (!loaded || !export_model(*loaded, setup->codegens, setup->request, out, diags)) return failure;
  return setup->codegens.end(diags);
}

Result<void> RunCommand::show_remote(RemoteSession& session, const TargetSpec& target, Progress& progress,
                                     Diagnostics& diags) const {
  const ModelInterface& interface = session.interface();
  const auto tensors = read_tensors(interface, diags);
  if (!tensors) return failure;
  progress.stage("run");
  auto ran = session.run(*tensors, options.reset, std::max(1U, repetitions()), diags);
  if (!ran) return failure;
  progress.stage("report");
  RunResult result{};
  if (!keep_actual(interface, std::move(ran->outputs), result, diags)) return failure;
  result.nanoseconds = *std::min_element(ran->nanoseconds.begin(), ran->nanoseconds.end());
  if (!model.quiet) show_outputs(interface, result);
  if (!show_asked_for(interface, result, ran->nanoseconds, diags)) return failure;
  OutputSet files(diags, files_read());
  if (!add_results(interface, target, *tensors, result, files, diags) || !flush_output(diags) || !files.commit())
    return failure;
  if (!model.quiet) show_places();
  return compare_references(interface, result, diags);
}

}  // namespace byoc::cli
