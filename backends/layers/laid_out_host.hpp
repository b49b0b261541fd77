// A host between lowerings that see a LaidOutRegion and the real host, which knows the region of the graph.
#pragma once

#include <map>

#include "backends/layers/channels_last.hpp"

namespace byoc::layers {

class LaidOutHost final : public codegen::Host {
 public:
  // All arguments must outlive this.
  LaidOutHost(const LaidOutRegion& laid_out, const codegen::Region& graph, codegen::Host& to)
      : laid_out_(laid_out), graph_(graph), to_(to) {}

  std::string claim(std::string_view stem) override { return to_.claim(stem); }
  void constant(const codegen::ConstantDecl& decl, std::span<const std::byte> bytes) override {
    to_.constant(decl, bytes);
  }
  void constant_owned(const codegen::ConstantDecl& decl, std::vector<std::byte> bytes) override {
    to_.constant_owned(decl, std::move(bytes));
  }
  void constant_from_value(const codegen::ConstantDecl& decl, const codegen::Region&, codegen::ValueId id,
                           std::uint64_t offset, std::uint64_t length) override;
  void constant_arranged(const codegen::ConstantDecl& decl, const codegen::Region&, codegen::ValueId id,
                         const codegen::Arrangement& how) override;
  void source(const codegen::SourceDecl& decl, std::string_view text) override { to_.source(decl, text); }
  void header(std::string_view name, std::string_view text) override { to_.header(name, text); }
  std::uint32_t private_value(const codegen::PrivateValue& value) override { return to_.private_value(value); }
  void step(const codegen::Region&, const codegen::Step& step) override;
  void alias(const codegen::Region&, codegen::ValueId value, codegen::ValueId of) override {
    // Neither has storage of its own: nodes that may compute nothing are not turned.
    if (laid_out_.values[value] != laid_out_.values[of])
      to_.alias(graph_, laid_out_.values[value], laid_out_.values[of]);
  }
  void stored_privately(const codegen::Region&, codegen::ValueId value, const codegen::PrivateLayout& layout) override {
    to_.stored_privately(graph_, value, layout);
  }
  void fused(const codegen::Region&, codegen::ValueId value, codegen::ValueId into) override {
    if (is_of_graph(value)) to_.fused(graph_, value, laid_out_.values[into]);
  }
  void instance(const codegen::Instance& instance) override { to_.instance(instance); }
  void diag(codegen::Severity severity, const codegen::Region&, codegen::NodeId node, std::string_view text) override;
  void artifact(const codegen::ArtifactDecl& decl, std::vector<std::byte> bytes) override {
    to_.artifact(decl, std::move(bytes));
  }
  void log(std::string_view text) override { to_.log(text); }
  void progress(std::uint64_t done, std::uint64_t total, std::string_view what) override {
    to_.progress(done, total, what);
  }
  bool cancelled() override { return to_.cancelled(); }
  std::string scratch_directory() override { return to_.scratch_directory(); }
  std::vector<std::byte> region_as_onnx(const codegen::Region&) override { return to_.region_as_onnx(graph_); }
  std::vector<std::byte> region_as_tflite(const codegen::Region&) override { return to_.region_as_tflite(graph_); }
  [[nodiscard]] std::size_t errors() const override { return to_.errors(); }

 private:
  [[nodiscard]] bool is_of_graph(codegen::ValueId v) const { return v < graph_.values.size(); }
  std::uint32_t storage(codegen::ValueId v);

  const LaidOutRegion& laid_out_;
  const codegen::Region& graph_;
  codegen::Host& to_;
  std::map<codegen::ValueId, std::uint32_t> storage_;
};

}  // namespace byoc::layers
