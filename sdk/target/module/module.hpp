// The module tree: what is compiled for one target and packed together. Made from a model, from files of the user's, or
// by hand. Data only.
//
// The root imports the modules that it calls, and they import others; the order of imports is kept up to the loader.
// A module that several import is there once. Constants hang off the module that needs them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/target/module/constant_artifact.hpp"

namespace byoc {

enum class ModuleKind : std::uint32_t {
  c = 0,               // bytes are C source text
  llvm = 1,            // bytes are LLVM bitcode or textual IR
  object = 2,          // bytes are an ELF relocatable
  constants = 3,       // no bytes, constants only
  static_library = 4,  // bytes are a System V archive of ELF relocatables
  blob = 5,            // bytes are data, which becomes a constant named after the module
  opaque = 6,          // bytes are for a loader at run time that knows what they are
};

struct Symbol {
  std::string name;
  bool function = true;  // false: data
  bool operator==(const Symbol&) const = default;
};

// How a compiler makes an object of the bytes.
struct CompiledCode {
  std::string opt_level = {};  // "0" | "1" | "2" | "3" | "s" | "z"; "": the compilation's
  Blob object = {};            // taken as it is; empty: not compiled yet
};

// The kinds of content, one for each ModuleKind and in the same order.
struct CCode {
  CompiledCode compiled = {};
  std::string language = "c";                         // "c", "c++", "assembly"
  std::string standard = {};                          // "c99", "gnu11"; "": the compilation's
  std::string directory = {};                         // for #include "...", besides the tree's headers; "": none
  std::vector<std::string> include_directories = {};  // absolute
  std::vector<std::string> flags = {};                // options of its user: "-fno-strict-aliasing"
};
struct LlvmCode {
  CompiledCode compiled = {};
};
struct ElfObject {};
struct ConstantsOnly {};
struct ObjectLibrary {};
struct RawData {};
struct LoaderData {
  std::string loader = {};  // who can load the bytes: "acme_graph"
};
using ModuleContent = std::variant<CCode, LlvmCode, ElfObject, ConstantsOnly, ObjectLibrary, RawData, LoaderData>;

struct Module {
  ModuleContent content = CCode{};
  std::string name = {};    // unique in the tree; is_plain_name(); names its files
  std::string origin = {};  // what diagnostics call it: a path, "npu.bc of codegen 'acme'"; "": its file name
  Blob bytes = {};
  std::vector<Symbol> symbols = {};  // external definitions that it promises
  std::vector<ConstantArtifact> constants = {};
  std::vector<std::size_t> imports = {};  // positions in ModuleTree::modules, in order
  std::optional<TargetSpec> target = {};  // what it is made for; nothing: whatever the tree is compiled for
  std::string codegen = {};               // who handed it over; "": byoc itself or the user
  bool for_loaders = false;  // only programs that load the library use it: folders and shared libraries have it

  [[nodiscard]] ModuleKind kind() const { return static_cast<ModuleKind>(content.index()); }
  [[nodiscard]] const CCode* c() const { return std::get_if<CCode>(&content); }
  [[nodiscard]] CCode* c() { return std::get_if<CCode>(&content); }
  // Null unless a compiler makes an object of the module: kinds c and llvm.
  [[nodiscard]] const CompiledCode* compiled() const;
  [[nodiscard]] CompiledCode* compiled();
  // "" without compiled().
  [[nodiscard]] std::string opt_level() const;
  // Who can load the bytes; "" unless it is opaque.
  [[nodiscard]] std::string loader() const;
  // True if it is an object already that a compiler made of its bytes.
  [[nodiscard]] bool has_object() const;
};

// The object that link-time optimisation made of all C and LLVM modules.
struct LinkedObject {
  Blob bytes;                                  // empty: not made yet
  std::map<std::string, std::size_t> defined;  // which module each symbol came from; some are not visible any more
};

struct ModuleTree {
  std::vector<Module> modules;                 // the root first; objects are linked in this order
  std::map<std::string, std::string> headers;  // that C modules include, by name
  bool lto = false;                            // C and LLVM modules become one object
  LinkedObject linked = {};                    // with lto
  std::vector<FileStamp> inputs = {};          // files that it was made from, which no output may replace
};

// `text` as the name of a module: every other character becomes '_', and what is too long is cut. Never empty.
[[nodiscard]] std::string module_name(const std::string& text);
[[nodiscard]] std::string lower_case(std::string text);  // of ASCII
[[nodiscard]] std::string upper_case(std::string text);

[[nodiscard]] std::string_view to_string(ModuleKind);
// The empty content of a kind.
[[nodiscard]] ModuleContent content_of(ModuleKind);
// "kws_steps.c", "npu.bc", "constants": the name with the suffix of its kind, unless it ends with it already.
[[nodiscard]] std::string file_name(const Module&);
// The name of the module in diagnostics.
[[nodiscard]] std::string label(const Module&);

// Errors, all of them: no module; a name that is empty, has other characters, or that two modules have (letters in
// upper and lower case count as the same, for they may become files); an import that is out of range; a cycle of
// imports, with its path; a module that the root does not reach; bytes where the kind has none, none where it needs
// some; an opaque module without a loader.
Result<void> check_tree(const ModuleTree&, Diagnostics&);

// The bytes of all constants; modules of kind blob count as constants.
[[nodiscard]] std::uint64_t constant_bytes(const ModuleTree&);

// The one target that the modules and `target` agree on; merge_targets() says how they may differ.
[[nodiscard]] Result<TargetSpec> target_of(const ModuleTree&, const TargetSpec& target, Diagnostics&);

}  // namespace byoc
