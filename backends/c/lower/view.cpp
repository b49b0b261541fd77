#include "backends/c/lower/view.hpp"

#include <algorithm>

namespace byoc::c {

Dims dense_strides(std::span<const std::int64_t> dims) {
  Dims out(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) out[i - 1] = out[i] * dims[i];
  return out;
}

Dims broadcast_strides(std::span<const std::int64_t> dims, std::span<const std::int64_t> out) {
  const Dims dense = dense_strides(dims);
  Dims strides(out.size(), 0);
  const std::size_t lead = out.size() - dims.size();
  for (std::size_t i = 0; i < dims.size(); ++i) strides[lead + i] = dims[i] == 1 ? 0 : dense[i];
  return strides;
}

LoopNest merge(const LoopNest& nest) {
  LoopNest out;
  out.strides.resize(nest.strides.size());
  const std::size_t operands = nest.strides.size();
  for (std::size_t d = 0; d < nest.dims.size(); ++d) {
    if (nest.dims[d] == 1) continue;
    bool joins = !out.dims.empty();
    for (std::size_t o = 0; joins && o < operands; ++o)
      joins = out.strides[o].back() == nest.strides[o][d] * nest.dims[d];
    if (joins) {
      out.dims.back() *= nest.dims[d];
      for (std::size_t o = 0; o < operands; ++o) out.strides[o].back() = nest.strides[o][d];
    } else {
      out.dims.push_back(nest.dims[d]);
      for (std::size_t o = 0; o < operands; ++o) out.strides[o].push_back(nest.strides[o][d]);
    }
  }
  if (out.dims.empty()) {
    out.dims = {1};
    for (Dims& s : out.strides) s = {1};
  }
  return out;
}

void add_loops(ParameterText& p, const LoopNest& nest, std::initializer_list<std::string_view> stride_names) {
  const auto padded = [](Dims list) {
    list.resize(kLoopRank, 0);
    return list;
  };
  p.add("rank", static_cast<std::int64_t>(nest.dims.size()));
  p.add("dims", padded(nest.dims));
  std::size_t o = 0;
  for (std::string_view name : stride_names) p.add(name, padded(nest.strides[o++]));
}

}  // namespace byoc::c
