// Converts structs that a plug-in passes through the C ABI to those of byoc/codegen.hpp, for the host and for the
// watching host (sdk/app/check/probe.hpp).
#pragma once

#include <optional>

#include "byoc/abi/abi.h"
#include "byoc/codegen.hpp"
#include "sdk/codegen/codegen/artifact_rules.hpp"
#include "sdk/codegen/codegen/fields.hpp"

namespace byoc::plugin {

// An artifact of any kind: what its kind has none of stays as it is.
struct Artifact {
  std::uint32_t kind = 0;      // BYOC_ARTIFACT_...
  std::uint64_t promised = 0;  // bytes; 0: nothing was said
  std::string name;            // for people
  codegen::ConstantDecl constant;
  codegen::SourceDecl source;
  codegen::ArtifactDecl other;
};

template <Is<Artifact> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.kind, s.promised, s.name, s.constant, s.source, s.other);
}

struct NodeVerdict {
  codegen::NodeId node = codegen::kNoNode;
  codegen::Verdict verdict;
};
template <Is<NodeVerdict> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.node, s.verdict);
}

// The rule that the given struct breaks, in words that follow the plug-in's name; nullopt if `out` was read.
using Fault = std::optional<BrokenRule>;

[[nodiscard]] Fault read(const byoc_artifact_t* from, Artifact& out);
[[nodiscard]] Fault read(const byoc_arrangement_t* from, codegen::Arrangement& out);
[[nodiscard]] Fault read(const byoc_private_value_t* from, codegen::PrivateValue& out);
[[nodiscard]] Fault read(const byoc_private_layout_t* from, codegen::PrivateLayout& out);
[[nodiscard]] Fault read(const byoc_instance_t* from, codegen::Instance& out);
[[nodiscard]] Fault read(const byoc_step_t* from, codegen::Step& out);
[[nodiscard]] Fault read(const byoc_verdict_t* from, NodeVerdict& out);

}  // namespace byoc::plugin
