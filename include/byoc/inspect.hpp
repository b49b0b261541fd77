// The contents of a file: a model, a library in any form, an archive in Model Library Format, a manifest. The rules of
// byoc/byoc.hpp hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "byoc/diagnostics.hpp"
#include "byoc/interface.hpp"
#include "byoc/result.hpp"
#include "byoc/visibility.hpp"

namespace byoc {

// The graph of a model file as it is imported, before it is prepared, in byoc's graph text; Model::text() is that of
// the prepared one. `signature`: as in PrepareOptions. Errors: of the importers.
[[nodiscard]] BYOC_API Result<std::string> imported_text(const std::string& path, std::size_t longest_constant,
                                                         Diagnostics& diags, const std::string& signature = {});

enum class InspectForm { text, json, html };

// The graph as JSON (docs/formats.md) or as a page with the graph drawn; as text with constants of up to 16 elements in
// full. The second function takes the prepared graph.
class Model;
[[nodiscard]] BYOC_API Result<std::string> inspect_model(const std::string& path, InspectForm form, Diagnostics& diags,
                                                         const std::string& signature = {});
[[nodiscard]] BYOC_API std::string inspect_model(const Model& model, InspectForm form);

// A shared library, unloaded: nothing of it runs.
struct SharedLibrary {
  struct Module {
    std::string name;
    std::string kind;                    // "c", "llvm", "object", "opaque" ...
    std::string loader;                  // of an opaque one
    std::size_t bytes = 0;               // of an opaque one
    std::vector<std::uint32_t> imports;  // positions, in order
    std::vector<std::string> functions;
  };
  std::vector<Module> modules;  // the root first
  // For a model, from its manifest; for other libraries the prefix is "".
  std::string target;        // its name
  ModelInterface interface;  // without what steps leave in memory
};
// Errors: no shared library, one without an import tree or with a damaged one, a damaged manifest.
[[nodiscard]] BYOC_API Result<SharedLibrary> inspect_shared_library(const std::string& path, Diagnostics& diags);

// True if `path` is a graph.json or a file of parameters, by its content.
[[nodiscard]] BYOC_API bool is_graph_json(const std::string& path);
[[nodiscard]] BYOC_API bool is_params(const std::string& path);
// The nodes, entries and storage of a graph.json, as HTML with the graph drawn; names and types of parameters; the
// modules of a library that TVM 0.15 exported, and the graphs among them. No code of it runs. Error: a file that is
// damaged.
[[nodiscard]] BYOC_API Result<std::string> inspect_graph(const std::string& path, InspectForm form, Diagnostics& diags);
[[nodiscard]] BYOC_API Result<std::string> inspect_params(const std::string& path, InspectForm form,
                                                          Diagnostics& diags);
[[nodiscard]] BYOC_API bool has_device_blob(const std::string& path);
[[nodiscard]] BYOC_API Result<std::string> inspect_device_library(const std::string& path, InspectForm form,
                                                                  Diagnostics& diags);

// The metadata of an archive in Model Library Format, versions 1 to 7, by whomever it was written.
struct MlfModule {
  std::string name;
  std::string style;                   // "full-model", "operator"
  std::vector<std::string> executors;  // "aot", "graph"
  std::vector<std::string> targets;
  std::uint64_t workspace_bytes = 0, io_bytes = 0, constant_bytes = 0;
  struct Tensor {
    std::string name, dtype;
    std::uint64_t bytes = 0;
  };
  std::vector<Tensor> inputs, outputs;  // sorted by name
  struct Storage {
    std::uint64_t id = 0, bytes = 0;
    std::string binding;  // the input or parameter that lies there at the start; "": none
  };
  std::vector<Storage> storage;  // of executor "graph"
  struct Function {
    std::string name;
    std::uint64_t workspace_bytes = 0;  // of its own
  };
  std::vector<Function> functions;
  struct Parameter {
    std::string name;
    std::string type;  // "float32[1, 5]"
    std::uint64_t bytes = 0;
  };
  std::vector<Parameter> parameters;
  bool ours = false;      // x_byoc is there
  bool loadable = false;  // it carries what programs need that load it
};
struct MlfFile {
  std::string path;  // "codegen/host/src/add_lib0.c"
  std::uint64_t bytes = 0;
};
struct MlfDocument {
  std::uint64_t version = 0;
  std::string time;  // as it is written there
  std::vector<MlfModule> modules;
  std::vector<MlfFile> files;  // in the order of the archive
};
// Nothing is unpacked; files of parameters up to 256 MiB are read. Errors: no tar, a compressed one, entries that leave
// the archive or are there twice, no metadata.json or one that cannot be read, damaged parameters.
[[nodiscard]] BYOC_API Result<MlfDocument> inspect_model_library(const std::string& path, Diagnostics& diags);

// The contents of a file that is no model, from any producer and for any machine. No code of it runs.
struct FileContents {
  enum class Use { code, read_only, data, zeroed, not_loaded };
  struct Section {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t align = 1;
    Use use = Use::not_loaded;
  };
  struct Symbol {  // that others see
    std::string name;
    std::string section;
    std::uint64_t bytes = 0;
    bool function = false;
    bool weak = false;
  };
  struct Member {
    std::string name;  // "" for a file that is one object
    std::uint64_t bytes = 0;
    std::string machine;  // "aarch64, 64-bit"
    std::vector<Section> sections;
    std::vector<Symbol> symbols;
    std::vector<std::string> undefined;
  };
  struct Constant {
    std::string symbol;
    std::string region;
    std::uint64_t bytes = 0;
    std::uint32_t align = 1;
    std::string xxh3_128;  // 32 hexadecimal digits
  };
  struct Model {
    std::string target;        // its name
    ModelInterface interface;  // without what steps leave in memory
    std::vector<Constant> constants;
  };

  std::string kind;  // "a static library"
  std::uint64_t bytes = 0;
  std::vector<Member> members;
  std::vector<Model> models;                   // that it carries the manifests of
  std::vector<SharedLibrary::Module> modules;  // the root first; none: it carries no import tree
  std::vector<MlfDocument> archive;            // of a .tar: one

  // Bytes of all sections of one use.
  [[nodiscard]] std::uint64_t total(Use use) const {
    std::uint64_t sum = 0;
    for (const Member& m : members)
      for (const Section& s : m.sections) sum += s.use == use ? s.bytes : 0;
    return sum;
  }
};
// Reads a .a, .o, .so, .tar, exported folder, linked program or manifest. Errors: another kind of file (names the
// command that takes it), a damaged one.
[[nodiscard]] BYOC_API Result<FileContents> inspect_file(const std::string& path, Diagnostics& diags);

}  // namespace byoc
