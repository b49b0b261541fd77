// Constants that no codegen brought, because the root itself reads them.
#pragma once

#include <string>

#include "sdk/base/support/name_table.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::plan {

// Graph outputs that are constants, operands of steps that an alias makes one, what a state starts from where that is
// not one byte throughout, what it becomes where that is a constant: they need symbols. Adds them to `compilation`, as
// made by `executor`.
void add_read_constants(const ir::Graph& graph, const std::string& prefix, NameTable& names,
                        const std::string& executor, plugin::Compilation& compilation);

}  // namespace byoc::plan
