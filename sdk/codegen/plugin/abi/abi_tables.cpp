#include "sdk/codegen/plugin/abi/abi_tables.hpp"

#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {

RegionTable::RegionTable(const codegen::Region& region) : table(make_struct<byoc_region_t>()) {
  for (const codegen::Value& v : region.values) add_value(v);
  for (const codegen::Node& n : region.nodes) add_node(n);
  for (const codegen::GrantedGroup& g : region.groups) {
    auto& out = groups_.emplace_back(make_struct<byoc_group_t>());
    out.pattern = g.pattern;
    out.nodes = g.nodes.data();
    out.node_count = size32(g.nodes);
    group_list_.push_back(&out);
  }
  table.requant = static_cast<std::uint32_t>(region.requant);
  table.name = to_abi(region.name);
  table.values = value_list_.data();
  table.value_count = size32(value_list_);
  table.nodes = node_list_.data();
  table.node_count = size32(node_list_);
  table.inputs = region.inputs.data();
  table.input_count = size32(region.inputs);
  table.outputs = region.outputs.data();
  table.output_count = size32(region.outputs);
  table.groups = group_list_.data();
  table.group_count = size32(group_list_);
  symbols_ = to_abi(region.symbols);
  table.symbols = symbols_.data();
  table.symbol_count = size32(symbols_);
}

void RegionTable::add_value(const codegen::Value& value) {
  auto& out = values_.emplace_back(make_struct<byoc_value_t>());
  out.dtype = static_cast<std::uint32_t>(value.dtype);
  out.name = to_abi(value.name);
  out.flags = (value.is_constant ? BYOC_VALUE_CONSTANT : 0u) | (value.is_state ? BYOC_VALUE_STATE : 0u);
  out.dims = value.dims.data();
  out.rank = size32(value.dims);
  if (value.quantised()) {
    auto& q = quantisations_.emplace_back(make_struct<byoc_quantisation_t>());
    q.axis = value.quantisation.axis;
    q.scales = value.quantisation.scales.data();
    q.zero_points = value.quantisation.zero_points.data();
    q.count = size32(value.quantisation.scales);
    out.quantisation = &q;
  }
  out.data = value.data.data();
  out.data_size = value.data.size();
  out.source_index = value.source_index;
  value_list_.push_back(&out);
}

byoc_attribute_t RegionTable::attribute(const std::string& name, const codegen::Attribute& value) {
  auto out = make_struct<byoc_attribute_t>();
  out.name = to_abi(name);
  if (const auto* i = std::get_if<std::int64_t>(&value)) {
    out.kind = BYOC_ATTRIBUTE_INTEGER;
    out.integer = *i;
  } else if (const auto* f = std::get_if<float>(&value)) {
    out.kind = BYOC_ATTRIBUTE_REAL;
    out.real = *f;
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    out.kind = BYOC_ATTRIBUTE_TEXT;
    out.text = to_abi(*s);
  } else if (const auto* is = std::get_if<std::vector<std::int64_t>>(&value)) {
    out.kind = BYOC_ATTRIBUTE_INTEGERS;
    out.integers = is->data();
    out.count = size32(*is);
  } else if (const auto* fs = std::get_if<std::vector<float>>(&value)) {
    out.kind = BYOC_ATTRIBUTE_REALS;
    out.reals = fs->data();
    out.count = size32(*fs);
  } else {
    const auto& texts = strings_.emplace_back(to_abi(std::get<std::vector<std::string>>(value)));
    out.kind = BYOC_ATTRIBUTE_TEXTS;
    out.texts = texts.data();
    out.count = size32(texts);
  }
  return out;
}

void RegionTable::add_node(const codegen::Node& node) {
  auto& list = attribute_lists_.emplace_back();
  for (const auto& [name, value] : node.attributes) list.push_back(&attributes_.emplace_back(attribute(name, value)));
  auto& out = nodes_.emplace_back(make_struct<byoc_node_t>());
  out.name = to_abi(node.name);
  out.domain = to_abi(node.domain);
  out.op = to_abi(node.op);
  out.version = node.version;
  out.position = node.position;
  out.inputs = node.inputs.data();
  out.input_count = size32(node.inputs);
  out.outputs = node.outputs.data();
  out.output_count = size32(node.outputs);
  out.attributes = list.data();
  out.attribute_count = size32(list);
  node_list_.push_back(&out);
}

TargetTable::TargetTable(const TargetSpec& t) : table(make_struct<byoc_target_t>()), isa_(to_abi(t.isa)) {
  table.pointer_width = t.pointer_width;
  table.flags = (t.endianness == "big" ? BYOC_TARGET_BIG_ENDIAN : 0u) | (t.short_enums ? BYOC_TARGET_SHORT_ENUMS : 0u) |
                (t.hosted ? BYOC_TARGET_HOSTED : 0u) | (t.pic ? BYOC_TARGET_PIC : 0u);
  table.name = to_abi(t.name);
  table.triple = to_abi(t.triple);
  table.cpu = to_abi(t.cpu);
  table.march = to_abi(t.march);
  table.fpu = to_abi(t.fpu);
  table.float_abi = to_abi(t.float_abi);
  table.abi = to_abi(t.abi);
  table.code_model = to_abi(t.code_model);
  table.toolchain = to_abi(t.default_toolchain);
  table.isa = isa_.data();
  table.isa_count = size32(isa_);
  for (const MemoryPool& p : t.pools) {
    auto& out = pools_.emplace_back(make_struct<byoc_memory_pool_t>());
    const auto& attributes = attributes_.emplace_back(to_abi(p.attributes));
    out.kind = static_cast<std::uint32_t>(p.kind);
    out.name = to_abi(p.name);
    out.size = p.size;
    out.attributes = attributes.data();
    out.attribute_count = size32(attributes);
    out.section = to_abi(p.section);
    pool_list_.push_back(&out);
  }
  table.pools = pool_list_.data();
  table.pool_count = size32(pool_list_);
}

}  // namespace byoc::plugin
