#include "sdk/pipeline/describe.hpp"

namespace byoc {

ModelInterface describe_model(ModelInterface interface, const optimise::Optimised& rewritten) {
  interface.rewrites = rewritten.summary;
  const auto& channels = rewritten.moved.at(rewritten.graph.get()).channels;
  for (StepInfo& s : interface.steps)
    for (StoredTensor& t : s.results)
      if (const auto found = channels.find(t.value); found != channels.end()) t.channels = found->second;
  return interface;
}

std::string describe_library(const Package& package, const LibraryFacts& facts) {
  std::vector<std::string> members;
  for (const LibraryMember& m : package.members)
    if (!package.tree.modules[m.module].for_loaders) members.push_back(m.name);
  std::vector<std::string> kernels;
  if (!package.tree.lto)
    for (const auto& [symbol, name] : facts.kernel_names) kernels.push_back(name);
  const LibraryMember& last = package.members.back();  // which carries the constants, if there are any
  return write_manifest({facts.interface, package.target, facts.toolchain, last.constants, members, kernels,
                         package.link_libraries, facts.licences, facts.origins, facts.model_sha256, facts.executor,
                         last.encoded.get(), facts.weights_layout});
}

}  // namespace byoc
