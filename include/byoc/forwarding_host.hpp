// A host that hands everything on to another: the base of those that change, hold back or write down some of it.
// Standard headers only.
#pragma once

#include <utility>

#include "byoc/codegen.hpp"

namespace byoc::codegen {

class ForwardingHost : public Host {
 public:
  // `to` outlives this.
  explicit ForwardingHost(Host& to) : to_(to) {}

  std::string claim(std::string_view stem) override { return to_.claim(stem); }
  void constant(const ConstantDecl& decl, std::span<const std::byte> bytes) override { to_.constant(decl, bytes); }
  void constant_owned(const ConstantDecl& decl, std::vector<std::byte> bytes) override {
    to_.constant_owned(decl, std::move(bytes));
  }
  void constant_from_value(const ConstantDecl& decl, const Region& region, ValueId value, std::uint64_t offset,
                           std::uint64_t length) override {
    to_.constant_from_value(decl, region, value, offset, length);
  }
  void constant_arranged(const ConstantDecl& decl, const Region& region, ValueId value,
                         const Arrangement& how) override {
    to_.constant_arranged(decl, region, value, how);
  }
  void source(const SourceDecl& decl, std::string_view text) override { to_.source(decl, text); }
  void header(std::string_view name, std::string_view text) override { to_.header(name, text); }
  void artifact(const ArtifactDecl& decl, std::vector<std::byte> bytes) override {
    to_.artifact(decl, std::move(bytes));
  }
  std::uint32_t private_value(const PrivateValue& value) override { return to_.private_value(value); }
  void step(const Region& region, const Step& step) override { to_.step(region, step); }
  void alias(const Region& region, ValueId value, ValueId of) override { to_.alias(region, value, of); }
  void stored_privately(const Region& region, ValueId value, const PrivateLayout& layout) override {
    to_.stored_privately(region, value, layout);
  }
  void fused(const Region& region, ValueId value, ValueId into) override { to_.fused(region, value, into); }
  void instance(const Instance& instance) override { to_.instance(instance); }
  void diag(Severity severity, const Region& region, NodeId node, std::string_view text) override {
    to_.diag(severity, region, node, text);
  }
  [[nodiscard]] std::size_t errors() const override { return to_.errors(); }
  void log(std::string_view line) override { to_.log(line); }
  void progress(std::uint64_t done, std::uint64_t total, std::string_view what) override {
    to_.progress(done, total, what);
  }
  bool cancelled() override { return to_.cancelled(); }
  std::string scratch_directory() override { return to_.scratch_directory(); }
  std::vector<std::byte> region_as_onnx(const Region& region) override { return to_.region_as_onnx(region); }
  std::vector<std::byte> region_as_tflite(const Region& region) override { return to_.region_as_tflite(region); }

 private:
  Host& to_;
};

}  // namespace byoc::codegen
