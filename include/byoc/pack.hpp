// Packs without a model, and operations on exported libraries: build-tree, pack, pack-constants, linker-fragment and
// verify of the command line. The rules of byoc/byoc.hpp hold: nothing is printed, nothing throws, outputs appear whole
// or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/diagnostics.hpp"
#include "byoc/options.hpp"
#include "byoc/result.hpp"
#include "byoc/target.hpp"
#include "byoc/visibility.hpp"

namespace byoc {

// Bytes that become a constant.
struct BlobFile {
  std::string path;
  std::string symbol = {};  // "" takes the file's name, made an identifier
};

struct BuildOptions {
  CompilerChoice compiler = {};
  SourceOptions sources = {};           // of files that are C, C++ or assembly
  std::vector<BlobFile> blobs = {};     // go into the library besides the files
  std::vector<std::string> edges = {};  // "a.c:b.ll": a imports b; "": the first imports all others
  std::string opt_level = "2";          // "0" | "1" | "2" | "3" | "s" | "z"; folders say their own
  ConstantEncoding encoding = {};       // what makes an object of the constants
  PackOptions pack = {};
  // For folders, which name their target: the target that they must be for, and whose compiler is run. Nullopt: folders
  // may name the compilers of byoc's own targets only.
  std::optional<TargetSpec> target = {};
};

// Compiles `files` (.ll, .bc, .c, .cpp, .S ...; .o and .a are taken as they are, .bin become constants) for `target`,
// reads every object back and checks it, and writes `out` (.a, .o, .so, .tar or a folder) with a manifest beside it.
// C sources are GNU C11, C++ sources GNU C++17 without exceptions and RTTI; they may include what lies beside them.
// Members are named after their files ("npu.ll.o") and keep their order. Errors: no file, one that cannot be read or
// has an unknown suffix, an edge between files that are not there, those of compilers, objects of another target.
[[nodiscard]] BYOC_API Result<void> build_library(std::span<const std::string> files, const TargetSpec& target,
                                                  const BuildOptions& options, const std::string& out,
                                                  Diagnostics& diags);

// Goes on from folders that export_model() or build_library() wrote: compiles what has no object that fits it, checks
// everything again as at the export, and writes `out`; several folders, for one target, into a .a, .o or .tar. Errors:
// folders that cannot be read or do not go together, those of compilers.
[[nodiscard]] BYOC_API Result<void> pack_folders(std::span<const std::string> folders, const BuildOptions& options,
                                                 const std::string& out, Diagnostics& diags);

// A package of another build system: Zephyr, Arduino, Cargo ...
struct PackageForm {
  std::string form;                               // "cmake"; package_forms() has all
  std::map<std::string, std::string> about = {};  // what the package says of itself: name, version, vendor ...
};
[[nodiscard]] BYOC_API std::vector<std::string> package_forms();

// A line that tells how a package of a form, written as `out`, comes into a project: "npm install kws.tgz". "" if there
// is no such form.
[[nodiscard]] BYOC_API std::string package_install(const std::string& form, const std::string& out);

// Writes a package of `folders`, which may be of several models and of several targets, as a folder or, where `out` has
// the suffix of the form's archives, as one: the same inputs give the same bytes. A folder that is there is replaced if
// it is empty or was written this way. Errors: those of pack_folders(); libraries without a model; targets that have
// not the same models, that the form does not know or cannot tell apart; a field of `about` that is not known, or has
// text that it cannot have.
[[nodiscard]] BYOC_API Result<void> pack_as(std::span<const std::string> folders, const PackageForm& form,
                                            const BuildOptions& options, const std::string& out, Diagnostics& diags);

struct ConstantFile {
  std::string path;
  std::string symbol = {};  // "" takes the file's name, made an identifier
};

struct ConstantFileOptions {
  CompilerChoice compiler = {};    // for an encoding that asks for one
  std::uint32_t align = 8;         // bytes, a power of two
  std::string region = "flash";    // a flash pool of the target
  ConstantEncoding encoding = {};  // what makes the object
  Durability durability = Durability::usual;
  bool force = false;  // also replaces a header or manifest that belongs to another library
};

// Writes `out` (.a or .o) with one read-only object of `target` for each file, and beside it a C header (.h) that
// declares them and a manifest (.json) for verify_firmware(). The bytes are streamed from file to file, unless
// `encoding` asks for something else than byoc's own writer. Errors: no file, one that cannot be read, an empty one, a
// symbol that is no C identifier or there twice, those of the encoding.
[[nodiscard]] BYOC_API Result<void> pack_files(std::span<const ConstantFile> files, const TargetSpec& target,
                                               const ConstantFileOptions& options, const std::string& out,
                                               Diagnostics& diags);

struct LinkerFragment {
  std::string script;  // to be INCLUDEd after MEMORY and before SECTIONS
  // C: bytes by region and library, where each begins and ends; of models, how large a workspace is that is enough for
  // runs of any of them, one at a time.
  std::string header;
};

// `manifests`: files, of the libraries of a firmware. `memories` says in which memory of the script a region or a
// workspace goes; what is left is where the script has .rodata or .bss. `name` starts every name: an identifier.
// Errors: a manifest that is damaged, a region or a workspace with a section of its own and no memory, a memory for a
// region that no library has, a constant that two libraries have, one of several libraries that has this name.
[[nodiscard]] BYOC_API Result<LinkerFragment> linker_fragment(std::span<const std::string> manifests,
                                                              const std::map<std::string, std::string>& memories,
                                                              const std::string& name, Diagnostics& diags);

// The contents of a region in an image. Constants that share their bytes count once.
struct RegionUse {
  std::string region;
  std::size_t constants = 0;
  std::uint64_t bytes = 0;
};

struct VerifiedFirmware {
  std::size_t constants = 0;       // of all manifests
  std::vector<RegionUse> regions;  // in the order of first mention
};

// Proves on a linked ELF image that every constant which the manifests (files) state is in flash as it was exported:
// allocated, never writable, loaded where it runs, aligned, byte for byte. Errors: one for every constant and finding;
// a manifest that states none; files that cannot be read.
[[nodiscard]] BYOC_API Result<VerifiedFirmware> verify_firmware(const std::string& image,
                                                                std::span<const std::string> manifests,
                                                                Diagnostics& diags);

// A file of what a flash memory holds, as a debug probe reads it.
struct FlashDump {
  std::string file;                                     // Intel HEX, or bytes
  std::optional<std::uint64_t> address = std::nullopt;  // of the first of the bytes; Intel HEX has its own
};

// verify_firmware(), and the same of a memory into which the image was written: each constant is where the image has
// it. Further errors: a constant that the dump has not, or with other bytes; bytes without an address, and addresses
// that are told twice.
[[nodiscard]] BYOC_API Result<VerifiedFirmware> verify_flash(const std::string& image,
                                                             std::span<const std::string> manifests,
                                                             const FlashDump& dump, Diagnostics& diags);

// Checks that `target` can run a linked ELF image: machine, architecture, extensions and float convention, as the
// linker merged them from all objects. A library for another core shows there. Errors: one for every field.
[[nodiscard]] BYOC_API Result<void> verify_target(const std::string& image, const TargetSpec& target,
                                                  Diagnostics& diags);

}  // namespace byoc
