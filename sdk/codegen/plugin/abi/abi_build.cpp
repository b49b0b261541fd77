#include "sdk/codegen/plugin/abi/abi_build.hpp"

#include <algorithm>

#include "sdk/base/support/valid_text.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {
namespace {

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
    if (symbol != nullptr) *symbol = {};
    return self.call([&] {
      if (stem == nullptr || symbol == nullptr || !is_sane(*stem)) return self.error("claims a name that is no text");
      *symbol = to_abi(self.symbols_.emplace_back(self.phase_.host->claim(to_text(*stem))));
      return BYOC_OK;
    });
  };
  table.artifact_begin = [](const byoc_build_t* b, const byoc_artifact_t* artifact, std::uint32_t* handle) {
    if (handle != nullptr) *handle = BYOC_NONE;
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
      if (const auto s = self.constant_of(region, value, artifact, r, a); s != BYOC_OK) return s;
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
      if (const auto s = self.constant_of(region, value, artifact, r, a); s != BYOC_OK) return s;
      if (const Fault fault = read(arrangement, how)) return self.error(*fault);
      self.phase_.host->constant_arranged(a.constant, *r, value, how);
      return BYOC_OK;
    });
  };
  table.private_value = [](const byoc_build_t* b, const byoc_private_value_t* value, std::uint32_t* id) {
    BuildTable& self = of(b);
    if (id != nullptr) *id = BYOC_NONE;
    return self.call([&] {
      codegen::PrivateValue v;
      if (const Fault fault = read(value, v)) return self.error(*fault);
      if (id == nullptr) return self.error("declares a private value without a place for its id");
      *id = self.phase_.host->private_value(v);
      return BYOC_OK;
    });
  };
  table.step = [](const byoc_build_t* b, std::uint32_t region, const byoc_step_t* step) {
    return of(b).call([&] { return of(b).step(region, step); });
  };
  table.alias = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value, std::uint32_t to) {
    return of(b).call([&] { return of(b).alias(region, value, to, false); });
  };
  table.stored_privately = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value,
                              const byoc_private_layout_t* layout) {
    BuildTable& self = of(b);
    return self.call([&] {
      const codegen::Region* r = nullptr;
      codegen::PrivateLayout l;
      if (const auto s = self.region_of(region, r); s != BYOC_OK) return s;
      if (const auto s = self.value_of(*r, value); s != BYOC_OK) return s;
      if (const Fault fault = read(layout, l)) return self.error(*fault);
      self.phase_.host->stored_privately(*r, value, l);
      return BYOC_OK;
    });
  };
  table.fused = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value, std::uint32_t into) {
    return of(b).call([&] { return of(b).alias(region, value, into, true); });
  };
  table.instance = [](const byoc_build_t* b, const byoc_instance_t* instance) {
    BuildTable& self = of(b);
    return self.call([&] {
      codegen::Instance i;
      if (const Fault fault = read(instance, i)) return self.error(*fault);
      self.phase_.host->instance(i);
      return BYOC_OK;
    });
  };
}

// One table for all codegens, because its functions are given the build table.
const byoc_debug_names_t BuildTable::kDebugNames = [] {
  byoc_debug_names_t table{};
  table.struct_size = sizeof table;
  table.private_value = [](const byoc_build_t* b, const byoc_private_value_t* value, const byoc_string_t* name,
                           std::uint32_t* id) {
    BuildTable& self = of(b);
    if (id != nullptr) *id = BYOC_NONE;
    return self.call([&] {
      codegen::PrivateValue v;
      if (const Fault fault = read(value, v)) return self.error(*fault);
      if (id == nullptr) return self.error("declares a private value without a place for its id");
      if (name == nullptr || !is_sane(*name) || !is_label(to_text(*name)))
        return self.error("gives a private value a name that is none");
      v.name = to_text(*name);
      *id = self.phase_.host->private_value(v);
      return BYOC_OK;
    });
  };
  return table;
}();

void BuildTable::finish(bool failed) {
  for (const Pending& a : artifacts_)
    if (a.open && !failed) error("did not end an artifact that it began", kind_name(a.kind) + " '" + a.name + "'");
  artifacts_.clear();
  symbols_.clear();
}

byoc_status_t BuildTable::error(const std::string& message, const std::string& found, const std::string& expected) {
  refuse_(message, found, expected);
  return BYOC_INVALID_ARGUMENT;
}

byoc_status_t BuildTable::error(const BrokenRule& rule) { return error(rule.what, rule.found, rule.expected); }

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

// Reads a constant artifact and finds the region of its value.
byoc_status_t BuildTable::constant_of(std::uint32_t region, std::uint32_t value, const byoc_artifact_t* from,
                                      const codegen::Region*& r, Artifact& a) {
  if (const auto s = region_of(region, r); s != BYOC_OK) return s;
  if (const auto s = value_of(*r, value); s != BYOC_OK) return s;
  if (const Fault fault = read(from, a)) return error(*fault);
  if (a.kind == BYOC_ARTIFACT_CONSTANT) return BYOC_OK;
  return error("makes something else than a constant of a constant", kind_name(a.kind));
}

byoc_status_t BuildTable::begin(const byoc_artifact_t* artifact, std::uint32_t* handle) {
  Pending a;
  if (const Fault fault = read(artifact, a)) return error(*fault);
  if (handle == nullptr) return error("begins an artifact without a place for its handle");
  constexpr std::uint64_t kReserved = std::uint64_t{1} << 30;  // a promise is no reason to allocate more
  a.bytes.reserve(static_cast<std::size_t>(std::min(a.promised, kReserved)));
  *handle = size32(artifacts_);
  artifacts_.push_back(std::move(a));
  return BYOC_OK;
}

byoc_status_t BuildTable::write(std::uint32_t handle, const void* bytes, std::uint64_t size) {
  if (handle >= artifacts_.size() || !artifacts_[handle].open)
    return error("writes to an artifact that is not open", std::to_string(handle));
  Pending& a = artifacts_[handle];
  if (a.kind == BYOC_ARTIFACT_LINK_LIBRARY) return error("writes bytes of link library '" + a.name + "'");
  if (size != 0 && bytes == nullptr) return error("writes bytes that are not there");
  const auto* p = static_cast<const std::byte*>(bytes);
  a.bytes.insert(a.bytes.end(), p, p + size);
  return BYOC_OK;
}

byoc_status_t BuildTable::end(std::uint32_t handle) {
  if (handle >= artifacts_.size() || !artifacts_[handle].open)
    return error("ends an artifact that is not open", std::to_string(handle));
  Pending& a = artifacts_[handle];
  a.open = false;
  if (a.promised != 0 && a.promised != a.bytes.size())
    return error(kind_name(a.kind) + " '" + a.name + "' is not as long as was said", std::to_string(a.bytes.size()),
                 std::to_string(a.promised));
  std::vector<std::byte> bytes = std::move(a.bytes);
  a.bytes = {};
  switch (a.kind) {
    case BYOC_ARTIFACT_CONSTANT: phase_.host->constant_owned(a.constant, std::move(bytes)); break;
    case BYOC_ARTIFACT_C_SOURCE: phase_.host->source(a.source, text_of(bytes)); break;
    case BYOC_ARTIFACT_C_HEADER: phase_.host->header(a.name, text_of(bytes)); break;
    default: phase_.host->artifact(a.other, std::move(bytes)); break;
  }
  return BYOC_OK;
}

byoc_status_t BuildTable::alias(std::uint32_t region, std::uint32_t value, std::uint32_t to, bool fused) {
  const codegen::Region* r = nullptr;
  if (const auto s = region_of(region, r); s != BYOC_OK) return s;
  for (const std::uint32_t v : {value, to})
    if (const auto s = value_of(*r, v); s != BYOC_OK) return s;
  if (fused)
    phase_.host->fused(*r, value, to);
  else
    phase_.host->alias(*r, value, to);
  return BYOC_OK;
}

byoc_status_t BuildTable::step(std::uint32_t region, const byoc_step_t* from) {
  const codegen::Region* r = nullptr;
  codegen::Step step;
  if (const auto s = region_of(region, r); s != BYOC_OK) return s;
  if (const Fault fault = read(from, step)) return error(*fault);
  phase_.host->step(*r, step);
  return BYOC_OK;
}

}  // namespace byoc::plugin
