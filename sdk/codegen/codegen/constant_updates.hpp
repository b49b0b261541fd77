// Constants that codegens have replaced by their own.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/codegen/codegen/codegen_call.hpp"

namespace byoc::plugin {

// {index of the region, value} -> what a codegen has put there.
struct Replacement {
  codegen::Value type;
  Blob bytes;
};
using Replacements = std::map<std::pair<std::size_t, codegen::ValueId>, Replacement>;

// Takes what a codegen puts in the place of constants, and checks it.
class TakenUpdates final : public codegen::ConstantUpdates {
 public:
  explicit TakenUpdates(CodegenCall& call) : call_(call) {}

  void replace(const codegen::Region& region, codegen::ValueId id, const codegen::Value& type,
               std::vector<std::byte> bytes) override;
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view text) override {
    call_.diag(severity, region, node, text);
  }
  std::size_t errors() const override { return call_.errors(); }

  // Puts everything where it belongs.
  void apply(std::vector<codegen::Region>& regions) const;

  Replacements all;

 private:
  CodegenCall& call_;
};

}  // namespace byoc::plugin
