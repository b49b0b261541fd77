// The artifacts of all codegens of one export, in the order in which they were handed over, with values named as the
// graph names them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/target/module/constant_artifact.hpp"

namespace byoc::plugin {

struct SourceArtifact {
  codegen::SourceDecl decl;
  std::string text;
  std::string codegen;
};

// An object, LLVM bitcode, static library, link library or licence.
struct OtherArtifact {
  codegen::ArtifactDecl decl;
  std::vector<std::byte> bytes;
  std::string codegen;
};

// A value of the graph or a private one.
struct StepOperand {
  ir::ValueId value = ir::kNoValue;
  std::uint32_t private_value = 0;  // where value == kNoValue
};

struct Step {
  codegen::Step decl;  // inputs and outputs there are the region's; use these:
  std::vector<StepOperand> inputs;
  std::vector<StepOperand> outputs;
  std::vector<ir::NodeId> nodes;
  std::vector<std::uint32_t> constants;  // indexes of the constants that came with it
  std::string codegen;
  std::uint32_t order = 0;           // BoundRegion::order of its region
  ir::NodeId control = ir::kNoNode;  // the If, Loop or Scan that the executor itself runs as this step
};

struct InstanceArtifact {
  codegen::Instance decl;
  std::string codegen;
};

// The steps and aliases for the nodes of one graph: the model's own, or the body of an If, Loop or Scan.
struct GraphPart {
  std::string symbol;  // of the C function of a body
  std::vector<Step> steps;
  std::map<ir::ValueId, ir::ValueId> aliases;                      // value -> the value whose bytes it is
  std::map<ir::ValueId, codegen::PrivateLayout> stored_privately;  // ids are of Compilation::private_values
  std::map<ir::ValueId, ir::ValueId> fused;
  std::map<ir::ValueId, std::string> output_constants;  // constants that the executor itself reads -> their symbol
};

// The part that is inherited is the model's own graph.
struct Compilation : GraphPart {
  std::vector<ConstantArtifact> constants;
  std::vector<SourceArtifact> sources;
  std::vector<OtherArtifact> others;
  std::map<std::string, std::string> headers;
  std::vector<codegen::PrivateValue> private_values;
  std::vector<InstanceArtifact> instances;
  std::map<const ir::Graph*, GraphPart> bodies;  // for looking up, not for walking: addresses have no stable order
  std::map<std::size_t, std::string> state_constants;  // index into Graph::states -> symbol of its initial bytes
};

struct CompileRequest {
  const ir::Graph& graph;  // the model's own
  const TargetSpec& target;
  Objective objective = Objective::balanced;
  std::string prefix;           // of every public C symbol
  std::string internal_header;  // name of the header that the executor will write
  std::uint64_t memory_budget = 0;
  std::uint32_t attempt = 0;
  bool constants_move = false;  // those of codegens that can do with it (codegen::Request::constants_move)
};

// Runs one codegen over its regions, with the constants that it puts into them, and adds its artifacts to `out`. They
// are checked: sizes of constants, claimed names, operands in range, alignments, shared symbols. Errors name the
// codegen and the node.
Result<void> compile_regions(codegen::Codegen& codegen, std::span<const BoundRegion> regions,
                             const CompileRequest& request, NameTable& names, Compilation& out, Diagnostics&);

// Puts the steps of several codegens into an order in which they can run: by region, and within one as they were given.
void order_steps(Compilation& compilation);

}  // namespace byoc::plugin
