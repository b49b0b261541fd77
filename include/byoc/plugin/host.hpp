// byoc::codegen::Host on top of the host's C tables. Part of byoc/plugin.hpp.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "byoc/abi/ext/debug_names.h"
#include "byoc/c_text.hpp"
#include "byoc/plugin/views.hpp"

namespace byoc::abi {

inline void tell(const byoc_host_t* host, std::uint32_t severity, std::string_view message,
                 const byoc_region_t* region = nullptr, std::uint32_t node = BYOC_NONE) noexcept {
  auto d = make<byoc_diagnostic_t>();
  d.severity = severity;
  d.region = region;
  d.node = node;
  d.message = string(message);
  host->diag(host, &d);
}

// BYOC_NONE for a region that is not one of the request's; the host refuses that by name.
[[nodiscard]] inline std::uint32_t index_of(std::span<const codegen::Region> regions, const codegen::Region& region) {
  for (std::size_t i = 0; i < regions.size(); ++i)
    if (&regions[i] == &region) return static_cast<std::uint32_t>(i);
  return BYOC_NONE;
}

class UpdatesBridge final : public codegen::ConstantUpdates {
 public:
  UpdatesBridge(const byoc_host_t* host, const byoc_update_request_t& request, std::span<const codegen::Region> regions)
      : host_(host), request_(request), regions_(regions) {}

  // The first failure of a function of the host; it has told its diagnostics.
  [[nodiscard]] byoc_status_t status() const { return status_; }

  void replace(const codegen::Region& region, codegen::ValueId value, const codegen::Value& type,
               std::vector<std::byte> bytes) override {
    auto q = make<byoc_quantisation_t>();
    q.axis = type.quantisation.axis;
    q.scales = type.quantisation.scales.data();
    q.zero_points = type.quantisation.zero_points.data();
    q.count = count(type.quantisation.scales);
    auto c = make<byoc_constant_t>();
    c.dtype = static_cast<std::uint32_t>(type.dtype);
    c.dims = type.dims.data();
    c.rank = count(type.dims);
    c.quantisation = type.quantised() ? &q : nullptr;
    c.data = bytes.data();
    c.data_size = bytes.size();
    const byoc_status_t s = request_.updates->replace(request_.updates, index_of(regions_, region), value, &c);
    if (s != BYOC_OK && status_ == BYOC_OK) status_ = s;
  }
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view message) override {
    const std::uint32_t r = index_of(regions_, region);
    tell(host_, static_cast<std::uint32_t>(severity), message,
         r < request_.region_count ? request_.regions[r] : nullptr, node);
    if (severity == codegen::Severity::error) ++errors_;
  }
  // Errors of this side, plus one if the other side has failed.
  [[nodiscard]] std::size_t errors() const override { return errors_ + (status_ == BYOC_OK ? 0 : 1); }

 private:
  const byoc_host_t* host_;
  const byoc_update_request_t& request_;
  std::span<const codegen::Region> regions_;
  byoc_status_t status_ = BYOC_OK;
  std::size_t errors_ = 0;
};

class HostBridge final : public codegen::Host {
 public:
  HostBridge(const byoc_host_t* host, const byoc_compile_request_t& request, std::span<const codegen::Region> regions)
      : host_(host), build_(request.build), request_(request), regions_(regions) {}

  // The first failure of a function of the host; it has told its diagnostics.
  [[nodiscard]] byoc_status_t status() const { return status_; }

  std::string claim(std::string_view stem) override {
    const byoc_string_t s = string(stem);
    byoc_string_t symbol{};
    check(build_->claim(build_, &s, &symbol));
    return text(symbol);
  }

  void constant(const codegen::ConstantDecl& decl, std::span<const std::byte> bytes) override {
    const byoc_artifact_t a = constant_artifact(decl, bytes.size());
    push(a, bytes.data(), bytes.size());
  }
  void constant_owned(const codegen::ConstantDecl& decl, std::vector<std::byte> bytes) override {
    constant(decl, bytes);
  }

  void constant_from_value(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId id,
                           std::uint64_t offset, std::uint64_t length) override {
    const byoc_artifact_t a = constant_artifact(decl, length);
    check(build_->artifact_from_constant(build_, &a, index(region), id, offset, length));
  }

  void constant_arranged(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId id,
                         const codegen::Arrangement& how) override {
    std::vector<byoc_arrangement_axis_t> axes;
    for (const codegen::Arrangement::Axis& x : how.axes) axes.push_back({x.extent, x.stride});
    std::vector<byoc_arrangement_loop_t> loops;
    for (const codegen::Arrangement::Loop& l : how.loops) loops.push_back({l.count, l.step, l.axis, 0});
    auto arrangement = make<byoc_arrangement_t>();
    arrangement.element_size = how.element_size;
    arrangement.offset = how.offset;
    arrangement.axes = axes.data();
    arrangement.axis_count = count(axes);
    arrangement.loops = loops.data();
    arrangement.loop_count = count(loops);
    const byoc_artifact_t a = constant_artifact(decl, how.bytes());
    check(build_->artifact_arranged(build_, &a, index(region), id, &arrangement));
  }

  void source(const codegen::SourceDecl& decl, std::string_view source_text) override {
    auto a = make<byoc_artifact_t>();
    a.kind = BYOC_ARTIFACT_C_SOURCE;
    a.flags = decl.shared ? BYOC_ARTIFACT_SHARED : 0;
    a.name = string(decl.name);
    a.symbol = string(decl.symbol);
    a.standard = string(decl.standard);
    a.effort = static_cast<std::uint32_t>(decl.effort);
    const std::vector<byoc_string_t> directories = strings(decl.include_directories);
    a.include_directories = directories.data();
    a.include_count = count(directories);
    const std::optional<std::string> defines = c_defines(decl.defines);
    if (!defines) throw std::invalid_argument("source '" + decl.name + "' has a define that is none");
    const std::string whole = *defines + std::string(source_text);
    push(a, whole.data(), whole.size());
  }

  void header(std::string_view name, std::string_view header_text) override {
    auto a = make<byoc_artifact_t>();
    a.kind = BYOC_ARTIFACT_C_HEADER;
    a.name = string(name);
    push(a, header_text.data(), header_text.size());
  }

  void artifact(const codegen::ArtifactDecl& decl, std::vector<std::byte> bytes) override {
    auto a = make<byoc_artifact_t>();
    a.kind = static_cast<std::uint32_t>(decl.kind);
    a.name = string(decl.name);
    a.effort = static_cast<std::uint32_t>(decl.effort);
    const std::vector<byoc_string_t> defines = strings(decl.defines);
    a.flags = decl.shared ? BYOC_ARTIFACT_SHARED : 0;
    if (decl.shared) a.symbol = string(decl.symbol);
    a.defines = defines.data();
    a.define_count = count(defines);
    push(a, bytes.data(), bytes.size());
  }

  std::uint32_t private_value(const codegen::PrivateValue& v) override {
    auto p = make<byoc_private_value_t>();
    p.bytes = v.bytes;
    p.align = v.align;
    const std::vector<byoc_string_t> pools = strings(v.pools);
    p.pools = pools.data();
    p.pool_count = count(pools);
    const byoc_string_t value_name = string(v.name);
    std::uint32_t id = BYOC_NONE;
    // Hosts that know no names leave it without one.
    const byoc_string_t names_id = BYOC_STRING(BYOC_DEBUG_NAMES);
    const auto* names =
        value_name.size == 0 ? nullptr : static_cast<const byoc_debug_names_t*>(host_->extension(host_, &names_id));
    check(names == nullptr ? build_->private_value(build_, &p, &id)
                           : names->private_value(build_, &p, &value_name, &id));
    return id;
  }

  void step(const codegen::Region& region, const codegen::Step& step) override {
    auto s = make<byoc_step_t>();
    s.flags = step.uses_instance ? BYOC_STEP_INSTANCE : 0;
    s.symbol = string(step.symbol);
    s.kernel = string(step.kernel);
    s.macs = step.macs;
    s.instructions = step.instructions;
    s.kernel_bytes = step.kernel_bytes;
    s.remark = string(step.remark);
    s.failure = string(step.failure);
    s.nodes = step.nodes.data();
    s.node_count = count(step.nodes);
    List<byoc_operand_t> inputs = operands(step.inputs);
    List<byoc_operand_t> outputs = operands(step.outputs);
    s.inputs = inputs.data();
    s.input_count = count(inputs.items);
    s.outputs = outputs.data();
    s.output_count = count(outputs.items);
    List<byoc_workspace_t> workspaces;
    std::vector<std::vector<byoc_string_t>> pools;
    pools.reserve(step.workspaces.size());
    for (const codegen::Workspace& w : step.workspaces) {
      pools.push_back(strings(w.pools));
      auto out = make<byoc_workspace_t>();
      out.bytes = w.bytes;
      out.align = w.align;
      out.pools = pools.back().data();
      out.pool_count = count(pools.back());
      workspaces.items.push_back(out);
    }
    s.workspaces = workspaces.data();
    s.workspace_count = count(workspaces.items);
    std::vector<byoc_overlay_t> overlays;
    std::vector<std::uint64_t> leads;
    for (const codegen::Overlay& o : step.overlays) {
      overlays.push_back({o.output, o.input});
      leads.push_back(o.lead);
    }
    s.overlays = overlays.data();
    s.overlay_leads = leads.data();
    s.overlay_count = count(overlays);
    check(build_->step(build_, index(region), &s));
  }

  void alias(const codegen::Region& region, codegen::ValueId value, codegen::ValueId of) override {
    check(build_->alias(build_, index(region), value, of));
  }

  void stored_privately(const codegen::Region& region, codegen::ValueId value,
                        const codegen::PrivateLayout& layout) override {
    auto l = make<byoc_private_layout_t>();
    l.private_value = layout.private_value;
    l.base = layout.base;
    l.strides = layout.strides.data();
    l.stride_count = count(layout.strides);
    check(build_->stored_privately(build_, index(region), value, &l));
  }

  void fused(const codegen::Region& region, codegen::ValueId value, codegen::ValueId into) override {
    check(build_->fused(build_, index(region), value, into));
  }

  void instance(const codegen::Instance& instance) override {
    auto i = make<byoc_instance_t>();
    i.bytes = instance.bytes;
    i.align = instance.align;
    i.init = string(instance.init);
    i.reset = string(instance.reset);
    i.deinit = string(instance.deinit);
    const std::vector<byoc_string_t> pools = strings(instance.pools);
    i.pools = pools.data();
    i.pool_count = count(pools);
    i.device = string(instance.device);
    check(build_->instance(build_, &i));
  }

  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view message) override {
    const std::uint32_t r = index(region);
    tell(host_, static_cast<std::uint32_t>(severity), message,
         r < request_.region_count ? request_.regions[r] : nullptr, node);
    if (severity == codegen::Severity::error) ++errors_;
  }
  // Errors of this side, plus one if the other side has failed.
  [[nodiscard]] std::size_t errors() const override { return errors_ + (status_ == BYOC_OK ? 0 : 1); }

  void log(std::string_view line) override {
    const byoc_string_t s = string(line);
    host_->log(host_, BYOC_LOG_INFO, &s);
  }
  void progress(std::uint64_t done, std::uint64_t total, std::string_view what) override {
    const byoc_string_t s = string(what);
    host_->progress(host_, done, total, &s);
  }
  bool cancelled() override { return host_->cancelled(host_) != 0; }
  std::string scratch_directory() override {
    byoc_string_t path{};
    check(host_->scratch_directory(host_, &path));
    return text(path);
  }
  std::vector<std::byte> region_as_onnx(const codegen::Region& region) override {
    return in_form(region, host_->region_as_onnx);
  }
  std::vector<std::byte> region_as_tflite(const codegen::Region& region) override {
    return in_form(region, host_->region_as_tflite);
  }

 private:
  void check(byoc_status_t status) {
    if (status != BYOC_OK && status_ == BYOC_OK) status_ = status;
  }

  [[nodiscard]] std::uint32_t index(const codegen::Region& region) const { return index_of(regions_, region); }

  // A region in the form that a function of the host's table writes; empty after an error.
  std::vector<std::byte> in_form(const codegen::Region& region, decltype(byoc_host_t::region_as_onnx) ask) {
    std::vector<std::byte> out;
    const auto write = [](void* user, const void* bytes, std::uint64_t size) noexcept -> byoc_status_t {
      try {
        auto& to = *static_cast<std::vector<std::byte>*>(user);
        const auto* p = static_cast<const std::byte*>(bytes);
        to.insert(to.end(), p, p + size);
        return BYOC_OK;
      } catch (...) {
        return BYOC_OUT_OF_MEMORY;
      }
    };
    const std::uint32_t r = index(region);
    if (r >= request_.region_count) return out;
    const byoc_status_t status = ask(host_, request_.regions[r], write, &out);
    check(status);
    if (status != BYOC_OK) out.clear();
    return out;
  }

  void push(const byoc_artifact_t& artifact, const void* bytes, std::size_t size) {
    std::uint32_t handle = BYOC_NONE;
    byoc_status_t status = build_->artifact_begin(build_, &artifact, &handle);
    if (status == BYOC_OK && size != 0) status = build_->artifact_write(build_, handle, bytes, size);
    if (status == BYOC_OK) status = build_->artifact_end(build_, handle);
    check(status);
  }

  static byoc_artifact_t constant_artifact(const codegen::ConstantDecl& decl, std::uint64_t size) {
    auto a = make<byoc_artifact_t>();
    a.kind = BYOC_ARTIFACT_CONSTANT;
    a.flags = decl.model_data ? BYOC_ARTIFACT_MODEL_DATA : 0;
    a.symbol = string(decl.symbol);
    a.align = decl.align;
    a.element = static_cast<std::uint32_t>(decl.element);
    a.region = string(decl.region);
    a.size = size;
    return a;
  }

  static List<byoc_operand_t> operands(const std::vector<codegen::Operand>& list) {
    List<byoc_operand_t> out;
    for (const codegen::Operand& o : list) {
      auto operand = make<byoc_operand_t>();
      operand.kind = o.value == codegen::kNoValue ? BYOC_OPERAND_PRIVATE : BYOC_OPERAND_VALUE;
      operand.id = o.value == codegen::kNoValue ? o.private_value : o.value;
      out.items.push_back(operand);
    }
    return out;
  }

  const byoc_host_t* host_;
  const byoc_build_t* build_;
  const byoc_compile_request_t& request_;
  std::span<const codegen::Region> regions_;
  byoc_status_t status_ = BYOC_OK;
  std::size_t errors_ = 0;
};

}  // namespace byoc::abi
