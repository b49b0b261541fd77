// Quantised uint8 values as int8 ones: their integers and zero points are 128 less, and stand for the same numbers.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc::tflite {

// Operators either see a shifted value as it is, int8, or its uint8 form. Inputs and outputs of the graph stay uint8.
class ShiftedBytes {
 public:
  explicit ShiftedBytes(ir::Graph& graph) : graph_(graph) {}

  // Shifts the value where it is uint8 and quantised: its type, and its elements where it is a constant.
  void shift(ir::ValueId v);
  [[nodiscard]] bool is_shifted(ir::ValueId v) const { return forms_.contains(v); }
  // The uint8 form of a shifted value, for an operator that reads or computes it; any other value as it is.
  ir::ValueId read(ir::ValueId v, std::int64_t position);
  ir::ValueId computed(ir::ValueId v, std::int64_t position);
  // Computes the shifted ones of these inputs of the graph from their uint8 forms.
  void begin_with(const std::vector<ir::ValueId>& inputs);
  // Makes the shifted inputs and outputs of the graph uint8. They keep their numbers; those of the shifted ones are
  // new.
  void keep_edges();

 private:
  struct Forms {
    ir::TensorType type;  // of the uint8 form
    std::optional<Blob> elements;
    ir::ValueId form = ir::kNoValue;
  };
  ir::ValueId add_form(ir::ValueId v);
  void convert(ir::ValueId from, ir::ValueId to, std::int64_t position);

  ir::Graph& graph_;
  std::map<ir::ValueId, Forms> forms_;
};

}  // namespace byoc::tflite
