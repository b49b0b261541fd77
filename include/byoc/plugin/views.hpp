// The host's C tables as the C++ types of byoc/codegen.hpp. Part of byoc/plugin.hpp.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/abi/abi.h"
#include "byoc/codegen.hpp"

namespace byoc::codegen {

// The value of a region; throws what names region and value if it has none of that number.
[[nodiscard]] inline const Value& value_of(const Region& region, ValueId value) {
  if (value < region.values.size()) return region.values[value];
  throw std::out_of_range("names value " + std::to_string(value) + " of region '" + region.name +
                          "', which does not exist (expected less than " + std::to_string(region.values.size()) + ")");
}

}  // namespace byoc::codegen

namespace byoc::abi {

[[nodiscard]] inline std::string_view view(const byoc_string_t& s) {
  return s.size == 0 ? std::string_view() : std::string_view(s.data, static_cast<std::size_t>(s.size));
}
[[nodiscard]] inline std::string text(const byoc_string_t& s) { return std::string(view(s)); }
// Lives as long as the text.
[[nodiscard]] inline byoc_string_t string(std::string_view s) { return {s.data(), s.size()}; }
[[nodiscard]] inline std::vector<byoc_string_t> strings(std::span<const std::string> texts) {
  std::vector<byoc_string_t> out;
  for (const std::string& t : texts) out.push_back(string(t));
  return out;
}
[[nodiscard]] inline std::vector<std::string> texts(const byoc_string_t* strings, std::uint32_t count) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(text(strings[i]));
  return out;
}
template <class T>
[[nodiscard]] std::uint32_t count(const T& list) {
  return static_cast<std::uint32_t>(list.size());
}
// A struct of the ABI with its size filled in and everything else zero.
template <class T>
[[nodiscard]] T make() {
  T out{};
  out.struct_size = sizeof(T);
  return out;
}

// A list as the ABI wants it: structs that live here, and an array of pointers to them.
template <class T>
struct List {
  std::vector<T> items;
  std::vector<const T*> pointers;

  const T* const* data() {
    pointers.clear();
    for (const T& i : items) pointers.push_back(&i);
    return pointers.data();
  }
};

[[nodiscard]] inline TargetSpec to_target(const byoc_target_t& t) {
  TargetSpec out;
  out.name = text(t.name);
  out.triple = text(t.triple);
  out.cpu = text(t.cpu);
  out.march = text(t.march);
  out.fpu = text(t.fpu);
  out.float_abi = text(t.float_abi);
  out.abi = text(t.abi);
  out.code_model = text(t.code_model);
  out.endianness = (t.flags & BYOC_TARGET_BIG_ENDIAN) != 0 ? "big" : "little";
  out.pointer_width = t.pointer_width;
  out.short_enums = (t.flags & BYOC_TARGET_SHORT_ENUMS) != 0;
  out.hosted = (t.flags & BYOC_TARGET_HOSTED) != 0;
  out.pic = (t.flags & BYOC_TARGET_PIC) != 0;
  out.default_toolchain = text(t.toolchain);
  out.isa = texts(t.isa, t.isa_count);
  for (std::uint32_t i = 0; i < t.pool_count; ++i) {
    const byoc_memory_pool_t& p = *t.pools[i];
    out.pools.push_back(
        {text(p.name), static_cast<PoolKind>(p.kind), p.size, texts(p.attributes, p.attribute_count), text(p.section)});
  }
  return out;
}

[[nodiscard]] inline codegen::Attribute to_attribute(const byoc_attribute_t& a) {
  switch (a.kind) {
    case BYOC_ATTRIBUTE_REAL: return a.real;
    case BYOC_ATTRIBUTE_TEXT: return text(a.text);
    case BYOC_ATTRIBUTE_INTEGERS: return std::vector<std::int64_t>(a.integers, a.integers + a.count);
    case BYOC_ATTRIBUTE_REALS: return std::vector<float>(a.reals, a.reals + a.count);
    case BYOC_ATTRIBUTE_TEXTS: return texts(a.texts, a.count);
    default: return a.integer;
  }
}

[[nodiscard]] inline codegen::Value to_value(const byoc_value_t& v) {
  codegen::Value out;
  out.name = text(v.name);
  out.dtype = static_cast<DType>(v.dtype);
  out.dims.assign(v.dims, v.dims + v.rank);
  if (v.quantisation != nullptr) {
    const byoc_quantisation_t& q = *v.quantisation;
    out.quantisation.scales.assign(q.scales, q.scales + q.count);
    out.quantisation.zero_points.assign(q.zero_points, q.zero_points + q.count);
    out.quantisation.axis = q.axis;
  }
  out.is_constant = (v.flags & BYOC_VALUE_CONSTANT) != 0;
  if (v.data_size != 0) out.data = {static_cast<const std::byte*>(v.data), static_cast<std::size_t>(v.data_size)};
  out.is_state = (v.flags & BYOC_VALUE_STATE) != 0;
  out.source_index = v.source_index;
  return out;
}

[[nodiscard]] inline codegen::Node to_node(const byoc_node_t& n) {
  codegen::Node out;
  out.name = text(n.name);
  out.domain = text(n.domain);
  out.op = text(n.op);
  out.version = n.version;
  out.position = n.position;
  out.inputs.assign(n.inputs, n.inputs + n.input_count);
  out.outputs.assign(n.outputs, n.outputs + n.output_count);
  for (std::uint32_t i = 0; i < n.attribute_count; ++i)
    out.attributes.emplace(text(n.attributes[i]->name), to_attribute(*n.attributes[i]));
  return out;
}

// Constants are spans over the host's memory.
[[nodiscard]] inline codegen::Region to_region(const byoc_region_t& r) {
  codegen::Region out;
  out.name = text(r.name);
  out.requant = static_cast<Requant>(r.requant);
  for (std::uint32_t i = 0; i < r.value_count; ++i) out.values.push_back(to_value(*r.values[i]));
  for (std::uint32_t i = 0; i < r.node_count; ++i) out.nodes.push_back(to_node(*r.nodes[i]));
  out.inputs.assign(r.inputs, r.inputs + r.input_count);
  out.outputs.assign(r.outputs, r.outputs + r.output_count);
  for (std::uint32_t i = 0; i < r.group_count; ++i) {
    const byoc_group_t& g = *r.groups[i];
    out.groups.push_back({g.pattern, std::vector<codegen::NodeId>(g.nodes, g.nodes + g.node_count)});
  }
  out.symbols = texts(r.symbols, r.symbol_count);
  return out;
}

[[nodiscard]] inline std::vector<codegen::Region> to_regions(const byoc_region_t* const* regions, std::uint32_t count) {
  std::vector<codegen::Region> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(to_region(*regions[i]));
  return out;
}

}  // namespace byoc::abi
