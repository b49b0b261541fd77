#include "sdk/export/pack_imports.hpp"

#include <algorithm>
#include <filesystem>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/object/encoded_constants.hpp"

namespace byoc {
namespace {

constexpr const char* kOption = "--pack-imports";
constexpr std::size_t kMostText = 2000;  // of what a command says

// Words as a shell sees them, without anything else of a shell: blanks part words, quotes keep them together.
Result<std::vector<std::string>> words_of(const std::string& command, Diagnostics& diags) {
  std::vector<std::string> words;
  bool open = false;
  char quote = 0;
  for (const char c : command) {
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && blank) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  if (quote != 0) return diags.error({}, kOption, "the command has a quote that is not closed", command);
  if (words.empty()) return diags.error({}, kOption, "the command is empty");
  return words;
}

bool any_mentions(const std::vector<std::string>& words, const std::string& what) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& w) { return w.find(what) != std::string::npos; });
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

class Command {
 public:
  Command(const ConstantObject& promised, const TargetSpec& target, Diagnostics& diags)
      : promised_(promised), target_(target), diags_(diags) {}

  // The name is for what is said of the object.
  Result<std::vector<std::byte>> run(const std::string& command, std::string& name) {
    auto words = words_of(command, diags_);
    if (!words || !check(*words, command)) return failure;
    name = (*words)[0];
    const std::string program = find_program(name);
    if (program.empty()) return diags_.error({}, kOption, "the program is not there", name, "a program, or its path");
    (*words)[0] = program;
    auto folder = TemporaryDirectory::create(diags_);
    if (!folder || !write_constants(folder->path())) return failure;
    const std::string output = folder->path() + "/constants.o";
    for (std::size_t i = 1; i < words->size(); ++i) {
      std::string& word = (*words)[i];
      replace(word, "{target}", target_.name);
      replace(word, "{triple}", target_.triple);
      replace(word, "{constants}", folder->path() + "/constants.txt");
      replace(word, "{output}", output);
    }
    auto result = run_process(*words, diags_);
    if (!result) return failure;
    if (result->exit_code != 0)
      return diags_.error({}, kOption, "'" + command + "' failed: " + said(*result),
                          "exit code " + std::to_string(result->exit_code), "exit code 0");
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(output, ignored))
      return diags_.error({}, kOption, "'" + command + "' ended well and wrote no object", "nothing", "{output}");
    auto text = read_text(output, diags_);
    if (!text) return failure;
    const auto bytes = std::as_bytes(std::span(*text));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }

 private:
  bool check(const std::vector<std::string>& words, const std::string& command) {
    for (const char* needed : {"{constants}", "{output}"})
      if (!any_mentions(words, needed)) {
        diags_.error({}, kOption, "the command does not say where the file goes", command, needed);
        return false;
      }
    return true;
  }

  // A line for each symbol, the bytes in files.
  Result<void> write_constants(const std::string& folder) {
    OutputSet files(diags_);
    std::string list;
    for (std::size_t i = 0; i < promised_.contents().size(); ++i)
      if (!files.add(blob(folder, i), [&](int fd) { return write_blob(fd, promised_.contents()[i].bytes); }))
        return failure;
    for (const ConstantObject::Place& p : promised_.places())
      list += blob(folder, p.content) + "\t" + p.symbol + "\t" + p.section + "\t" + std::to_string(p.align) + "\t" +
              std::to_string(p.size) + "\t" + (p.global ? "global" : "local") + "\n";
    if (!files.add(folder + "/constants.txt", list)) return failure;
    return files.commit();
  }

  static std::string blob(const std::string& folder, std::size_t content) {
    return folder + "/" + std::to_string(content) + ".bin";
  }

  static std::string said(const ProcessResult& result) {
    std::string text = result.errors.empty() ? result.output : result.errors;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (text.size() > kMostText) text = "... " + text.substr(text.size() - kMostText);
    return text.empty() ? "it said nothing" : text;
  }

  const ConstantObject& promised_;
  const TargetSpec& target_;
  Diagnostics& diags_;
};

Result<std::vector<std::byte>> call(const PackImports& function, const ConstantObject& promised,
                                    const TargetSpec& target, Diagnostics& diags) {
  std::vector<PackedConstant> constants;
  for (const ConstantObject::Place& p : promised.places())
    constants.push_back({p.symbol, p.section, p.align, p.global, promised.contents()[p.content].bytes.bytes()});
  const std::size_t before = diags.count();
  auto object = function(constants, target, diags);
  if (!object && diags.count() == before) return diags.error({}, kOption, "the function failed without a word");
  return object;
}

}  // namespace

Result<ConstantObject> pack_imports(const ConstantObject& promised, const TargetSpec& target,
                                    const ConstantEncoding& encoding, Diagnostics& diags) {
  std::string name = "the object of --pack-imports";
  auto object = encoding.function ? call(encoding.function, promised, target, diags)
                                  : Command(promised, target, diags).run(encoding.command, name);
  if (!object) return failure;
  return take_encoded(promised, std::move(*object), target, name, diags);
}

}  // namespace byoc
