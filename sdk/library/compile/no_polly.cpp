// Debian builds LLVM and Clang with Polly as an extension: their archives ask for it by this name, and it is in a
// package of its own. Nothing here uses it.
#include "llvm/Passes/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder&) {}};
}
