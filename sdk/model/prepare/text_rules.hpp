// Operators on strings as operators on their bytes. Internal to this folder.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sdk/model/ir/graph.hpp"
#include "sdk/model/prepare/node_writer.hpp"

namespace byoc {

// The bytes of a tensor of strings: u8 of its dims and one more, `size`. The last of each row is 0, and so is what
// follows the first 0.
struct Cells {
  ir::ValueId value = ir::kNoValue;
  std::int64_t size = 0;
  ir::ValueId count = ir::kNoValue;  // of the last dim of the strings, where that has room for more
};

class TextCells {
 public:
  explicit TextCells(ir::Graph& graph) : graph_(graph) {}

  void set(ir::ValueId v, Cells cells) { cells_[v] = cells; }
  // The cells of a value, constants included; nullopt if they are not known.
  [[nodiscard]] std::optional<Cells> find(ir::ValueId v);
  // True if a result is an output of the graph and has no other reader.
  [[nodiscard]] bool only_leaves(ir::ValueId v) const { return v < leaves_.size() && leaves_[v]; }
  void set_leaves(std::vector<bool> leaves) { leaves_ = std::move(leaves); }

 private:
  ir::Graph& graph_;
  std::map<ir::ValueId, Cells> cells_;
  std::vector<bool> leaves_;
};

// Cells as a caller fills them, made such as above: whatever stands behind the first 0 becomes 0.
ir::ValueId clean_cells(NodeWriter&, ir::Graph&, ir::ValueId given, std::int64_t size);

// Appends to the graph's nodes what computes the node's results, and notes their cells. False where no rule is for it.
bool lower_text_node(ir::Graph&, const ir::Node&, TextCells&);

}  // namespace byoc
