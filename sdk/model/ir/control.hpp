// If, Loop and Scan: the operands of the node and of its bodies.
//
// A body reads its own inputs only. The node passes what the body captures from around it: the last inputs of the node
// and of the body, as many as the attribute `captures` says (for an If: all but the condition, the same for both
// branches).
//
//   If    (condition, captures...) -> outputs...
//         then_branch, else_branch: (captures...) -> outputs...
//   Loop  (trip count?, condition?, carried..., captures...) -> carried..., stacked...
//         body: (iteration, condition, carried..., captures...) -> condition, carried..., stacked...
//   Scan  (carried..., scanned..., captures...) -> carried..., stacked...          (attribute num_scan_inputs)
//         body: (carried..., slices..., captures...) -> carried..., stacked...
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

// The deepest nesting of bodies in every format. It is limited because passes recurse into bodies.
inline constexpr int kDeepestBody = 16;

// True if the node carries graphs: the executor runs it, not a codegen.
[[nodiscard]] bool is_control(const Node&);

// The body of that name, or null.
[[nodiscard]] std::shared_ptr<Graph> body_of(const Node&, std::string_view attribute);

// The operands of a Loop or a Scan that the verifier has accepted. Each group starts at these indexes.
struct LoopForm {
  std::shared_ptr<Graph> body;
  bool is_scan = false;
  std::size_t carried = 0;  // values that go round
  std::size_t scanned = 0;  // Scan's inputs that are taken apart
  std::size_t stacked = 0;  // outputs put together from one slice of each round
  std::size_t captures = 0;
  std::size_t first_input = 0;   // of the node and of the body: the first carried one
  std::size_t first_output = 0;  // of the body: the first carried one

  [[nodiscard]] std::size_t first_capture() const { return first_input + carried + scanned; }
};
[[nodiscard]] LoopForm loop_form(const Node&);

// Checks that the operands of a control node and of its bodies fit in number. Errors name the node.
[[nodiscard]] bool check_control(const Graph&, const Node&, Diagnostics&);

// Copies of all bodies in place of the shared ones, so that a pass may change them.
void own_bodies(Graph&);

// Appends the nodes of `body` to `nodes` with new values in `graph`; its inputs are `arguments`. The values of its
// outputs.
[[nodiscard]] std::vector<ValueId> inline_body(Graph& graph, std::vector<Node>& nodes, const Graph& body,
                                               const std::vector<ValueId>& arguments);

}  // namespace byoc::ir
