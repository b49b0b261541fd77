#include "sdk/vm/types.hpp"

#include <algorithm>

namespace byoc::vm {

std::uint32_t add_type(Module& module, const ir::Graph& graph, const ir::TensorType& type, const std::string& name) {
  ir::Value v;
  v.name = name;
  v.type = type;
  if (v.type.dims)
    for (ir::Dim& d : *v.type.dims) {
      if (!ir::is_open(d)) continue;
      const std::string& symbol = graph.symbols[static_cast<std::size_t>(-1 - d)];
      auto& known = module.types.symbols;
      const auto at = std::find(known.begin(), known.end(), symbol);
      d = ir::symbol_dim(static_cast<std::size_t>(at - known.begin()));
      if (at == known.end()) known.push_back(symbol);
    }
  return module.types.add_value(std::move(v));
}

std::uint32_t add_type(Module& module, DType dtype, std::vector<std::int64_t> dims) {
  ir::TensorType type;
  type.dtype = dtype;
  type.dims = std::move(dims);
  return add_type(module, module.types, type);
}

}  // namespace byoc::vm
