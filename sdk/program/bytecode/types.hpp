// Types of a module as they are gathered from graphs. Internal to this folder.
#pragma once

#include "sdk/program/bytecode/module.hpp"

namespace byoc::bytecode {

// The type's open dims, which are of `from`, as those of the same names in `to`, which gets what it lacks.
void rename_symbols(const ir::Graph& from, ir::TensorType& type, ir::Graph& to);

// A type of the module that is this one of `graph`; its open dims keep the names of their symbols.
[[nodiscard]] std::uint32_t add_type(Module& module, const ir::Graph& graph, const ir::TensorType& type,
                                     const std::string& name = {});

// Adds a type of the module's own: bytes, a scalar.
[[nodiscard]] std::uint32_t add_type(Module& module, DType dtype, std::vector<std::int64_t> dims);

}  // namespace byoc::bytecode
