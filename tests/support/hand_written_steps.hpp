// Graphs and steps written by hand, for tests of what plans and runs them. Values are i32 on a target "host".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::test {

inline ir::ValueId add_value(ir::Graph& g, const std::string& name, std::vector<ir::Dim> dims) {
  ir::Value v;
  v.name = name;
  v.type.dtype = DType::i32;
  v.type.dims = std::move(dims);
  return g.add_value(std::move(v));
}

// `value` becomes `next` after each run; nothing given, it starts with zeros.
inline void add_state(ir::Graph& g, ir::ValueId value, ir::ValueId next, std::vector<std::int32_t> initial = {}) {
  g.values[value].is_state = true;
  const auto bytes = std::as_bytes(std::span(initial));
  g.states.push_back({value, next, Blob::own({bytes.begin(), bytes.end()})});
}

// Of codegen "test".
inline plugin::Step step(const std::string& symbol, std::vector<ir::ValueId> inputs, std::vector<ir::ValueId> outputs) {
  plugin::Step s;
  s.decl.symbol = symbol;
  s.codegen = "test";
  for (ir::ValueId v : inputs) {
    s.inputs.push_back({v, 0});
    s.decl.inputs.push_back({v, 0});
  }
  for (ir::ValueId v : outputs) {
    s.outputs.push_back({v, 0});
    s.decl.outputs.push_back({v, 0});
  }
  return s;
}

inline TargetSpec host() {
  TargetSpec t;
  t.name = "host";
  return t;
}

}  // namespace byoc::test
