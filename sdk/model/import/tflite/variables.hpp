// Resource variables: states of the graph that operators name by handles. A handle is a tensor of type RESOURCE, which
// is no value of the graph.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc::tflite {

// The value that an initialisation assigns.
struct InitialValue {
  ir::TensorType type;
  Blob bytes;
};

struct Variable {
  std::string container, name;
  std::optional<InitialValue> initial;
  ir::ValueId state = ir::kNoValue;  // of the model's graph, from its first use on
};

// All variables of a model, whichever subgraph names them.
class Variables {
 public:
  // The variable of that name; of two containers only where both are given and differ.
  std::size_t find_or_add(const std::string& container, const std::string& name);
  [[nodiscard]] Variable& at(std::size_t i) { return all_[i]; }

 private:
  std::vector<Variable> all_;
};

// The variables as one subgraph sees them.
struct VariableScope {
  enum class Place : std::uint8_t { model, initialisation, body };

  Variables& all;
  Place place = Place::model;
  std::map<ir::ValueId, std::size_t> handles;  // by their tensors
};

}  // namespace byoc::tflite
