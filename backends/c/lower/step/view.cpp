#include "backends/c/lower/step/view.hpp"

#include <algorithm>

namespace byoc::c {

namespace {

template <class List>
List dense(const List& dims) {
  List out(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) out[i - 1] = out[i] * dims[i];
  return out;
}

}  // namespace

Dims dense_strides(const Dims& dims) { return dense(dims); }
Extents dense_strides(const Extents& dims) { return dense(dims); }

Dims broadcast_strides(const Dims& dims, const Dims& out) {
  Dims strides;
  for (const Extent& e : broadcast_strides(Extents(dims), Extents(out))) strides.push_back(e.known());
  return strides;
}

Extents broadcast_strides(const Extents& dims, const Extents& out) {
  Extents strides(out.size(), 0);
  const Extents own = dense_strides(dims);
  const std::size_t lead = out.size() - dims.size();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    // A length that only a run knows may turn out to be 1 where the result's is another one.
    const bool may_be_one = !dims[i].is_known() && dims[i] != out[lead + i];
    strides[lead + i] = own[i] * (may_be_one ? Extent::expression("(" + dims[i].text() + " != 1)") : Extent(1));
  }
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
    for (Extents& s : out.strides) s = {1};
  }
  return out;
}

void add_loops(ParameterText& p, const LoopNest& nest, std::initializer_list<std::string_view> stride_names,
               std::string_view prefix) {
  const auto padded = [](Extents list) {
    list.resize(kLoopRank, 0);
    return list;
  };
  p.add(std::string(prefix) += "rank", static_cast<std::int64_t>(nest.dims.size()));
  p.add(std::string(prefix) += "dims", padded(nest.dims));
  std::size_t o = 0;
  for (std::string_view name : stride_names) p.add(name, padded(nest.strides[o++]));
}

PeeledNest peel(const LoopNest& nest) {
  PeeledNest out;
  const std::size_t rank = nest.dims.size(), peeled = rank > kLoopRank ? rank - kLoopRank : 0;
  const auto split = static_cast<std::ptrdiff_t>(peeled);
  out.outer.assign(nest.dims.begin(), nest.dims.begin() + split);
  out.inner.dims.assign(nest.dims.begin() + split, nest.dims.end());
  for (const Extents& strides : nest.strides) {
    out.inner.strides.emplace_back(strides.begin() + split, strides.end());
    std::string offset;
    for (std::size_t d = 0; d < peeled; ++d)
      if (strides[d] != 0) offset += " + i" + std::to_string(d) + " * " + strides[d].text();
    out.offsets.push_back(std::move(offset));
  }
  return out;
}

std::string PeeledNest::around(const std::string& call) const {
  if (outer.empty()) return call;
  std::string indent = "  ", out = "  {\n    int32_t ";
  for (std::size_t d = 0; d < outer.size(); ++d) out += (d ? ", i" : "i") + std::to_string(d);
  out += ";\n";
  for (std::size_t d = 0; d < outer.size(); ++d) {
    const std::string i = "i" + std::to_string(d);
    indent += "  ";
    out += indent + "for (" + i + " = 0; " + i + " < " + outer[d].text() + "; ++" + i + ")\n";
  }
  return out + indent + call + "  }\n";
}

}  // namespace byoc::c
