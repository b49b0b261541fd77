// The module tree of a model becomes objects, each checked; constants become an object of their own.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/export/export.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/pack/package.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// The C compiler of an export: job.compile_function, or the toolchain of the request. Errors: those of Compiler;
// link-time optimisation by a function.
[[nodiscard]] Result<std::unique_ptr<Compiler>> make_compiler(const Job& job, const TargetSpec& target,
                                                              Diagnostics& diags);

// The files that the user adds, compiled in their own language and style, for add_module(). `files_read` gets the
// headers that they include. Errors: those of tree_of_files and compile_tree.
[[nodiscard]] Result<std::vector<Module>> compile_added_files(const Job& job, const TargetSpec& target,
                                                              std::vector<std::string>& files_read, Diagnostics& diags);

// The constants as the pack will write them; null where they cannot be written: whoever packs them says why.
using FutureConstants = std::future<std::shared_ptr<const ConstantObject>>;
// Lays them out beside what the caller does meanwhile, for they are merged and hashed, which takes long for large
// models. Not valid where there is nothing to do: no constants, or another `encoding` than the pack's own.
[[nodiscard]] FutureConstants lay_out_constants(const ModuleTree& tree, const TargetSpec& target,
                                                const ConstantEncoding& encoding);

// The package as it is before anything is compiled: sources and constants, without a description.
[[nodiscard]] Package uncompiled(Package package);

struct PackageInput {
  const ModuleTree& tree;
  const TargetSpec& target;
  const ir::Graph& graph;
  const plugin::Compilation& compilation;
  const std::map<std::string, std::string>& prototypes;    // of entry points, by symbol
  const std::map<std::string, std::string>& kernel_names;  // shared symbol -> its name in this export
  const std::string& traced;                               // C behind the traced root
};

struct CompiledPackage {
  std::vector<LibraryMember> members;  // the root first
  std::vector<std::byte> traced_root;  // in place of the first, with ExportRequest::trace
};

// Compiles what has no object yet and reads every object back. Objects of shared kernels go to job.kernel_objects.
// Errors: those of compile_tree and encode_members; what the check of foreign sources finds, if that is to be an error.
[[nodiscard]] Result<CompiledPackage> compile_package(const PackageInput& input, Compiler& compiler,
                                                      FutureConstants constants, const Job& job, Diagnostics& diags);

}  // namespace byoc
