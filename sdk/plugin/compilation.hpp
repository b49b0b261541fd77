// What the codegens of one export handed over, in the order they did, with values named as the graph names them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/ir/graph.hpp"
#include "sdk/plugin/region.hpp"
#include "sdk/support/diagnostics.hpp"
#include "sdk/support/name_table.hpp"

namespace byoc::plugin {

struct ConstantArtifact {
  codegen::ConstantDecl decl;
  Blob bytes;
  std::string codegen;  // who made it, for diagnostics
};

struct SourceArtifact {
  codegen::SourceDecl decl;
  std::string text;
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
};

struct InstanceArtifact {
  codegen::Instance decl;
  std::string codegen;
};

struct Compilation {
  std::vector<ConstantArtifact> constants;
  std::vector<SourceArtifact> sources;
  std::map<std::string, std::string> headers;
  std::vector<Step> steps;
  std::vector<codegen::PrivateValue> private_values;
  std::map<ir::ValueId, ir::ValueId> aliases;                      // value -> the value whose bytes it is
  std::map<ir::ValueId, codegen::PrivateLayout> stored_privately;  // private_value ids are of private_values here
  std::map<ir::ValueId, ir::ValueId> fused;
  std::vector<InstanceArtifact> instances;
  std::map<ir::ValueId, std::string> output_constants;  // graph outputs that are constants -> their symbol
};

struct CompileRequest {
  const ir::Graph& graph;
  const TargetSpec& target;
  Objective objective = Objective::balanced;
  std::string prefix;           // of every public C symbol
  std::string internal_header;  // name of the header that the executor will write
};

// Runs one codegen over its regions and adds what it makes to `out`. What it hands over is checked: claimed names,
// operands in range, alignments, shared symbols. Errors name the codegen and the node.
Result<void> compile_regions(codegen::Codegen& codegen, std::span<const BoundRegion> regions,
                             const CompileRequest& request, NameTable& names, Compilation& out, Diagnostics&);

}  // namespace byoc::plugin
