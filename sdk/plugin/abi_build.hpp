// The host's side of byoc_build_t: takes what a plug-in hands over in compile(), checks it, and passes it on.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "sdk/plugin/abi_phase.hpp"

namespace byoc::plugin {

class BuildTable {
 public:
  // `refuse` tells an error about the plug-in.
  using Refuse = std::function<void(const std::string& message, const std::string& found, const std::string& expected)>;
  BuildTable(const Phase& phase, Refuse refuse);
  BuildTable(const BuildTable&) = delete;
  BuildTable& operator=(const BuildTable&) = delete;

  byoc_build_t table;

  // After compile(): tells what was begun and not ended, and starts anew.
  void finish();

 private:
  struct Artifact {
    bool open = true;
    std::uint32_t kind = 0;
    std::uint64_t promised = 0;
    codegen::ConstantDecl constant;
    codegen::SourceDecl source;
    codegen::ArtifactDecl other;
    std::vector<std::byte> bytes;
  };

  static BuildTable& of(const byoc_build_t* build) { return *static_cast<BuildTable*>(build->context); }
  template <class F>
  byoc_status_t call(const F& function);
  byoc_status_t error(const std::string& message, const std::string& found = {}, const std::string& expected = {});
  byoc_status_t begin(const byoc_artifact_t* artifact, std::uint32_t* handle);
  byoc_status_t write(std::uint32_t handle, const void* bytes, std::uint64_t size);
  byoc_status_t end(std::uint32_t handle);
  byoc_status_t read_artifact(const byoc_artifact_t* from, Artifact& out);
  byoc_status_t read_constant(const byoc_artifact_t& a, Artifact& out);
  byoc_status_t read_source(const byoc_artifact_t& a, Artifact& out);
  byoc_status_t read_operands(const byoc_operand_t* const* list, std::uint32_t count,
                              std::vector<codegen::Operand>& out);
  byoc_status_t step(std::uint32_t region, const byoc_step_t* step);
  byoc_status_t region_of(std::uint32_t index, const codegen::Region*& region);
  byoc_status_t value_of(const codegen::Region& region, std::uint32_t value);

  const Phase& phase_;
  Refuse refuse_;
  std::deque<std::string> symbols_;  // what claim() gave
  std::vector<Artifact> artifacts_;
};

}  // namespace byoc::plugin
