#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sdk/compile/compilers.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/process.hpp"

namespace byoc::compile {
namespace {

namespace fs = std::filesystem;

bool write_file(const fs::path& path, std::string_view text, Diagnostics& diags) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
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

class ExternalCompiler : public Compiler {
 public:
  ExternalCompiler(const TargetSpec& target, const CompileOptions& options, Toolchain toolchain, std::string version)
      : target_(target), options_(options), toolchain_(std::move(toolchain)), version_(std::move(version)) {}

  Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) override {
    auto directory = TemporaryDirectory::create(diags);
    if (!directory) return failure;
    const fs::path root = directory->path();
    const std::string file = source.name + suffix_of(source.language);
    if (!write_file(root / file, assembly_attributes(source) + source.text, diags)) return failure;
    for (const auto& [name, text] : headers)
      if (!write_file(root / name, text, diags)) return failure;
    ProcessOptions process;
    process.directory = root.string();
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
    const auto* bytes = reinterpret_cast<const std::byte*>(text->data());
    return ObjectBytes(bytes, bytes + text->size());
  }

  // What Clang cannot parse, it cannot check; GNU's compiler has the last word on that.
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
  [[nodiscard]] std::vector<std::string> files_read() const override { return {}; }

 private:
  static constexpr const char* kObject = "out.o";

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
    if (options_.debug_info && !toolchain_.debug.empty()) out.push_back(toolchain_.debug);
    // What Clang and GCC understand alike; a compiler that is described has words of its own for it.
    if (toolchain_.name == target_.gnu_command)
      for (std::string& f : flags_of_source(source)) out.push_back(std::move(f));
    else
      out.insert(out.end(), source.flags.begin(), source.flags.end());
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
};

// What a program says of its version, the first line of it.
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
    own.launcher = find_program(options.launcher);
    if (own.launcher.empty())
      return diags.error({}, "--compiler-launcher", options.launcher + " is not installed", "nothing on the PATH",
                         "a program");
    own.launcher = fs::absolute(own.launcher).string();
  }
  toolchain.compile[0] = fs::absolute(program).string();  // it is run in another folder
  auto version = version_of(toolchain, program, target, diags);
  if (!version) return failure;
  const std::string name = toolchain.name;
  auto compiler = std::make_unique<ExternalCompiler>(target, own, std::move(toolchain), std::move(*version));
  if (!probe(*compiler, name, target, diags)) return failure;
  return std::unique_ptr<Compiler>(std::move(compiler));
}

}  // namespace byoc::compile
