// Options of an export, as the command line and the host API give them. Standard headers only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/abi/entry.h"
#include "byoc/diagnostics.hpp"
#include "byoc/result.hpp"
#include "byoc/target.hpp"
#include "byoc/types.hpp"

namespace byoc {

struct PrepareOptions {
  bool lift = true;                          // QDQ and QLinear forms become operators on quantised tensors
  std::map<std::string, std::int64_t> dims;  // bindings of symbolic dimensions
  FoldLimit fold_limit = {};
  // Outputs whose length only a run tells become buffers of the most they can be, with a count beside them. false: such
  // a model is refused.
  bool bound_shapes = true;
  std::string signature = {};  // of a TFLite model with several: which one is taken; "": the first subgraph
  // Types that only a run can tell stay open, and values may be strings, sequences and optionals: for executors on
  // hosts that find types while they run.
  bool open_types = false;
  std::map<std::string, std::string> inputs = {};  // those that become constants: "16000", or an element each, "0,1,2"
  // Room for inputs that are sequences, optionals or strings, by name, or for all of them by "": "8" elements,
  // "8[2,3]",
  // "[2],[3]" for exactly these, "16B" for strings of at most 16 bytes (docs/generated-code.md).
  std::map<std::string, std::string> bounds = {};
  // Ranges of symbolic dimensions that stay open, for executors that find types while they run: other lengths are
  // refused at run time.
  std::map<std::string, DimRange> dim_ranges = {};
};

// The severity of findings in plug-ins' C sources.
enum class CheckSources { off, warn, error };

// The plug-ins beside the reference backend, and their options.
struct PluginChoice {
  std::vector<std::string> plugins = {};          // each a shared object, a manifest, or the id of an installed plug-in
  std::vector<byoc_plugin_query_fn> linked = {};  // of plug-ins linked into this program, less preferred than those
  std::vector<std::string> options = {};          // "ID.NAME=VALUE"; a plug-in's table says which it has
  bool isolate = false;                           // runs each of `plugins` in a process of its own
  // Limits of a call of an isolated plug-in, and of compiling what a plug-in hands over; 0: none.
  unsigned seconds = 600;
  std::uint64_t memory = 0;  // bytes
  CheckSources check_sources = CheckSources::warn;
  // File (.byocrec) that gets what byoc and the one of `plugins` said to each other, for `byoc replay`; "": none. The
  // plug-in is isolated then, so that its crash is in the record too.
  std::string record = {};
  std::uint64_t record_constants = 0;  // bytes: of larger constants the record has hashes instead of contents
  // Callbacks for plug-ins' log lines and progress, by their ids, and for cancellation; any may be empty.
  std::function<void(std::string_view id, std::string_view line)> log = {};
  std::function<void(std::string_view id, std::uint64_t done, std::uint64_t total, std::string_view what)> progress =
      {};  // total 0: not known
  // true: the user wants to stop. Plug-ins ask between pieces of work, an export between its stages; it then ends with
  // the error "the export was cancelled" and leaves its output as it was.
  std::function<bool()> cancelled = {};
};

// Sends nodes to a codegen, whatever others offer.
struct Pin {
  std::string node;     // a name with '*' and '?', "#3" for a position in the source, or "op:Conv"
  std::string codegen;  // id
};

struct PartitionOptions {
  std::vector<Pin> pins = {};            // of two that name a node, the later one counts
  std::vector<std::string> prefer = {};  // ids, the user's order; before all that are not named
  // Limits for every codegen except reference ones, which take the rest. 0: no limit.
  std::uint32_t max_region_nodes = 0;
  std::uint32_t min_region_nodes = 0;
  std::uint32_t max_regions = 0;  // of one codegen; the smallest are given up
  bool require_exact = false;     // verdicts that state a tolerance count as refusals
};

// The tool that makes an object of constants. All of them give the same symbols, sections, alignments and bytes.
enum class ConstantForm : std::uint32_t {
  elf = 0,     // byoc writes the object: no compiler, and memory does not depend on the size
  incbin = 1,  // .incbin of the C compiler's assembler
  embed = 2,   // #embed of C23
  c = 3,       // a C array
  llvm = 4,    // a global of an LLVM module
};

// One symbol of the constants object. Symbols of one section are names of the same bytes.
struct PackedConstant {
  std::string symbol;
  std::string section;
  std::uint32_t align = 1;  // of the section, at least; bytes
  bool global = true;       // false: not seen by other objects
  std::span<const std::byte> bytes;
};
// Makes the object with all of them, for the target. Must not throw.
using PackImports =
    std::function<Result<std::vector<std::byte>>(std::span<const PackedConstant>, const TargetSpec&, Diagnostics&)>;

// `command` is as `byoc export --pack-imports` takes it. Whatever made the object, it is compared with what byoc would
// have written.
struct ConstantEncoding {
  ConstantForm form = ConstantForm::elf;  // of neither of the others
  std::string command = {};               // "": none
  PackImports function = {};              // before `command`; may be empty
};

// The compiler, and its general options.
struct CompilerChoice {
  std::string toolchain = {};     // "clang", "gnu", a description (docs/formats.md); "" takes the target's default
  std::string launcher = {};      // program in front of the command of a compiler that is one: "ccache"; "" for none
  bool debug_info = false;        // -g
  std::string cache = {};         // folder of objects of earlier compilations, which are made once; "" for none
  std::uint64_t cache_limit = 0;  // bytes that the folder may take; what was used least lately goes first. 0: no limit
  bool lto = false;               // C and LLVM modules become one before code is generated; for Clang
  // Sources that are compiled at a time; 0: as many as there are processors that this process may use, and under a make
  // that shares its slots as many of them as are free.
  unsigned jobs = 0;
};

// A source that is to become an object.
struct CSource {
  std::string name;  // without its suffix
  std::string text;
  std::string opt_level = {};                         // "0" | "1" | "2" | "3" | "s" | "z"
  std::string standard = {};                          // "c99", "gnu11"
  std::vector<std::string> include_directories = {};  // folders that #include looks in besides; of vendors
  std::string language = "c";                         // or "c++", "assembly" (which is preprocessed)
  std::vector<std::string> flags = {};                // what its user wants besides: "-fno-strict-aliasing"
};
// Headers that sources include, {name, text}.
using CHeaders = std::map<std::string, std::string>;

// Makes an ELF relocatable of the target from a source. Called first with a small source whose object shows what the
// compiler's objects are for, then by several threads at once, all of this process: a crash of it, on whatever source,
// is the program's. Must not throw.
using CompileCallback = std::function<Result<std::vector<std::byte>>(const CSource&, const CHeaders&, Diagnostics&)>;

enum class MlfFlavour : std::uint32_t {
  source = 0,   // C where there is C that compiles with what is in the tar; objects for the rest
  objects = 1,  // objects only
};

// The moment at which an output counts as written.
enum class Durability : std::uint32_t {
  usual = 0,      // its name is exchanged: what becomes of it in a power cut is the file system's affair
  power_cut = 1,  // it is on its disk as well, whole, and so is its name (fsync): before that, what was there is
};

struct PackOptions {
  MlfFlavour flavour = MlfFlavour::source;  // of a .tar
  std::string system_library = {};  // of a .a: name of a table of its functions; NAME.h goes beside it; "": none
  Durability durability = Durability::usual;
  bool force = false;  // also replaces a header, manifest or example that belongs to another library
};

// Constants in a file of their own, which programs bind when they run (docs/formats.md, "Weights"); those of codegens
// that cannot do with that (codegen::Codegen::moves_constants) stay in the library.
struct WeightsOptions {
  std::string file = {};       // .bin, or .hex for Intel HEX; "": constants are in the library
  std::string key = {};        // private key, Ed25519 or P-256 (PEM, pkcs11:...); "": the file is not signed
  std::uint32_t sequence = 0;  // of two that are valid, <model>_bind_slots() takes the higher one
  std::uint32_t address = 0;   // of its first byte in a .hex
  // For an executor that interprets: constants of fewer bytes stay in the bytecode.
  std::uint64_t least = 256;
};

// Options for the user's own sources, as compilers take them.
struct SourceOptions {
  std::vector<std::string> include_directories = {};  // -I
  std::vector<std::string> defines = {};              // -D: "NAME", "NAME=VALUE"
  std::vector<std::string> standards = {};            // -std=: of C ("gnu11" otherwise), of C++ ("gnu++17" otherwise)
  std::vector<std::string> flags = {};                // "-fno-strict-aliasing", "-Wno-unused": -f and -W alone
};

// Names in what is written.
struct NameOptions {
  // Names of inputs and outputs in the header, C identifiers in the model's order, which last when the model's own
  // change; empty: the model's own.
  std::vector<std::string> inputs = {}, outputs = {};
  // JSON file that gets the names of nodes and of values inside the model, which then are in nothing else that is
  // written; "": they are. Names of inputs and outputs stay: they are the library's interface.
  std::string map = {};
};

// Access of a program to the steps of a run. For the executor aot.
struct StepOptions {
  bool hooks = false;  // <model>_set_hooks(): functions of the program's that are called around each step
  std::vector<std::string> taps = {};  // steps, by number, symbol or node, whose outputs go to a sink of the program's
  bool resumable = false;              // <model>_begin() and <model>_step(): a run that is left and taken up again
};

// The request for an export: the command line, byoc/byoc.hpp and the pipeline share it.
struct ExportRequest {
  std::string name = {};         // prefix of public symbols, a C identifier; "" takes the model's default_name()
  std::string executor = "aot";  // what runs the model's steps (docs/decisions/executors.md)
  CompilerChoice compiler = {};
  // Compiles C instead of a toolchain, which then says its name and version; may be empty.
  CompileCallback compile = {};
  std::string opt_level = {};      // of all code: "0" | "1" | "2" | "3" | "s" | "z"; "" takes what suits the objective
  ConstantEncoding encoding = {};  // what makes an object of the constants
  std::vector<std::string> add_files = {};  // go into the library besides: .c, .ll, .bc, .o, .a
  Objective objective = Objective::balanced;
  // Bytes that workspaces, instance, inputs and outputs may take together; 0: not bounded. Codegens are asked for less
  // until it fits; it is an error where no plan does.
  std::uint64_t max_ram = 0;
  bool reuse_inputs = false;  // a run may write other values into the input buffers once it has read them
  PartitionOptions partition = {};
  std::vector<std::string> no_optimise = {};  // rewrites of the graph that are not made ("pads" ...); "all": none is
  // Also a table of the model's steps for programs that load the library (byoc/rt/steps.h): for folders and .so. Not
  // with lto.
  bool step_table = false;
  bool trace = false;         // also compile a root that calls byoc_trace(), for figures and tensors of each step
  std::string work_dir = {};  // folder that gets every source, also where one does not compile, and every object
  WeightsOptions weights = {};
  StepOptions steps = {};
  // Levels of x86-64 above the target's, "v3": the library has the model for each of them as well, and runs the highest
  // that there is where it is loaded. For the executor aot.
  std::vector<std::string> multiversion = {};
  NameOptions names = {};
  PackOptions pack = {};
  std::function<void(std::string_view stage)> progress = {};  // told when a stage begins; may be empty
};

}  // namespace byoc
