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
std::string command_of(const BatchRow& row, const std::string& byoc, const std::string& jobs) {
  std::string out = "mkdir -p " + shell_word(folder_of(row.output)) + " && " + shell_word(byoc);
  for (const std::string& a : arguments_of(row)) out += " " + shell_word(a);
  return out + " -q --depfile " + shell_word(depfile_of(row)) + jobs;
}

using Names = std::optional<std::string> (*)(std::string_view);

// The rows' outputs and models and the program, as a build file names them.
struct RowNames {
  std::string output, model, depfile;
};

Result<std::vector<RowNames>> names_of(std::span<const BatchRow> rows, Names name, const char* expected,
                                       Diagnostics& diags) {
  std::vector<RowNames> out;
  for (const BatchRow& row : rows) {
    RowNames names;
    for (const auto& [text, to] : {std::pair(row.output, &names.output), std::pair(row.model, &names.model),
                                   std::pair(depfile_of(row), &names.depfile)}) {
      const auto made = name(text);
      if (!made)
        return diags.error(row.model, row.name, "a build file cannot be told this name", "'" + text + "'", expected);
      *to = *made;
    }
    out.push_back(std::move(names));
  }
  return out;
}

Result<std::string> program_name(const std::string& byoc, Names name, const char* expected, Diagnostics& diags) {
  if (auto made = name(byoc)) return std::move(*made);
  return diags.error({}, "--emit", "a build file cannot be told the name of this program", "'" + byoc + "'", expected);
}

constexpr const char* kNinjaNames = "no end of a line and no '|'";

Result<std::string> ninja_text(std::span<const BatchRow> rows, const std::string& byoc, Diagnostics& diags) {
  const auto names = names_of(rows, ninja_path, kNinjaNames, diags);
  const auto program = program_name(byoc, ninja_path, kNinjaNames, diags);
  if (!names || !program) return failure;
  std::string out =
      "# Written by byoc batch.\nninja_required_version = 1.5\n\n"
      "rule export\n  command = $export\n  depfile = $out.d\n  deps = gcc\n  description = export $out\n\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += "build " + (*names)[i].output + ": export " + (*names)[i].model + " | " + *program +
           "\n  export = " + doubled_dollars(command_of(rows[i], byoc, " -j 1")) +
           "\n  depfile = " + doubled_dollars(depfile_of(rows[i])) + "\n";
  return out;
}

// '+': what it runs shares make's slots.
Result<std::string> make_text(std::span<const BatchRow> rows, const std::string& byoc, Diagnostics& diags) {
  const auto names = names_of(rows, make_name, kMakeNames, diags);
  const auto program = program_name(byoc, make_name, kMakeNames, diags);
  if (!names || !program) return failure;
  std::string out = "# Written by byoc batch.\n.DELETE_ON_ERROR:\n.PHONY: all\nall:";
  for (const RowNames& row : *names) out += " \\\n  " + row.output;
  out += "\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += "\n" + (*names)[i].output + ": " + (*names)[i].model + " " + *program + "\n\t+" +
           doubled_dollars(command_of(rows[i], byoc, "")) + "\n-include " + (*names)[i].depfile + "\n";
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
  if (form == "ninja") return ninja_text(rows, byoc, diags);
  if (form == "make") return make_text(rows, byoc, diags);
  return slurm_text(rows, byoc);
}

}  // namespace byoc::cli
