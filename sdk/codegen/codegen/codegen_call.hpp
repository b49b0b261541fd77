// One call of a codegen, and the diagnostics about it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sdk/base/support/repeats.hpp"
#include "sdk/codegen/codegen/region.hpp"

namespace byoc::plugin {

// The common part of both calls of a codegen: its regions, and the errors of the codegen or of its output.
class CodegenCall {
 public:
  CodegenCall(std::string_view codegen, std::span<const BoundRegion> bound, std::span<const codegen::Region> regions,
              const std::string& file, Repeats& diags)
      : codegen_(codegen), bound_(bound), regions_(regions), file_(file), diags_(diags) {}

  [[nodiscard]] const std::string& who() const { return codegen_; }
  [[nodiscard]] std::size_t errors() const { return diags_.errors(); }
  [[nodiscard]] std::size_t index(const codegen::Region& region) const {
    return static_cast<std::size_t>(&region - regions_.data());
  }

  // Reports a diagnostic of the codegen.
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node, std::string_view text) {
    const BoundRegion* bound = find(region);
    Diagnostic d;
    d.level = severity == codegen::Severity::error     ? Level::error
              : severity == codegen::Severity::warning ? Level::warning
                                                       : Level::note;
    d.file = file_;
    if (bound && node < bound->nodes.size()) d.node = bound->graph->nodes[bound->nodes[node]].describe();
    d.message = std::string(text);
    d.codegen = codegen_;
    diags_.add_as_said(std::move(d));
  }

  // Reports an error in the codegen's output.
  void error(std::string message, std::string found = {}, std::string expected = {}) {
    diags_.error_of(codegen_, file_, {}, std::move(message), std::move(found), std::move(expected));
  }

  const BoundRegion* find(const codegen::Region& region) {
    if (&region >= regions_.data() && &region < regions_.data() + regions_.size()) return &bound_[index(region)];
    error("handed over something for a region that is not one of its own");
    return nullptr;
  }

  ir::ValueId value(const codegen::Region& region, codegen::ValueId v) {
    const BoundRegion* bound = find(region);
    if (bound == nullptr) return ir::kNoValue;
    if (v < bound->values.size()) return bound->values[v];
    error("names value " + std::to_string(v) + " of region '" + region.name + "', which does not exist", {},
          "less than " + std::to_string(bound->values.size()));
    return ir::kNoValue;
  }

 private:
  std::string codegen_;
  std::span<const BoundRegion> bound_;
  std::span<const codegen::Region> regions_;
  const std::string& file_;
  Repeats& diags_;
};

}  // namespace byoc::plugin
