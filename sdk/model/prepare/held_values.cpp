#include "sdk/model/prepare/held_values.hpp"

#include <algorithm>

#include "sdk/model/ir/held_type.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc {

using ir::Container;

bool FlatHeld::is_sequence() const {
  return type.container == Container::sequence || type.container == Container::optional_sequence;
}

bool FlatHeld::is_optional() const {
  return type.container == Container::optional || type.container == Container::optional_sequence;
}

const Held* HeldValues::find(ir::ValueId v) const {
  const auto found = known_.find(v);
  return found == known_.end() ? nullptr : &found->second;
}

std::optional<FlatHeld> HeldValues::flat(ir::ValueId v) const {
  FlatHeld out;
  out.type = graph_.values[v].type;
  if (out.type.dtype == DType::undefined) return std::nullopt;
  if (out.type.is_tensor()) {
    out.tensors = {v};
    return out;
  }
  const Held* held = find(v);
  if (held == nullptr) return std::nullopt;
  if (!out.is_optional()) {
    out.tensors = held->elements;
    out.count = held->count;
    return out;
  }
  out.is_empty = held->elements.empty();
  if (out.is_empty) return out;
  const auto content = flat(held->elements[0]);
  if (!content) return std::nullopt;
  out.tensors = content->tensors;
  out.count = content->count;
  out.given = held->given;
  return out;
}

const ir::TensorType* HeldValues::uniform(const std::vector<ir::ValueId>& elements) const {
  if (elements.empty()) return nullptr;
  const ir::TensorType& first = graph_.values[elements[0]].type;
  const bool same = first.is_shaped() && std::all_of(elements.begin(), elements.end(), [&](ir::ValueId v) {
                      const ir::TensorType& t = graph_.values[v].type;
                      return t.dtype == first.dtype && t.dims == first.dims;
                    });
  return same ? &first : nullptr;
}

void write_held(NodeWriter& write, ir::Graph& graph, const FlatHeld& held, ir::ValueId output) {
  ir::TensorType content = held.type;
  content.container = held.is_sequence() ? Container::sequence : Container::tensor;
  if (held.is_empty) {
    write.give({output}, "Optional", {}, {{"type", ir::held_name(content)}});
    return;
  }
  const ir::ValueId inside = held.is_optional() ? graph.add_value({}) : output;
  if (!held.is_sequence()) {
    write.give({inside}, "Identity", {held.tensors[0]});
  } else if (held.tensors.empty()) {
    write.give({inside}, "SequenceEmpty", {}, {{"dtype", ir::onnx_number(content.dtype)}});
  } else if (held.count == ir::kNoValue) {
    write.give({inside}, "SequenceConstruct", held.tensors);
  } else {
    std::vector<ir::ValueId> operands{held.count};
    operands.insert(operands.end(), held.tensors.begin(), held.tensors.end());
    write.give({inside}, "byoc.SequenceOf", std::move(operands));
  }
  if (!held.is_optional()) return;
  if (held.given == ir::kNoValue)
    write.give({output}, "Optional", {inside});
  else
    write.give({output}, "byoc.OptionalOf", {held.given, inside});
}

}  // namespace byoc
