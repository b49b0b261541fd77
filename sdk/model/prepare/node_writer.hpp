// Adds the nodes that a pass writes in place of a node, with its name and position.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc {

class NodeWriter {
 public:
  using Values = std::vector<ir::ValueId>;
  using Attributes = std::map<std::string, ir::Attribute, std::less<>>;

  // Appends to `nodes`; `like` must outlive the writer.
  NodeWriter(ir::Graph& graph, std::vector<ir::Node>& nodes, const ir::Node& like)
      : graph_(graph), nodes_(nodes), like_(like) {}

  // An operator of domain "", or "byoc.Expect" of ours; the value of its only result.
  ir::ValueId op(std::string_view name, Values inputs, Attributes attributes = {});
  void give(Values outputs, std::string_view name, Values inputs, Attributes attributes = {});

  ir::ValueId integer(std::int64_t element);                        // i64[]
  ir::ValueId integers(const std::vector<std::int64_t>& elements);  // i64[n]
  ir::ValueId boolean(bool element);                                // bool[]
  ir::ValueId zeros(const ir::TensorType& type);                    // of a type whose dims are known; empty strings

  // The conditions and sums that bounds need, of i64 scalars.
  ir::ValueId less(ir::ValueId a, ir::ValueId b) { return op("Less", {a, b}); }
  ir::ValueId equal(ir::ValueId a, ir::ValueId b) { return op("Equal", {a, b}); }
  // `x`, unless `holds` is false, where the run fails; `what` is wrong then.
  ir::ValueId only_if(ir::ValueId holds, ir::ValueId x, const std::string& what);

 private:
  ir::Graph& graph_;
  std::vector<ir::Node>& nodes_;
  const ir::Node& like_;
};

}  // namespace byoc
