#include "backends/c/effort.hpp"

#include <algorithm>
#include <array>

namespace byoc::c {
namespace {

bool is_light(const codegen::Node& node) {
  constexpr std::array<std::string_view, 6> kOperators{"AveragePool",   "GlobalAveragePool", "MaxPool",
                                                       "GlobalMaxPool", "Softmax",           "LogSoftmax"};
  return node.domain.empty() && std::find(kOperators.begin(), kOperators.end(), node.op) != kOperators.end();
}

}  // namespace

void EffortHost::source(const codegen::SourceDecl& decl, std::string_view text) {
  const auto [at, fresh] = kernels_.emplace(decl.symbol, sources_.size());
  if (decl.shared && !fresh && sources_[at->second].text == text) return;
  sources_.push_back({decl, std::string(text)});
}

void EffortHost::step(const codegen::Region& region, const codegen::Step& step) {
  const bool light = std::all_of(step.nodes.begin(), step.nodes.end(), [&](codegen::NodeId n) {
    return n < region.nodes.size() && is_light(region.nodes[n]);
  });
  const auto [at, fresh] = efforts_.emplace(step.kernel, codegen::Effort::light);
  if (!light) at->second = codegen::Effort::hot;
  ForwardingHost::step(region, step);
}

void EffortHost::finish() {
  for (Source& s : sources_) {
    if (const auto found = efforts_.find(s.decl.symbol); s.decl.shared && found != efforts_.end())
      s.decl.effort = found->second;
    ForwardingHost::source(s.decl, s.text);
  }
  sources_.clear();
  kernels_.clear();
}

}  // namespace byoc::c
