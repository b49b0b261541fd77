#include "sdk/export/without_names.hpp"

#include "sdk/export/neutral_names.hpp"

namespace byoc {

Result<Library> export_without_names(const ir::Graph& graph, const Job& job, const CompileModel& compile,
                                     Diagnostics& diags) {
  const NeutralNames names(graph, job.name);
  Job renamed = job;
  renamed.request = names.renamed(job.request);
  Diagnostics own;
  auto library = compile(*names.graph(), renamed, own);
  for (const Diagnostic& d : own.all()) diags.add(names.in_own_words(d));
  if (!library) return failure;
  if (!library->partition.graph) library->partition.graph = names.graph();
  library->names_text = names.map_text();
  return library;
}

}  // namespace byoc
