// The reference backends: the host API registers them behind the user's plug-ins, tests make codegens of them. Whoever
// stands outside backends/ knows them by this header alone.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/abi/abi.h"
#include "byoc/codegen.hpp"

namespace byoc::reference {

// An option as on the command line: `--plugin-option <id>.<name>=<text>`.
struct Option {
  std::string_view name;
  std::string text;
};

struct Operator {
  std::string_view domain;
  std::string_view name;
};

struct Backend {
  std::string_view id;         // its plug-in's
  byoc_plugin_query_fn query;  // what is registered by a call
  // A codegen without the ABI between. An option that the plug-in does not declare is a mistake of the caller's.
  std::unique_ptr<codegen::Codegen> (*create)(std::span<const Option> options);
  std::vector<Operator> (*operators)();  // that it compiles, by domain and name
};

// The backends in the order in which they are asked. Never empty.
[[nodiscard]] std::span<const Backend> backends();
// Null where there is none of this id.
[[nodiscard]] const Backend* find(std::string_view id);

}  // namespace byoc::reference
