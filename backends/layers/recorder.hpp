// A host that keeps what lowerings say about steps, and hands everything else on or drops it: for finding out what a
// lowering would do, and for steps that are made of others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::layers {

class Recorder final : public codegen::PlainHost {
 public:
  // `to` gets names, constants, sources and headers; null: nobody does.
  explicit Recorder(codegen::Host* to = nullptr) : to_(to) {}

  std::vector<codegen::Step> steps;
  std::vector<std::pair<codegen::ValueId, codegen::ValueId>> aliases;  // value, the value whose bytes it is
  std::vector<std::pair<codegen::ValueId, codegen::ValueId>> fusions;  // value, what it was computed for
  std::vector<codegen::PrivateValue> private_values;
  bool has_instance = false;

  std::string claim(std::string_view stem) override { return to_ ? to_->claim(stem) : std::string(stem); }
  void constant(const codegen::ConstantDecl& decl, std::span<const std::byte> bytes) override {
    if (to_) to_->constant(decl, bytes);
  }
  void constant_owned(const codegen::ConstantDecl& decl, std::vector<std::byte> bytes) override {
    if (to_) to_->constant_owned(decl, std::move(bytes));
  }
  void constant_from_value(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId id,
                           std::uint64_t offset, std::uint64_t length) override {
    if (to_) to_->constant(decl, region.values[id].data.subspan(offset, length));
  }
  void constant_arranged(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId id,
                         const codegen::Arrangement& how) override {
    if (to_) to_->constant_owned(decl, codegen::arranged(how, region.values[id].data));
  }
  void source(const codegen::SourceDecl& decl, std::string_view text) override {
    if (to_) to_->source(decl, text);
  }
  void header(std::string_view name, std::string_view text) override {
    if (to_) to_->header(name, text);
  }
  void artifact(const codegen::ArtifactDecl& decl, std::vector<std::byte> bytes) override {
    if (to_) to_->artifact(decl, std::move(bytes));
  }
  std::uint32_t private_value(const codegen::PrivateValue& value) override {
    private_values.push_back(value);
    return static_cast<std::uint32_t>(private_values.size() - 1);
  }
  void step(const codegen::Region&, const codegen::Step& step) override { steps.push_back(step); }
  void alias(const codegen::Region&, codegen::ValueId value, codegen::ValueId of) override {
    aliases.emplace_back(value, of);
  }
  void stored_privately(const codegen::Region&, codegen::ValueId, const codegen::PrivateLayout&) override {}
  void fused(const codegen::Region&, codegen::ValueId value, codegen::ValueId into) override {
    fusions.emplace_back(value, into);
  }
  void instance(const codegen::Instance&) override { has_instance = true; }
  // Lowerings fail where their verdict was wrong; who needs the reason lowers without a recorder.
  void diag(codegen::Severity, const codegen::Region&, codegen::NodeId, std::string_view) override {}
  [[nodiscard]] std::size_t errors() const override { return to_ ? to_->errors() : 0; }

 private:
  codegen::Host* to_;
};

}  // namespace byoc::layers
