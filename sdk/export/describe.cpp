#include "sdk/export/describe.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace byoc {
namespace {

// The symbols that objects refer to and none of the members defines, sorted.
std::vector<std::string> undefined_in(const std::vector<LibraryMember>& members) {
  std::set<std::string> wanted, there;
  for (const LibraryMember& m : members) {
    for (const ConstantArtifact& c : m.constants) there.insert(c.symbol);
    if (!m.facts) continue;
    wanted.insert(m.facts->undefined.begin(), m.facts->undefined.end());
    for (const ObjectSymbol& s : m.facts->defined) there.insert(s.name);
  }
  std::vector<std::string> out;
  std::ranges::set_difference(wanted, there, std::back_inserter(out));
  return out;
}

}  // namespace

ModelInterface describe_model(ModelInterface interface, const optimise::Optimised& rewritten) {
  interface.rewrites = rewritten.summary;
  const auto& channels = rewritten.moved.at(rewritten.graph.get()).channels;
  for (StepInfo& s : interface.steps)
    for (StoredTensor& t : s.results)
      if (const auto found = channels.find(t.value); found != channels.end()) t.channels = found->second;
  return interface;
}

LibraryDescription describe_library(const Package& package, LibraryFacts facts) {
  static const LibraryMember kNone;
  const LibraryMember& constants = package.constants() != nullptr ? *package.constants() : kNone;
  LibraryDescription out{.interface = std::move(facts.interface),
                         .model_sha256 = std::move(facts.model_sha256),
                         .target = name_of(package.target),
                         .toolchain = std::move(facts.toolchain),
                         .executor = std::move(facts.executor),
                         .weights_layout = std::move(facts.weights_layout),
                         .origins = std::move(facts.origins),
                         .regions = regions_of(package.target, constants.constants),
                         .constants = state_constants(constants.constants, constants.encoded.get()),
                         .flash = facts.flash,
                         .stack = std::move(facts.stack),
                         .undefined = undefined_in(package.members),
                         .link_libraries = package.link_libraries,
                         .licences = std::move(facts.licences)};
  for (const LibraryMember& m : package.members)
    if (!package.tree.modules[m.module].for_loaders) out.members.push_back(m.name);
  if (!package.tree.lto)
    for (const auto& [symbol, name] : facts.kernel_names) out.shared_kernels.push_back(name);
  return out;
}

}  // namespace byoc
