#include "sdk/program/bytecode/types.hpp"

#include <algorithm>

namespace byoc::bytecode {

void rename_symbols(const ir::Graph& from, ir::TensorType& type, ir::Graph& to) {
  if (!type.dims) return;
  for (ir::Dim& d : *type.dims) {
    if (!ir::is_open(d)) continue;
    const ir::Dim before = d;
    const std::string& symbol = from.symbols[static_cast<std::size_t>(-1 - d)];
    const auto at = std::find(to.symbols.begin(), to.symbols.end(), symbol);
    d = ir::symbol_dim(static_cast<std::size_t>(at - to.symbols.begin()));
    if (at == to.symbols.end()) {
      to.symbols.push_back(symbol);
      const auto known = static_cast<std::size_t>(-1 - before);
      if (known < from.ranges.size()) {
        to.ranges.resize(to.symbols.size());
        to.ranges.back() = from.ranges[known];
      }
    }
  }
}

std::uint32_t add_type(Module& module, const ir::Graph& graph, const ir::TensorType& type, const std::string& name) {
  ir::Value v;
  v.name = name;
  v.type = type;
  rename_symbols(graph, v.type, module.types);
  return module.types.add_value(std::move(v));
}

std::uint32_t add_type(Module& module, DType dtype, std::vector<std::int64_t> dims) {
  ir::TensorType type;
  type.dtype = dtype;
  type.dims = std::move(dims);
  return add_type(module, module.types, type);
}

}  // namespace byoc::bytecode
