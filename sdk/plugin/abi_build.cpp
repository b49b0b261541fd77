#include "sdk/plugin/abi_build.hpp"

#include <algorithm>
#include <bit>

#include "sdk/plugin/abi_values.hpp"
#include "sdk/plugin/artifact_rules.hpp"
#include "sdk/support/name_table.hpp"

namespace byoc::plugin {
namespace {

std::string kind_name(std::uint32_t kind) {
  switch (kind) {
    case BYOC_ARTIFACT_C_SOURCE: return "C source";
    case BYOC_ARTIFACT_C_HEADER: return "C header";
    case BYOC_ARTIFACT_LLVM_BITCODE: return "LLVM bitcode";
    case BYOC_ARTIFACT_OBJECT: return "object";
    case BYOC_ARTIFACT_CONSTANT: return "constant";
    case BYOC_ARTIFACT_STATIC_LIBRARY: return "static library";
    case BYOC_ARTIFACT_LINK_LIBRARY: return "link library";
    case BYOC_ARTIFACT_LICENCE: return "licence";
    default: return "artifact of kind " + std::to_string(kind);
  }
}

bool read_arrangement(const byoc_arrangement_t* from, codegen::Arrangement& out) {
  constexpr std::uint32_t kMost = 16;
  byoc_arrangement_t a;
  if (!read_struct(from, a) || a.axis_count > kMost || a.loop_count > kMost ||
      (a.axis_count != 0 && a.axes == nullptr) || (a.loop_count != 0 && a.loops == nullptr))
    return false;
  out.element_size = a.element_size;
  out.offset = a.offset;
  for (std::uint32_t i = 0; i < a.axis_count; ++i) out.axes.push_back({a.axes[i].extent, a.axes[i].stride});
  for (std::uint32_t i = 0; i < a.loop_count; ++i)
    out.loops.push_back({a.loops[i].count, a.loops[i].axis, a.loops[i].step});
  return true;
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// Every function of the table: only while compile() runs, no exception out, and a failure where an error was told.
template <class F>
byoc_status_t BuildTable::call(const F& function) {
  if (phase_.host == nullptr) return BYOC_WRONG_STATE;
  const std::size_t before = phase_.host->errors();
  try {
    const byoc_status_t status = function();
    if (status != BYOC_OK) return status;
    return phase_.host->errors() == before ? BYOC_OK : BYOC_INVALID_ARGUMENT;
  } catch (const std::bad_alloc&) {
    error("there is no memory for what it hands over");
    return BYOC_OUT_OF_MEMORY;
  }
}

BuildTable::BuildTable(const Phase& phase, Refuse refuse)
    : table(make_struct<byoc_build_t>()), phase_(phase), refuse_(std::move(refuse)) {
  table.context = this;
  table.claim = [](const byoc_build_t* b, const byoc_string_t* stem, byoc_string_t* symbol) {
    BuildTable& self = of(b);
    *symbol = {};
    return self.call([&] {
      if (!is_sane(*stem)) return self.error("claims a name that is no text");
      *symbol = to_abi(self.symbols_.emplace_back(self.phase_.host->claim(to_text(*stem))));
      return BYOC_OK;
    });
  };
  table.artifact_begin = [](const byoc_build_t* b, const byoc_artifact_t* artifact, std::uint32_t* handle) {
    *handle = BYOC_NONE;
    return of(b).call([&] { return of(b).begin(artifact, handle); });
  };
  table.artifact_write = [](const byoc_build_t* b, std::uint32_t handle, const void* bytes, std::uint64_t size) {
    return of(b).call([&] { return of(b).write(handle, bytes, size); });
  };
  table.artifact_end = [](const byoc_build_t* b, std::uint32_t handle) {
    return of(b).call([&] { return of(b).end(handle); });
  };
  table.artifact_from_constant = [](const byoc_build_t* b, const byoc_artifact_t* artifact, std::uint32_t region,
                                    std::uint32_t value, std::uint64_t offset, std::uint64_t length) {
    BuildTable& self = of(b);
    return self.call([&]() -> byoc_status_t {
      const codegen::Region* r = nullptr;
      Artifact a;
      if (const auto s = self.region_of(region, r); s != BYOC_OK) return s;
      if (const auto s = self.value_of(*r, value); s != BYOC_OK) return s;
      if (const auto s = self.read_artifact(artifact, a); s != BYOC_OK) return s;
      if (a.kind != BYOC_ARTIFACT_CONSTANT)
        return self.error("makes something else than a constant of a constant", kind_name(a.kind));
      self.phase_.host->constant_from_value(a.constant, *r, value, offset, length);
      return BYOC_OK;
    });
  };
  table.artifact_arranged = [](const byoc_build_t* b, const byoc_artifact_t* artifact, std::uint32_t region,
                               std::uint32_t value, const byoc_arrangement_t* arrangement) {
    BuildTable& self = of(b);
    return self.call([&]() -> byoc_status_t {
      const codegen::Region* r = nullptr;
      Artifact a;
      codegen::Arrangement how;
      if (const auto s = self.region_of(region, r); s != BYOC_OK) return s;
      if (const auto s = self.value_of(*r, value); s != BYOC_OK) return s;
      if (const auto s = self.read_artifact(artifact, a); s != BYOC_OK) return s;
      if (a.kind != BYOC_ARTIFACT_CONSTANT)
        return self.error("makes something else than a constant of a constant", kind_name(a.kind));
      if (!read_arrangement(arrangement, how)) return self.error("gives an arrangement that is none");
      self.phase_.host->constant_arranged(a.constant, *r, value, how);
      return BYOC_OK;
    });
  };
  table.private_value = [](const byoc_build_t* b, const byoc_private_value_t* value, std::uint32_t* id) {
    BuildTable& self = of(b);
    *id = BYOC_NONE;
    return self.call([&] {
      byoc_private_value_t v;
      if (!read_struct(value, v)) return self.error("declares a private value that is none");
      *id = self.phase_.host->private_value({v.bytes, v.align, to_texts(v.pools, v.pool_count)});
      return BYOC_OK;
    });
  };
  table.step = [](const byoc_build_t* b, std::uint32_t region, const byoc_step_t* step) {
    return of(b).call([&] { return of(b).step(region, step); });
  };
  table.alias = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value, std::uint32_t to) {
    BuildTable& self = of(b);
    return self.call([&] {
      const codegen::Region* r = nullptr;
      if (const auto s = self.region_of(region, r); s != BYOC_OK) return s;
      self.phase_.host->alias(*r, value, to);
      return BYOC_OK;
    });
  };
  table.stored_privately = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value,
                              const byoc_private_layout_t* layout) {
    BuildTable& self = of(b);
    return self.call([&] {
      const codegen::Region* r = nullptr;
      byoc_private_layout_t l;
      if (const auto s = self.region_of(region, r); s != BYOC_OK) return s;
      if (!read_struct(layout, l) || l.stride_count > 64 || (l.stride_count != 0 && l.strides == nullptr))
        return self.error("gives a layout that is none");
      self.phase_.host->stored_privately(
          *r, value, {l.private_value, l.base, std::vector<std::int64_t>(l.strides, l.strides + l.stride_count)});
      return BYOC_OK;
    });
  };
  table.fused = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value, std::uint32_t into) {
    BuildTable& self = of(b);
    return self.call([&] {
      const codegen::Region* r = nullptr;
      if (const auto s = self.region_of(region, r); s != BYOC_OK) return s;
      self.phase_.host->fused(*r, value, into);
      return BYOC_OK;
    });
  };
  table.instance = [](const byoc_build_t* b, const byoc_instance_t* instance) {
    BuildTable& self = of(b);
    return self.call([&] {
      byoc_instance_t i;
      if (!read_struct(instance, i)) return self.error("declares an instance that is none");
      codegen::Instance out;
      out.bytes = i.bytes;
      out.align = i.align;
      out.init = to_text(i.init);
      out.reset = to_text(i.reset);
      out.deinit = to_text(i.deinit);
      self.phase_.host->instance(out);
      return BYOC_OK;
    });
  };
}

void BuildTable::finish() {
  for (const Artifact& a : artifacts_)
    if (a.open) error("did not end an artifact that it began", kind_name(a.kind) + " '" + a.other.name + "'");
  artifacts_.clear();
  symbols_.clear();
}

byoc_status_t BuildTable::error(const std::string& message, const std::string& found, const std::string& expected) {
  refuse_(message, found, expected);
  return BYOC_INVALID_ARGUMENT;
}

byoc_status_t BuildTable::region_of(std::uint32_t index, const codegen::Region*& region) {
  if (index >= phase_.regions.size())
    return error("names a region that does not exist", std::to_string(index),
                 "less than " + std::to_string(phase_.regions.size()));
  region = &phase_.regions[index];
  return BYOC_OK;
}

byoc_status_t BuildTable::value_of(const codegen::Region& region, std::uint32_t value) {
  if (value < region.values.size()) return BYOC_OK;
  return error("names value " + std::to_string(value) + " of region '" + region.name + "', which does not exist");
}

byoc_status_t BuildTable::read_constant(const byoc_artifact_t& a, Artifact& out) {
  if (a.element == BYOC_UNDEFINED || a.element > BYOC_U4)
    return error("constant '" + out.constant.symbol + "' has an unknown element type", std::to_string(a.element));
  out.constant.element = static_cast<DType>(a.element);
  out.constant.align = a.align != 0 ? a.align : std::max(1u, bit_width(out.constant.element) / 8);
  if (a.region.size != 0) out.constant.region = to_text(a.region);
  out.constant.model_data = (a.flags & BYOC_ARTIFACT_MODEL_DATA) != 0;
  return BYOC_OK;
}

byoc_status_t BuildTable::read_source(const byoc_artifact_t& a, Artifact& out) {
  out.source.name = out.other.name;
  out.source.symbol = to_text(a.symbol);
  out.source.shared = (a.flags & BYOC_ARTIFACT_SHARED) != 0;
  out.source.standard = to_text(a.standard);
  out.source.include_directories = to_texts(a.include_directories, a.include_count);
  if (out.source.shared && to_identifier(out.source.symbol) != out.source.symbol)
    return error("the symbol of a shared source is no C identifier", "'" + out.source.symbol + "'");
  if (!is_standard(out.source.standard))
    return error("C source '" + out.source.name + "' wants an unknown language standard",
                 "'" + out.source.standard + "'", "c99, c11, c17, gnu99, gnu11 or gnu17");
  return BYOC_OK;
}

byoc_status_t BuildTable::read_artifact(const byoc_artifact_t* from, Artifact& out) {
  byoc_artifact_t a;
  if (!read_struct(from, a)) return error("hands over an artifact that is none");
  if (a.kind < BYOC_ARTIFACT_C_SOURCE || a.kind > BYOC_ARTIFACT_LICENCE)
    return error("hands over an artifact of an unknown kind", std::to_string(a.kind));
  constexpr std::uint64_t kFlags = BYOC_ARTIFACT_SHARED | BYOC_ARTIFACT_MODEL_DATA | BYOC_ARTIFACT_LOCAL;
  if ((a.flags & ~kFlags) != 0) return error("sets unknown flags of an artifact", std::to_string(a.flags & ~kFlags));
  out.kind = a.kind;
  out.promised = a.size;
  out.other.name = to_text(a.name);
  out.other.kind = static_cast<codegen::ArtifactKind>(a.kind);
  out.other.defines = to_texts(a.defines, a.define_count);
  out.constant.symbol = to_text(a.symbol);
  if (a.kind == BYOC_ARTIFACT_CONSTANT) {
    out.other.name = out.constant.symbol;
    return read_constant(a, out);
  }
  if (!is_file_name(out.other.name, a.kind == BYOC_ARTIFACT_C_HEADER))
    return error("the name of a " + kind_name(a.kind) + " is not a plain file name", "'" + out.other.name + "'");
  return a.kind == BYOC_ARTIFACT_C_SOURCE ? read_source(a, out) : BYOC_OK;
}

byoc_status_t BuildTable::begin(const byoc_artifact_t* artifact, std::uint32_t* handle) {
  Artifact a;
  if (const auto s = read_artifact(artifact, a); s != BYOC_OK) return s;
  constexpr std::uint64_t kReserved = std::uint64_t{1} << 30;  // a promise is no reason to allocate more
  a.bytes.reserve(static_cast<std::size_t>(std::min(a.promised, kReserved)));
  *handle = size32(artifacts_);
  artifacts_.push_back(std::move(a));
  return BYOC_OK;
}

byoc_status_t BuildTable::write(std::uint32_t handle, const void* bytes, std::uint64_t size) {
  if (handle >= artifacts_.size() || !artifacts_[handle].open)
    return error("writes to an artifact that is not open", std::to_string(handle));
  Artifact& a = artifacts_[handle];
  if (a.kind == BYOC_ARTIFACT_LINK_LIBRARY) return error("writes bytes of link library '" + a.other.name + "'");
  if (size != 0 && bytes == nullptr) return error("writes bytes that are not there");
  const auto* p = static_cast<const std::byte*>(bytes);
  a.bytes.insert(a.bytes.end(), p, p + size);
  return BYOC_OK;
}

byoc_status_t BuildTable::end(std::uint32_t handle) {
  if (handle >= artifacts_.size() || !artifacts_[handle].open)
    return error("ends an artifact that is not open", std::to_string(handle));
  Artifact& a = artifacts_[handle];
  a.open = false;
  if (a.promised != 0 && a.promised != a.bytes.size())
    return error(kind_name(a.kind) + " '" + a.other.name + "' is not as long as was said",
                 std::to_string(a.bytes.size()), std::to_string(a.promised));
  std::vector<std::byte> bytes = std::move(a.bytes);
  a.bytes = {};
  switch (a.kind) {
    case BYOC_ARTIFACT_CONSTANT: phase_.host->constant_owned(a.constant, std::move(bytes)); break;
    case BYOC_ARTIFACT_C_SOURCE: phase_.host->source(a.source, text_of(bytes)); break;
    case BYOC_ARTIFACT_C_HEADER: phase_.host->header(a.other.name, text_of(bytes)); break;
    default: phase_.host->artifact(a.other, std::move(bytes)); break;
  }
  return BYOC_OK;
}

byoc_status_t BuildTable::read_operands(const byoc_operand_t* const* list, std::uint32_t count,
                                        std::vector<codegen::Operand>& out) {
  if (count > 4096 || (count != 0 && list == nullptr)) return error("a step's list of operands is none");
  for (std::uint32_t i = 0; i < count; ++i) {
    byoc_operand_t o;
    if (!read_struct(list[i], o) || o.kind > BYOC_OPERAND_PRIVATE) return error("an operand of a step is none");
    if (o.layout != 0 || o.offset != 0 || o.strides != nullptr)
      return error("an operand of a step has an offset, strides or a layout, which this host does not have yet");
    if (o.kind == BYOC_OPERAND_VALUE && o.id == codegen::kNoValue) return error("an operand of a step has no id");
    out.push_back(o.kind == BYOC_OPERAND_VALUE ? codegen::Operand{o.id, 0} : codegen::Operand{codegen::kNoValue, o.id});
  }
  return BYOC_OK;
}

byoc_status_t BuildTable::step(std::uint32_t region, const byoc_step_t* from) {
  const codegen::Region* r = nullptr;
  if (const auto s = region_of(region, r); s != BYOC_OK) return s;
  byoc_step_t s;
  if (!read_struct(from, s) || s.workspace_count > 4096 || s.overlay_count > 4096 || s.node_count > kLongestList ||
      (s.workspace_count != 0 && s.workspaces == nullptr) || (s.overlay_count != 0 && s.overlays == nullptr) ||
      (s.node_count != 0 && s.nodes == nullptr))
    return error("hands over a step that is none");
  if ((s.flags & BYOC_STEP_ASYNC) != 0 || s.wait.size != 0)
    return error("a step is asynchronous, which this host does not have yet");
  if ((s.flags & ~std::uint64_t{BYOC_STEP_INSTANCE}) != 0)
    return error("sets unknown flags of a step", std::to_string(s.flags));
  codegen::Step out;
  out.symbol = to_text(s.symbol);
  out.kernel = to_text(s.kernel);
  out.uses_instance = (s.flags & BYOC_STEP_INSTANCE) != 0;
  out.macs = s.macs;
  out.instructions = s.instructions;
  out.kernel_bytes = s.kernel_bytes;
  out.remark = to_text(s.remark);
  out.nodes.assign(s.nodes, s.nodes + s.node_count);
  if (const auto e = read_operands(s.inputs, s.input_count, out.inputs); e != BYOC_OK) return e;
  if (const auto e = read_operands(s.outputs, s.output_count, out.outputs); e != BYOC_OK) return e;
  for (std::uint32_t i = 0; i < s.workspace_count; ++i) {
    byoc_workspace_t w;
    if (!read_struct(s.workspaces[i], w)) return error("a workspace of step '" + out.symbol + "' is none");
    out.workspaces.push_back({w.bytes, w.align, to_texts(w.pools, w.pool_count)});
  }
  for (std::uint32_t i = 0; i < s.overlay_count; ++i)
    out.overlays.push_back({s.overlays[i].output, s.overlays[i].input, s.overlay_leads ? s.overlay_leads[i] : 0});
  phase_.host->step(*r, out);
  return BYOC_OK;
}

}  // namespace byoc::plugin
