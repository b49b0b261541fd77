#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sdk/compile/clang_compiler.hpp"
#include "sdk/object/object_facts.hpp"
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

class GnuCompiler : public Compiler {
 public:
  GnuCompiler(const TargetSpec& target, const CompileOptions& options, std::string program, std::string version)
      : target_(target), options_(options), program_(std::move(program)), version_(std::move(version)) {
    flags_ = target.gnu_flags;
    if (target.pic) flags_.emplace_back("-fPIC");
    for (const std::string& f : language_flags(options)) flags_.push_back(f);
  }

  Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) override {
    auto directory = TemporaryDirectory::create(diags);
    if (!directory) return failure;
    const fs::path root = directory->path();
    const std::string file = source.name + ".c";
    if (!write_file(root / file, source.text, diags)) return failure;
    for (const auto& [name, text] : headers)
      if (!write_file(root / name, text, diags)) return failure;

    std::vector<std::string> argv{program_};
    argv.insert(argv.end(), flags_.begin(), flags_.end());
    argv.push_back("-O" + (source.opt_level.empty() ? options_.opt_level : source.opt_level));
    if (!source.standard.empty()) argv.push_back("-std=" + source.standard);
    for (const std::string& d : source.include_directories) argv.push_back("-I" + d);
    // Relative names, a mapped folder and a fixed seed: the object does not depend on where it was made.
    for (const std::string& a :
         {"-ffile-prefix-map=" + root.string() + "=.", "-frandom-seed=" + source.name, std::string("-I."),
          std::string("-fdiagnostics-color=never"), std::string("-fno-diagnostics-show-caret")})
      argv.push_back(a);
    if (!source.directory.empty()) {
      argv.emplace_back("-iquote");
      argv.push_back(fs::absolute(source.directory).string());
    }
    for (const std::string& a : {std::string("-c"), file, std::string("-o"), std::string("out.o")}) argv.push_back(a);
    ProcessOptions process;
    process.directory = root.string();
    auto result = run_process(argv, diags, process);
    if (!result) return failure;
    const std::size_t before = diags.all().size();
    report(result->errors, diags);
    if (result->exit_code != 0) {
      const auto& all = diags.all();
      const bool told = std::any_of(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
                                    [](const Diagnostic& d) { return d.level == Level::error; });
      if (!told)
        diags.error(file, {}, target_.gnu_command + " failed with exit code " + std::to_string(result->exit_code),
                    result->errors.substr(0, 500), "an object");
      return failure;
    }
    auto text = read_text((root / "out.o").string(), diags);
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

  [[nodiscard]] std::string identity() const override { return target_.gnu_command + " " + version_; }
  [[nodiscard]] std::string flags() const override {
    std::string out;
    for (const std::string& f : flags_) out += (out.empty() ? "" : " ") + f;
    return out;
  }
  [[nodiscard]] std::vector<std::string> files_read() const override { return {}; }

 private:
  TargetSpec target_;
  CompileOptions options_;
  std::string program_;
  std::string version_;
  std::vector<std::string> flags_;
};

// A compiler's name promises nothing: arm-none-eabi-gcc makes objects for every Arm core and float convention. So a
// small file is compiled, with an enum and a float argument in it, and the object is asked what it is.
Result<void> probe(Compiler& compiler, const TargetSpec& target, Diagnostics& diags) {
  const Source source{.name = "probe",
                      .text =
                          "enum probe_kind { probe_one };\n"
                          "double probe(enum probe_kind kind, double x);\n"
                          "double probe(enum probe_kind kind, double x) { return kind == probe_one ? x : 2 * x; }\n"};
  auto object = compiler.compile(source, {}, diags);
  if (!object) return failure;
  auto facts = read_object_facts(*object, target.gnu_command, diags);
  if (!facts) return failure;
  return check_object(*facts, target, target.gnu_command, diags);
}

}  // namespace

Result<std::unique_ptr<Compiler>> make_gnu_compiler(const TargetSpec& target, const CompileOptions& options,
                                                    Diagnostics& diags) {
  const std::string program = find_program(target.gnu_command);
  if (program.empty())
    return diags.error({}, target.name, target.gnu_command + " is not installed", "nothing on the PATH",
                       package_hint(target, "compiler"));
  auto asked = run_process({program, "-dumpfullversion"}, diags);
  if (!asked) return failure;
  std::string version = asked->output.substr(0, asked->output.find('\n'));
  if (asked->exit_code != 0 || version.empty())
    return diags.error(program, target.name, "is not a GNU compiler: it does not answer -dumpfullversion",
                       "exit code " + std::to_string(asked->exit_code), "a version");
  auto compiler = std::make_unique<GnuCompiler>(target, options, program, version);
  if (!probe(*compiler, target, diags)) return failure;
  return std::unique_ptr<Compiler>(std::move(compiler));
}

}  // namespace byoc::compile
