// The subcommands of byoc. Each declares its options on the parser and sets the action to run.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/byoc.hpp"
#include "sdk/app/cli/causes.hpp"
#include "sdk/base/support/file_stamp.hpp"
#include "sdk/base/support/helper_program.hpp"

namespace CLI {
class App;
}

namespace byoc::cli {

// The command that main() runs after parsing. Commands report errors as diagnostics only.
struct Session {
  Diagnostics diags;
  std::uint64_t memory_limit = 0;  // bytes; 0: none
  bool json_diagnostics = false;
  bool exit_codes_by_cause = false;
  ExitCode cause = kDone;  // of an action that failed, where it knows
  std::function<Result<void>()> action;
};

// All commands of the program: all_commands.cpp, or demo/commands.cpp.
void add_commands(CLI::App& app, Session& session);
// The services of its workers, which are the program itself: in the same file.
[[nodiscard]] std::vector<Service> services();
extern const Service kCheckService;
void add_export(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_new(CLI::App& app, Session& session);
void add_serve(CLI::App& app, Session& session);
void add_targets(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_build_tree(CLI::App& app, Session& session);
void add_pack(CLI::App& app, Session& session);
void add_pack_constants(CLI::App& app, Session& session);
void add_linker_fragment(CLI::App& app, Session& session);
void add_verify(CLI::App& app, Session& session);
void add_plugins(CLI::App& app, Session& session);
void add_partition(CLI::App& app, Session& session);
void add_check_plugin(CLI::App& app, Session& session);
void add_replay(CLI::App& app, Session& session);
void add_sign(CLI::App& app, Session& session);
void add_diff(CLI::App& app, Session& session);
void add_batch(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_cc(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);
// The words behind "byoc cc", or behind byoc-cc, if this is the command line of a compiler.
[[nodiscard]] std::optional<std::vector<std::string>> compiler_arguments(int argc, char** argv);
// Runs byoc cc with them; returns the exit code.
[[nodiscard]] int run_compiler(const std::vector<std::string>& arguments);
// Called after all options were added: commands and long lists of options become groups, and options that have no
// effect on a command are hidden.
void group_options(CLI::App& command);
// A group of options that only --help-all shows; a command that has such.
[[nodiscard]] bool is_detail(std::string_view group);
[[nodiscard]] bool has_details(const CLI::App& command);

// Options of every command that compiles C.
void add_compiler_options(CLI::App& command, CompilerChoice& choice);
// Options of every command that writes constants.
void add_constant_options(CLI::App& command, ConstantEncoding& encoding);
// -O, whose default depends on the command.
void add_opt_level(CLI::App& command, std::string& level, const std::string& default_text);

class Progress;

// The state of a command that compiles a model, once its arguments are parsed.
struct ModelSetup {
  PrepareOptions prepare;
  ExportRequest request;
  Codegens codegens;
};

// Options that every command that compiles a model has.
// --work-dir, and what is said where sources are cited that nobody kept: to be returned.
void add_work_dir(CLI::App& command, ExportRequest& request);
Failure suggest_work_dir(const ExportRequest& request, Diagnostics& diags);

// The codegen option for --freestanding.
inline constexpr const char* kFreestandingOption = "c.arithmetic=library";
// The codegen option for --threads of export and of run.
inline constexpr const char* kThreadsOption = "llvm.threads=true";

struct ModelOptions {
  std::string model;
  std::string target;
  std::string flash = {};       // a part's, as parse_flash_model() reads it; "": what the target says of its own
  std::uint64_t max_flash = 0;  // bytes of the target's first flash memory that the library may take; 0: not bounded
  ExportRequest request;
  PluginChoice plugins;
  std::vector<std::string> set = {};
  std::vector<std::string> dims;
  std::vector<std::string> bounds = {};
  std::string signature;
  std::vector<std::uint64_t> fold_limit;  // bytes and operations; what is missing has its default
  std::vector<std::string> pins;
  bool no_lift = false;
  bool quiet = false;

  void declare(CLI::App& command);
  // The files that it names, which no output may replace.
  [[nodiscard]] std::vector<FileStamp> inputs() const;
  [[nodiscard]] Result<TargetSpec> target_with_flash(Diagnostics&) const;
  // Finds the target and loads the plug-ins. The request tells `progress` of its stages, which has to live as long.
  [[nodiscard]] Result<ModelSetup> resolve(Progress& progress, Diagnostics&) const;
  [[nodiscard]] Result<PrepareOptions> prepare_options(Diagnostics&) const;
  // Imports and prepares the model.
  [[nodiscard]] Result<Model> load(const ModelSetup&, Progress&, Diagnostics&) const;
};

// The help for -o of a library.
inline constexpr const char* kPackOutputs =
    "static library (.a), one object (.o), shared library (.so), Model Library Format (.tar) or folder (name/) to "
    "write; of a model, a header, a manifest and an example go beside .a, .o and .so, named after it (m4.a: m4.h)";
void add_pack_options(CLI::App& command, PackOptions& options);
// --weights-blob and what goes with it, of export.
void add_weights_options(CLI::App& command, WeightsOptions& options);
// --signature, of every command that reads a model.
void add_signature(CLI::App& command, std::string& signature);
// --fsync, of every command that writes a library.
void add_durability(CLI::App& command, Durability& durability);
// --force, of the same.
void add_force(CLI::App& command, bool& force);

// Adds what --dim says: NAME=LENGTH, or a range, NAME=1..32 or NAME=1.. ; error: it is neither.
Result<void> add_dims(const std::vector<std::string>& texts, PrepareOptions& to, Diagnostics& diags);

// "output: file ...", each once, in the order of their names. Error: a name that make cannot have.
[[nodiscard]] Result<std::string> depfile_text(const std::string& output, const std::vector<std::string>& files,
                                               Diagnostics&);

// Checks an option's value that names a page. CLI11 prints the error.
inline std::string check_page_name(const std::string& file) {
  return file.ends_with(".html") ? "" : file + " is no page: R.html";
}

// Text for standard output goes out before files are put in their places. Error: it cannot be written.
[[nodiscard]] Result<void> flush_output(Diagnostics&);

// The content of a report with that name.
[[nodiscard]] Result<std::string> report_text(const PartitionReport& report, const std::string& file,
                                              Diagnostics& diags);

// Prints the savings of the rewrites, a line each.
void show_rewrites(const std::vector<RewriteSummary>& rewrites);

// Shows stages and their times on a terminal.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  void stage(std::string_view name);
  // The one that began last; "" before the first.
  [[nodiscard]] const std::string& current() const { return current_; }
  // Shows the progress of a plug-in, on a line that the next output replaces.
  static void plugin(std::string_view id, std::uint64_t done, std::uint64_t total, std::string_view what);
  [[nodiscard]] static bool shows(bool quiet);

 private:
  void finish_stage();
  bool shown_;
  std::string current_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace byoc::cli
