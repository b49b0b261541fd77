#include "sdk/app/api/host/graph_library_run.hpp"
#include "sdk/app/api/host/graph_runs.hpp"
#include "sdk/app/api/host/host_runs.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"
#include "sdk/library/compile/worker.hpp"
#include "sdk/run/host/run_library.hpp"
#include "sdk/run/remote/confine.hpp"
#include "sdk/run/remote/server.hpp"

namespace byoc::cli {

void add_commands(CLI::App& app, Session& session) {
  add_export(app, session);
  add_run(app, session);
  add_new(app, session);
  add_compare(app, session);
  add_inspect(app, session);
  add_targets(app, session);
  add_report(app, session);
  add_pack(app, session);
  add_pack_constants(app, session);
  add_linker_fragment(app, session);
  add_verify(app, session);
  add_sign(app, session);
  add_diff(app, session);
  add_plugins(app, session);
  add_partition(app, session);
  add_check_plugin(app, session);
  add_replay(app, session);
  add_batch(app, session);
  add_build_tree(app, session);
  add_cc(app, session);
  add_serve(app, session);
  add_completion(app, session);
}

std::vector<Service> services() {
  return {compile::kService,      plugin::kService,      runtime::kRunService,
          remote::kClientService, remote::kModelService, remote::kConfinementService,
          api::kHostRunService,   api::kGraphRunService, api::kGraphLibraryService,
          kCheckService};
}

}  // namespace byoc::cli
