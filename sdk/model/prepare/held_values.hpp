// The known elements of the sequences and optionals of a graph. Internal to this folder.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sdk/model/ir/graph.hpp"
#include "sdk/model/prepare/node_writer.hpp"

namespace byoc {

inline constexpr std::size_t kMostElements = 1024;  // of one sequence; longer ones stay sequences

// A sequence: its elements, in order, of which the first `count` (an i64 scalar; kNoValue: all) are there. An optional:
// what is in it, or nothing; where `given` (a bool scalar) is a value, that says whether it is there.
struct Held {
  std::vector<ir::ValueId> elements;
  ir::ValueId count = ir::kNoValue;
  ir::ValueId given = ir::kNoValue;
};

// A sequence, optional or optional sequence in the form of tensors only.
struct FlatHeld {
  ir::TensorType type;  // container and element type
  std::vector<ir::ValueId> tensors;
  ir::ValueId count = ir::kNoValue;
  ir::ValueId given = ir::kNoValue;
  bool is_empty = false;  // an optional that is known to hold nothing

  [[nodiscard]] bool is_sequence() const;
  [[nodiscard]] bool is_optional() const;
};

class HeldValues {
 public:
  explicit HeldValues(const ir::Graph& graph) : graph_(graph) {}

  [[nodiscard]] const Held* find(ir::ValueId v) const;
  void set(ir::ValueId v, Held held) { known_[v] = std::move(held); }
  // Nullopt where some of it is not known.
  [[nodiscard]] std::optional<FlatHeld> flat(ir::ValueId v) const;
  // The type of the elements if all have one type with known dims; null otherwise, or without elements.
  [[nodiscard]] const ir::TensorType* uniform(const std::vector<ir::ValueId>& elements) const;

 private:
  const ir::Graph& graph_;
  std::map<ir::ValueId, Held> known_;
};

// Writes the nodes whose result, `output`, holds these tensors.
void write_held(NodeWriter& write, ir::Graph& graph, const FlatHeld& held, ir::ValueId output);

}  // namespace byoc
