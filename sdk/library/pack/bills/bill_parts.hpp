// Data from which all forms of bills are written. Internal to this folder.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sdk/base/support/json.hpp"
#include "sdk/library/object/file_hash.hpp"

namespace byoc::bills {

struct File {
  std::string name;  // relative to where the library is
  FileHashes hashes;
};

// The origin of a part of the library's code.
struct Origin {
  std::string id;
  std::string version;
  std::string sha256;   // of the plug-in's file; "" for what is part of byoc
  std::string licence;  // SPDX expression; "": not known
  std::string text;     // of a licence that SPDX has no name for
  Json options = Json::object();
};

struct Bill {
  std::string library;  // its prefix
  std::string model;    // its name
  std::string model_sha256, model_licence;
  std::string builder;  // URI, of SLSA alone
  std::string target, toolchain, executor, byoc;
  std::vector<std::string> inputs, outputs;  // "i8[1,49,10,1]"
  std::vector<Origin> origins;
  std::vector<std::string> link_libraries;
  std::vector<File> files;
  std::uint64_t time = 0;
  bool dated = false;  // the user said the time
};

// "2024-01-31T12:00:00Z"
[[nodiscard]] std::string time_text(std::uint64_t seconds);
// A UUID that follows from the text alone: RFC 9562, version 8.
[[nodiscard]] std::string uuid_of(std::string_view text);

[[nodiscard]] Json spdx(const Bill&);
[[nodiscard]] Json cyclonedx(const Bill&);
[[nodiscard]] Json slsa(const Bill&);

}  // namespace byoc::bills
