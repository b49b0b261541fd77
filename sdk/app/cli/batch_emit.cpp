#include "sdk/app/cli/batch_emit.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "sdk/base/support/quoting.hpp"

namespace byoc::cli {
namespace {

std::string folder_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

std::string depfile_of(const BatchRow& row) { return row.output + ".d"; }

// The export as a line of shell. With a slot of its own in make's or ninja's count of jobs, it takes no other.
ShellText command_of(const BatchRow& row, const std::string& byoc) {
  ShellText out = ShellText("mkdir -p ") + shell_word(folder_of(row.output)) + " && " + shell_word(byoc);
  for (const std::string& a : arguments_of(row)) out += " " + shell_word(a);
  return out + " -q --depfile " + shell_word(depfile_of(row));
}

// The rows' outputs and models, as a build file names them.
template <class Text>
struct RowNames {
  Text output, model, depfile, command;
};

// How a language of build files is told names and commands.
template <class Text>
struct Spelling {
  std::optional<Text> (*name)(std::string_view);
  std::optional<Text> (*depfile)(std::string_view);
  std::optional<Text> (*command)(const ShellText&);
  Literal behind;  // the command
  const char* expected;
};

template <class Text>
Result<std::vector<RowNames<Text>>> names_of(std::span<const BatchRow> rows, const std::string& byoc,
                                             const Spelling<Text>& as, Diagnostics& diags) {
  std::vector<RowNames<Text>> out;
  for (const BatchRow& row : rows) {
    const auto told = [&](const auto& made, const std::string& text, Text& to) {
      if (made) return to = *made, true;
      diags.error(row.model, row.name, "a build file cannot be told this name", "'" + text + "'", as.expected);
      return false;
    };
    RowNames<Text> names;
    if (!told(as.name(row.output), row.output, names.output) || !told(as.name(row.model), row.model, names.model) ||
        !told(as.depfile(depfile_of(row)), depfile_of(row), names.depfile) ||
        !told(as.command(command_of(row, byoc) + as.behind), row.output, names.command))
      return failure;
    out.push_back(std::move(names));
  }
  return out;
}

template <class Text>
Result<Text> program_name(const std::string& byoc, const Spelling<Text>& as, Diagnostics& diags) {
  if (auto made = as.name(byoc)) return std::move(*made);
  return diags.error({}, "--emit", "a build file cannot be told the name of this program", "'" + byoc + "'",
                     as.expected);
}

Result<std::string> ninja_text(std::span<const BatchRow> rows, const std::string& byoc, Diagnostics& diags) {
  const Spelling<NinjaText> as{ninja_path, ninja_value, ninja_value, " -j 1", "no end of a line and no '|'"};
  const auto names = names_of(rows, byoc, as, diags);
  const auto program = program_name(byoc, as, diags);
  if (!names || !program) return failure;
  NinjaText out(
      "# Written by byoc batch.\nninja_required_version = 1.5\n\n"
      "rule export\n  command = $export\n  depfile = $out.d\n  deps = gcc\n  description = export $out\n\n");
  for (const auto& row : *names)
    out += "build " + row.output + ": export " + row.model + " | " + *program + "\n  export = " + row.command +
           "\n  depfile = " + row.depfile + "\n";
  return out.text();
}

// '+': what it runs shares make's slots.
Result<std::string> make_text(std::span<const BatchRow> rows, const std::string& byoc, Diagnostics& diags) {
  const Spelling<MakeText> as{make_name, make_name, make_recipe, "", kMakeNames};
  const auto names = names_of(rows, byoc, as, diags);
  const auto program = program_name(byoc, as, diags);
  if (!names || !program) return failure;
  MakeText out("# Written by byoc batch.\n.DELETE_ON_ERROR:\n.PHONY: all\nall:");
  for (const auto& row : *names) out += " \\\n  " + row.output;
  out += "\n";
  for (const auto& row : *names)
    out += "\n" + row.output + ": " + row.model + " " + *program + "\n\t+" + row.command + "\n-include " + row.depfile +
           "\n";
  return out.text();
}

// sbatch runs it once for each row, on whatever node is free; without sbatch it takes the row's number as its argument.
std::string slurm_text(std::span<const BatchRow> rows, const std::string& byoc) {
  ShellText out("#!/bin/bash\n# Written by byoc batch.\n#SBATCH --job-name=byoc\n#SBATCH --array=0-");
  out += ShellText::number(rows.size() - 1) +
         "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\nset -eu\n\n"
         "case \"${SLURM_ARRAY_TASK_ID:-${1:?the number of a row}}\" in\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += "  " + ShellText::number(i) + ")\n    " + command_of(rows[i], byoc) + "\n    ;;\n";
  out += "  *)\n    echo \"there are rows 0 to " + ShellText::number(rows.size() - 1) +
         "\" >&2\n    exit 2\n    ;;\nesac\n";
  return out.text();
}

}  // namespace

Result<std::string> emit_batch(const std::string& form, std::span<const BatchRow> rows, const std::string& byoc,
                               Diagnostics& diags) {
  for (const BatchRow& row : rows)
    for (const std::string& a : arguments_of(row))
      if (a.find('\n') != std::string::npos)
        return diags.error(row.model, row.name, "the end of a line cannot stand in a build file", "'" + a + "'");
  if (form == "ninja") return ninja_text(rows, byoc, diags);
  if (form == "make") return make_text(rows, byoc, diags);
  return slurm_text(rows, byoc);
}

}  // namespace byoc::cli
