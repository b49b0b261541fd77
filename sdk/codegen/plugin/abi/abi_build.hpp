// The host's side of byoc_build_t: takes what a plug-in hands over in compile(), checks it, and passes it on.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "byoc/abi/ext/debug_names.h"
#include "sdk/codegen/plugin/abi/abi_phase.hpp"
#include "sdk/codegen/plugin/abi/abi_read.hpp"

namespace byoc::plugin {

class BuildTable {
 public:
  // `refuse` tells an error about the plug-in.
  using Refuse = std::function<void(const std::string& message, const std::string& found, const std::string& expected)>;
  BuildTable(const Phase& phase, Refuse refuse);
  BuildTable(const BuildTable&) = delete;
  BuildTable& operator=(const BuildTable&) = delete;

  byoc_build_t table;

  // byoc/abi/ext/debug_names.h, for byoc_host_t::extension.
  static const byoc_debug_names_t kDebugNames;

  // Called after compile(): reports artifacts that were begun and not ended, unless compile() failed with a reported
  // error, and resets.
  void finish(bool failed);

 private:
  // An artifact that was begun.
  struct Pending : Artifact {
    bool open = true;
    std::vector<std::byte> bytes;
  };

  static BuildTable& of(const byoc_build_t* build) { return *static_cast<BuildTable*>(build->context); }
  template <class F>
  byoc_status_t call(const F& function);
  byoc_status_t error(const std::string& message, const std::string& found = {}, const std::string& expected = {});
  byoc_status_t error(const BrokenRule& rule);
  byoc_status_t begin(const byoc_artifact_t* artifact, std::uint32_t* handle);
  byoc_status_t write(std::uint32_t handle, const void* bytes, std::uint64_t size);
  byoc_status_t end(std::uint32_t handle);
  byoc_status_t constant_of(std::uint32_t region, std::uint32_t value, const byoc_artifact_t* from,
                            const codegen::Region*& r, Artifact& a);
  byoc_status_t step(std::uint32_t region, const byoc_step_t* step);
  byoc_status_t alias(std::uint32_t region, std::uint32_t value, std::uint32_t to, bool fused);
  byoc_status_t region_of(std::uint32_t index, const codegen::Region*& region);
  byoc_status_t value_of(const codegen::Region& region, std::uint32_t value);

  const Phase& phase_;
  Refuse refuse_;
  std::deque<std::string> symbols_;  // what claim() gave
  std::vector<Pending> artifacts_;
};

}  // namespace byoc::plugin
