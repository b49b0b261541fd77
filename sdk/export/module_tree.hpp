// Makes one module tree of the modules of the executor, the codegens and the user.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/export/export_names.hpp"
#include "sdk/export/optimisation_levels.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/program/executor/executor.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

struct ModelParts {
  const plugin::Compilation& compilation;
  const executor::Printed& printed;
  const std::string& internal_header;  // its text
  const ExportNames& names;
  const TargetSpec& target;
  const std::map<std::string, std::string>& kernel_names;   // shared symbol -> its name in this export
  const std::map<std::size_t, Blob>& renamed_modules;       // of Compilation::others: with those names in them
  const std::map<std::string, std::string>& kernel_levels;  // by shared symbol
  const OptimisationLevels& levels;
  std::set<std::string> built_in;  // codegens that are part of byoc
  bool lto = false;
  // Objects of shared kernels by name, which need not be compiled any more; may be null.
  const std::map<std::string, std::vector<std::byte>>* kernel_objects = nullptr;
};

struct ModelTree {
  ModuleTree tree;
  std::vector<std::string> link_libraries;
  std::vector<Licence> licences;
};

// The root imports everything else: steps and shared kernels, what vendors handed over, further modules of the
// executor's, and last the constants. Beyond this point sources, headers and constants are what they are.
[[nodiscard]] ModelTree make_module_tree(const ModelParts& parts);

// Adds a module that the root imports; it gets another name if the tree has, or reserves, its own. Vendors and the user
// name their modules without knowing each other's.
void add_module(ModuleTree& tree, Module m);

// C that is called `name`, compiled at `level`.
[[nodiscard]] Module c_module(const std::string& name, const std::string& text, const std::string& level);

// The module that carries the model's constants; null without any.
[[nodiscard]] const Module* find_constants(const ModuleTree& tree);

}  // namespace byoc
