// State that the functions of the host's tables share: the plug-in's identity, and the running call.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "byoc/abi/abi.h"
#include "byoc/codegen.hpp"
#include "sdk/codegen/plugin/abi/abi_tables.hpp"

namespace byoc::plugin {

// The call that is running, between its start and its end.
struct Phase {
  std::span<const codegen::Region> regions;
  std::span<const std::unique_ptr<RegionTable>> tables;
  codegen::Host* host = nullptr;                // in compile()
  codegen::ConstantUpdates* updates = nullptr;  // in update_constants()

  // Tells it to who made the call, where that call has somebody to tell. `region` null: about none of them.
  bool diag(codegen::Severity severity, const codegen::Region* region, codegen::NodeId node,
            const std::string& text) const {
    if (regions.empty() || (host == nullptr && updates == nullptr)) return false;
    const codegen::Region& about = region != nullptr ? *region : regions[0];
    if (host != nullptr)
      host->diag(severity, about, node, text);
    else
      updates->diag(severity, about, node, text);
    return true;
  }

  // The region that a plug-in names by the address it was given; null if it is none of this call.
  [[nodiscard]] const codegen::Region* find(const byoc_region_t* region) const {
    for (std::size_t i = 0; i < tables.size(); ++i)
      if (&tables[i]->table == region) return &regions[i];
    return nullptr;
  }
};

}  // namespace byoc::plugin
