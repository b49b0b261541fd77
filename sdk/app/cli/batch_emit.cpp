#include "sdk/app/cli/batch_emit.hpp"

#include <filesystem>

namespace byoc::cli {
namespace {

// A word for a POSIX shell.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string{c};
  return out + "'";
}

std::string folder_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

std::string depfile_of(const BatchRow& row) { return row.output + ".d"; }

// The export as a line of shell. With a slot of its own in make's or ninja's count of jobs, it takes no other.
std::string command_of(const BatchRow& row, const std::string& byoc, const std::string& jobs) {
  std::string out = "mkdir -p " + shell_word(folder_of(row.output)) + " && " + shell_word(byoc);
  for (const std::string& a : arguments_of(row)) out += " " + shell_word(a);
  return out + " -q --depfile " + shell_word(depfile_of(row)) + jobs;
}

std::string escaped(const std::string& text, std::string_view special, const char* with) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += with;
    out += c;
  }
  return out;
}

std::string dollars(const std::string& text) { return escaped(text, "$", "$"); }

// Escapes a path in a build line: https://ninja-build.org/manual.html#ref_lexer
std::string ninja_path(const std::string& path) { return escaped(path, "$ :", "$"); }

std::string ninja_text(std::span<const BatchRow> rows, const std::string& byoc) {
  std::string out =
      "# Written by byoc batch.\nninja_required_version = 1.5\n\n"
      "rule export\n  command = $export\n  depfile = $out.d\n  deps = gcc\n  description = export $out\n\n";
  for (const BatchRow& row : rows)
    out += "build " + ninja_path(row.output) + ": export " + ninja_path(row.model) + " | " + ninja_path(byoc) +
           "\n  export = " + dollars(command_of(row, byoc, " -j 1")) + "\n  depfile = " + dollars(depfile_of(row)) +
           "\n";
  return out;
}

std::string make_path(const std::string& path) { return escaped(dollars(path), " #\t\\:", "\\"); }

// '+': what it runs shares make's slots.
std::string make_text(std::span<const BatchRow> rows, const std::string& byoc) {
  std::string out = "# Written by byoc batch.\n.DELETE_ON_ERROR:\n.PHONY: all\nall:";
  for (const BatchRow& row : rows) out += " \\\n  " + make_path(row.output);
  out += "\n";
  for (const BatchRow& row : rows)
    out += "\n" + make_path(row.output) + ": " + make_path(row.model) + " " + make_path(byoc) + "\n\t+" +
           dollars(command_of(row, byoc, "")) + "\n-include " + make_path(depfile_of(row)) + "\n";
  return out;
}

// sbatch runs it once for each row, on whatever node is free; without sbatch it takes the row's number as its argument.
std::string slurm_text(std::span<const BatchRow> rows, const std::string& byoc) {
  std::string out = "#!/bin/bash\n# Written by byoc batch.\n#SBATCH --job-name=byoc\n#SBATCH --array=0-" +
                    std::to_string(rows.size() - 1) +
                    "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\nset -eu\n\n"
                    "case \"${SLURM_ARRAY_TASK_ID:-${1:?the number of a row}}\" in\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += "  " + std::to_string(i) + ")\n    " + command_of(rows[i], byoc, "") + "\n    ;;\n";
  return out + "  *)\n    echo \"there are rows 0 to " + std::to_string(rows.size() - 1) +
         "\" >&2\n    exit 2\n    ;;\nesac\n";
}

}  // namespace

Result<std::string> emit_batch(const std::string& form, std::span<const BatchRow> rows, const std::string& byoc,
                               Diagnostics& diags) {
  for (const BatchRow& row : rows)
    for (const std::string& a : arguments_of(row))
      if (a.find('\n') != std::string::npos)
        return diags.error(row.model, row.name, "the end of a line cannot stand in a build file", "'" + a + "'");
  if (form == "ninja") return ninja_text(rows, byoc);
  return form == "make" ? make_text(rows, byoc) : slurm_text(rows, byoc);
}

}  // namespace byoc::cli
