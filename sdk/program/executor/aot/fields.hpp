// Fields that the templates of this folder share. Internal to this folder.
#pragma once

#include <map>
#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

using Fields = std::map<std::string, std::string>;

[[nodiscard]] std::string number(std::uint64_t n);

// TITLE, VERSION, TARGET, PREFIX, UPPER (the prefix in upper case), HEADER, INTERNAL_HEADER.
[[nodiscard]] Fields fields_of(const PrintRequest& request);

// `before` and the C name of each workspace except the first: ", void *workspace_dtcm".
[[nodiscard]] std::string further_workspaces(const ModelInterface& model, const std::string& before);

}  // namespace byoc::executor
