// Plug-in manifests: *.byoc.json files that make plug-ins listable without loading them. docs/plugin-abi.md.
#pragma once

#include <string>
#include <vector>

#include "sdk/codegen/plugin/abi/negotiate.hpp"

namespace byoc::plugin {

struct Manifest {
  std::string path;     // of the manifest itself
  std::string library;  // absolute, or relative to the current folder as `path` is
  std::string id;
  std::string name;
  std::string vendor;
  std::string version;
  std::string license;
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::uint32_t min_host_minor = 0;
};

// Errors: cannot be read, no JSON, an unknown schema or field, a field that is missing or of the wrong type.
[[nodiscard]] Result<Manifest> read_manifest(const std::string& path, Diagnostics& diags);

// The manifests in a folder, sorted by file name; none if there is no such folder. Broken ones are told and left out.
[[nodiscard]] std::vector<Manifest> find_manifests(const std::string& folder, Diagnostics& diags);

// Why this byoc cannot use it, as far as a manifest says; "" if it can.
[[nodiscard]] std::string why_not(const Manifest& manifest, const HostVersion& host = {});

}  // namespace byoc::plugin
