#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/loaded_code.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/library/compile/compiler_driver.hpp"
#include "sdk/library/compile/compilers.hpp"

namespace byoc::compile {
namespace {

namespace fs = std::filesystem;

bool write_file(const fs::path& root, const std::string& name, std::string_view text, Diagnostics& diags) {
  make_folders_for(root, name);
  const fs::path path = root / name;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  diags.error(path, {}, "cannot be written");
  return false;
}

// "conv.c:3:5: error: text" from gcc's standard error; lines of another shape are context.
void report(const std::string& errors, Diagnostics& diags) {
  std::size_t start = 0;
  while (start < errors.size()) {
    const std::size_t end = std::min(errors.find('\n', start), errors.size());
    const std::string line = errors.substr(start, end - start);
    start = end + 1;
    for (const auto& [mark, level] : {std::pair(": fatal error: ", Level::error), std::pair(": error: ", Level::error),
                                      std::pair(": warning: ", Level::warning), std::pair(": note: ", Level::note)}) {
      const std::size_t at = line.find(mark);
      if (at == std::string::npos) continue;
      Diagnostic d;
      d.level = level;
      d.file = line.substr(0, at);
      d.message = line.substr(at + std::string_view(mark).size());
      diags.add(std::move(d));
      break;
    }
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

// A name of the working folder that is the same for every folder. GCC takes its folder's name from PWD if it leads to
// the same place.
constexpr const char* kSameFolder = "PWD=/proc/self/cwd";

// The files behind the colon of what -MD wrote, but for those of the folder itself.
std::vector<std::string> absolute_files(const std::string& rule) {
  std::vector<std::string> out;
  std::string word;
  for (std::size_t i = 0; i <= rule.size(); ++i) {
    const char c = i < rule.size() ? rule[i] : '\n';
    if (c == '\\' && i + 1 < rule.size() && rule[i + 1] != '\n') {
      word += rule[++i];
    } else if (c != ' ' && c != '\n' && c != '\\') {
      word += c;
    } else {
      if (word.starts_with('/')) out.push_back(fs::path(word).lexically_normal().string());
      word.clear();
    }
  }
  return out;
}

class ExternalCompiler : public Compiler {
 public:
  ExternalCompiler(const TargetSpec& target, const CompileOptions& options, Toolchain toolchain, std::string version)
      : target_(target), options_(options), toolchain_(std::move(toolchain)), version_(std::move(version)) {}

  Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) override {
    auto directory = TemporaryDirectory::create(diags);
    if (!directory) return failure;
    const fs::path root = directory->path();
    const std::string file = source.name + suffix_of(source.language);
    if (!write_file(root, file, assembly_attributes(source) + source.text, diags)) return failure;
    for (const auto& [name, text] : headers)
      if (!write_file(root, name, text, diags)) return failure;
    ProcessOptions process;
    process.directory = root.string();
    process.variables = toolchain_.variables;
    process.variables.emplace_back(kSameFolder);
    auto result = run_process(command(source, root.string()), diags, process);
    if (!result) return failure;
    const std::size_t before = diags.errors();
    report(result->errors, diags);
    if (result->exit_code != 0) {
      if (diags.errors() == before)
        diags.error(file, {}, toolchain_.name + " failed with exit code " + std::to_string(result->exit_code),
                    (result->errors + result->output).substr(0, 500), "an object");
      return failure;
    }
    std::error_code ignored;
    if (!fs::exists(root / kObject, ignored))
      return diags.error(file, {}, toolchain_.name + " ended well and wrote no object", "nothing", kObject);
    auto text = read_text((root / kObject).string(), diags);
    if (!text) return failure;
    note_files(root / kRule);
    const auto* bytes = reinterpret_cast<const std::byte*>(text->data());
    return ObjectBytes(bytes, bytes + text->size());
  }

  // A source that Clang cannot parse is not checked; GNU's compiler decides whether it is valid.
  Result<ObjectBytes> compile_checked(const Source& source, const HeaderMap& headers, const SourceRules& rules,
                                      std::vector<SourceFinding>& findings, Diagnostics& diags) override {
    auto object = compile(source, headers, diags);
    if (!object) return failure;
    CompileOptions quiet = options_;
    quiet.warnings = quiet.warnings_as_errors = false;
    Diagnostics own;
    auto clang = make_clang_compiler(target_, quiet, own);
    if (!clang || !(*clang)->check(source, headers, rules, findings, own)) {
      findings.clear();
      const std::string why = own.all().empty() ? std::string() : to_string(own.all().front());
      diags.warning(source.name + ".c", {}, "cannot be checked by Clang: " + why);
    }
    return object;
  }

  [[nodiscard]] std::string identity() const override { return toolchain_.name + " " + version_; }
  [[nodiscard]] std::string flags() const override {
    std::string out;
    for (std::size_t i = 1; i < toolchain_.compile.size(); ++i) out += (i == 1 ? "" : " ") + toolchain_.compile[i];
    return out + (options_.debug_info ? " " + toolchain_.debug : "");
  }
  [[nodiscard]] std::vector<std::string> files_read() const override {
    const std::lock_guard lock(mutex_);
    return {read_.begin(), read_.end()};
  }

 private:
  static constexpr const char* kObject = "out.o";
  static constexpr const char* kRule = "out.d";

  void note_files(const fs::path& rule) {
    Diagnostics none;  // a launcher need not care for it
    const auto text = toolchain_.has_gnu_options ? read_text(rule.string(), none) : failure;
    if (!text) return;
    const std::lock_guard lock(mutex_);
    for (std::string& file : absolute_files(*text)) read_.insert(std::move(file));
  }

  [[nodiscard]] std::vector<std::string> command(const Source& source, const std::string& directory) const {
    std::vector<std::string> argv;
    if (!options_.launcher.empty()) argv.push_back(options_.launcher);
    for (const std::string& word : toolchain_.compile) {
      if (word == "{flags}") {
        for (std::string& flag : flags_of(source)) argv.push_back(std::move(flag));
        continue;
      }
      if (source.language == "c++" && word.starts_with("-std=")) continue;  // of C; its own is among the flags
      std::string out = word;
      for (const auto& [what, with] :
           {std::pair("{source}", source.name + suffix_of(source.language)),
            std::pair("{object}", std::string(kObject)), std::pair("{directory}", directory),
            std::pair("{name}", source.name),
            std::pair("{opt}", source.opt_level.empty() ? options_.opt_level : source.opt_level),
            std::pair("{standard}", source.standard.empty() ? options_.standard : source.standard)})
        out = replaced(std::move(out), what, with);
      argv.push_back(std::move(out));
    }
    return argv;
  }

  // GNU's assembler does not say how functions take floats, and what says nothing counts as soft.
  [[nodiscard]] std::string assembly_attributes(const Source& source) const {
    const bool is_arm = target_.triple.starts_with("arm") || target_.triple.starts_with("thumb");
    return source.language == "assembly" && is_arm && target_.float_abi == "hard" ? ".eabi_attribute 28, 1\n#line 1\n"
                                                                                  : "";
  }

  [[nodiscard]] std::vector<std::string> flags_of(const Source& source) const {
    std::vector<std::string> out;
    // These options are common to Clang and GCC; a described toolchain has options of its own.
    if (toolchain_.has_gnu_options) {
      out = {"-MD", "-MF", kRule};
      for (std::string& f : flags_of_source(source)) out.push_back(std::move(f));
    } else {
      out.insert(out.end(), source.flags.begin(), source.flags.end());
    }
    if (options_.debug_info && !toolchain_.debug.empty()) out.push_back(toolchain_.debug);
    for (const std::string& d : options_.defines) out.push_back(replaced(toolchain_.define, "{}", d));
    if (!source.directory.empty())
      out.push_back(replaced(toolchain_.quote_include, "{}", fs::absolute(source.directory).string()));
    for (const std::string& d : source.include_directories) out.push_back(replaced(toolchain_.include, "{}", d));
    return out;
  }

  TargetSpec target_;
  CompileOptions options_;
  Toolchain toolchain_;
  std::string version_;
  mutable std::mutex mutex_;
  std::set<std::string> read_;
};

// Clang behind a launcher; what is no command stays in this process.
class LaunchedClang : public Compiler {
 public:
  LaunchedClang(std::unique_ptr<CheckingCompiler> clang, std::unique_ptr<ExternalCompiler> command)
      : clang_(std::move(clang)), command_(std::move(command)) {}

  Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) override {
    if (source.language == "assembly") return clang_->compile(source, headers, diags);
    return command_->compile(source, headers, diags);
  }

  Result<ObjectBytes> compile_checked(const Source& source, const HeaderMap& headers, const SourceRules& rules,
                                      std::vector<SourceFinding>& findings, Diagnostics& diags) override {
    auto object = command_->compile(source, headers, diags);
    Diagnostics said_already;
    if (object && !clang_->check(source, headers, rules, findings, said_already))
      return diags.error(source.name + suffix_of(source.language), {}, "was compiled, and cannot be checked");
    return object;
  }

  [[nodiscard]] std::string identity() const override { return clang_->identity(); }
  [[nodiscard]] std::string flags() const override { return clang_->flags(); }
  [[nodiscard]] std::vector<std::string> files_read() const override {
    std::vector<std::string> out = clang_->files_read();
    for (std::string& file : command_->files_read()) out.push_back(std::move(file));
    return out;
  }

 private:
  std::unique_ptr<CheckingCompiler> clang_;
  std::unique_ptr<ExternalCompiler> command_;
};

// The command that is this program as a compiler. By its name alone where the PATH has it: a server of distcc takes no
// other, and each looks for it in places of its own.
Result<std::string> compiler_command(Diagnostics& diags) {
  std::error_code failed;
  const fs::path beside = fs::read_symlink("/proc/self/exe", failed).parent_path() / kCompilerName;
  const std::string found = find_program(kCompilerName);
  if (!fs::exists(beside, failed)) {
    if (!found.empty()) return std::string(kCompilerName);
    return diags.error({}, "--compiler-launcher", std::string(kCompilerName) + " is not installed",
                       "nothing beside this program or on the PATH", "byoc's link of that name");
  }
  if (!found.empty() && fs::equivalent(found, beside, failed)) return std::string(kCompilerName);
  return beside.string();
}

// ccache is told which compiler it is: left to itself it goes by the file's time, which differs between machines, or
// reads all of it each time.
std::vector<std::string> compiler_check(const std::string& program) {
  constexpr const char* kCheck = "CCACHE_COMPILERCHECK";
  std::error_code failed;
  const bool is_this = fs::equivalent(find_program(program), "/proc/self/exe", failed);
  if (!is_this || std::getenv(kCheck) != nullptr) return {};
  return {std::string(kCheck) + "=string:" + identify_program()};
}

Toolchain clang_command(const std::string& program, const std::vector<std::string>& flags) {
  constexpr std::string_view kTarget = "--target=";
  Toolchain t;
  t.name = "clang";
  t.compile = {program};
  for (const std::string& f : flags) {
    if (f.starts_with(kTarget))  // distcc knows it in two words
      t.compile.insert(t.compile.end(), {"-target", f.substr(kTarget.size())});
    else
      t.compile.push_back(f);
  }
  for (const char* word : {"-O{opt}", "{flags}", "-fno-color-diagnostics", "-fno-caret-diagnostics",
                           "-ffile-prefix-map=./=", "-I.", "-c", "{source}", "-o", "{object}"})
    t.compile.emplace_back(word);
  t.debug.clear();  // among the flags
  t.has_gnu_options = true;
  return t;
}

Result<std::string> launcher_command(const std::string& launcher, Diagnostics& diags) {
  const std::string found = find_program(launcher);
  if (!found.empty()) return fs::absolute(found).string();
  return diags.error({}, "--compiler-launcher", launcher + " is not installed", "nothing on the PATH", "a program");
}

// The first line of a program's version output.
Result<std::string> version_of(const Toolchain& toolchain, const std::string& program, const TargetSpec& target,
                               Diagnostics& diags) {
  std::vector<std::string> argv{program};
  argv.insert(argv.end(), toolchain.version.begin(), toolchain.version.end());
  auto asked = run_process(argv, diags);
  if (!asked) return failure;
  std::string version = asked->output.substr(0, asked->output.find('\n'));
  if (asked->exit_code == 0 && !version.empty()) return version;
  std::string words;
  for (const std::string& w : toolchain.version) words += (words.empty() ? "" : " ") + w;
  return diags.error(program, target.name, "does not say its version when it is run with " + words,
                     "exit code " + std::to_string(asked->exit_code), "a version");
}

}  // namespace

Result<std::unique_ptr<Compiler>> make_external_compiler(const TargetSpec& target, const CompileOptions& options,
                                                         Toolchain toolchain, Diagnostics& diags) {
  const std::string program = find_program(toolchain.compile[0]);
  if (program.empty())
    return diags.error({}, target.name, toolchain.compile[0] + " is not installed", "nothing on the PATH",
                       toolchain.compile[0] == target.gnu_command ? package_hint(target, "compiler") : "a program");
  CompileOptions own = options;
  if (!own.launcher.empty()) {
    auto launcher = launcher_command(own.launcher, diags);
    if (!launcher) return failure;
    own.launcher = std::move(*launcher);
  }
  toolchain.compile[0] = fs::absolute(program).string();  // it is run in another folder
  auto version = version_of(toolchain, program, target, diags);
  if (!version) return failure;
  const std::string name = toolchain.name;
  auto compiler = std::make_unique<ExternalCompiler>(target, own, std::move(toolchain), std::move(*version));
  if (!options.probed && !probe(*compiler, name, target, diags)) return failure;
  return std::unique_ptr<Compiler>(std::move(compiler));
}

Result<std::unique_ptr<Compiler>> make_launched_clang(const TargetSpec& target, const CompileOptions& options,
                                                      Diagnostics& diags) {
  CompileOptions own = options;
  auto launcher = launcher_command(options.launcher, diags);
  const auto program = launcher ? compiler_command(diags) : failure;
  auto clang = program ? make_clang_compiler(target, options, diags) : failure;
  if (!clang) return failure;
  own.launcher = std::move(*launcher);
  own.defines.clear();  // among the flags
  Toolchain toolchain = clang_command(*program, (*clang)->driver_flags());
  toolchain.variables = compiler_check(*program);
  auto command = std::make_unique<ExternalCompiler>(target, own, std::move(toolchain), "");
  auto compiler = std::make_unique<LaunchedClang>(std::move(*clang), std::move(command));
  if (!probe(*compiler, options.launcher + " " + kCompilerName, target, diags)) return failure;
  return std::unique_ptr<Compiler>(std::move(compiler));
}

}  // namespace byoc::compile
