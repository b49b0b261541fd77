// Every module of a tree becomes objects of one target, and every object is read back and checked.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

struct CompileTreeOptions : CompilerChoice {
  CompileOptions compile = {};                     // where a module says nothing of its own
  Compiler* compiler = nullptr;                    // for C; null: one is made when a module needs it
  std::vector<std::string>* files_read = nullptr;  // gets the headers of the machine that were read; may be null
  bool isolate = true;                  // all C is compiled in workers, for it may be anybody's; else that of codegens
  std::set<std::string> built_in = {};  // codegens that are part of byoc
  std::map<std::string, compile::SourceRules> rules = {};  // of the others, by id: their C is checked against them
  bool all_visible = true;  // ModuleTree::lto: what codegens define stays visible; else only what other objects need
  // Told what the check found in a module; may be empty.
  std::function<void(const Module&, std::vector<compile::SourceFinding>)> found = {};
};

// In the order of the modules; the constants of all of them last, as one member. With ModuleTree::lto all C and LLVM
// modules are one member in place of the first of them. Goes on after an error, so that one
// run tells about every module. Errors name the module and who handed it over: those of check_tree and target_of; a
// module that does not compile; an object of another target, or that is none; a symbol that is promised and not there;
// a constant of a blob whose name another constant has.
[[nodiscard]] Result<std::vector<LibraryMember>> compile_tree(const ModuleTree& tree, const TargetSpec& target,
                                                              const CompileTreeOptions& options, Diagnostics& diags);

// Compiles the tree's C modules: objects, or bitcode with CompilerChoice::lto. By position; empty for the others.
[[nodiscard]] Result<std::vector<ObjectBytes>> compile_c_modules(const ModuleTree& tree, const TargetSpec& target,
                                                                 const CompileTreeOptions& options, Diagnostics& diags);

}  // namespace byoc
