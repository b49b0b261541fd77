#include "sdk/app/project/project.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "sdk/app/project/project_files.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/nearest.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/run/simulate/firmware.hpp"
#include "sdk/run/simulate/link.hpp"
#include "sdk/target/target/chip_start.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::project {
namespace {

namespace fs = std::filesystem;

// A text of the project: as it is, or with the fields of the project where its name ends in ".in".
struct ProjectText {
  std::string_view source, path;
};
constexpr ProjectText kTexts[] = {
    {"CMakeLists.txt.in", "CMakeLists.txt"},
    {"README.md.in", "README.md"},
    {"AGENTS.md.in", "AGENTS.md"},
    {"gitignore", ".gitignore"},
    {"main.c.in", "main.c"},
    {"board.c", "board/board.c"},
    {"console.h", "board/console.h"},
    {"port.c", "board/port.c"},
    {"memory.ld.in", "board/memory.ld"},
    {"board_debug.gdb.in", "board/debug.gdb"},
    {"semihosting.c", "qemu/port.c"},
    {"qemu_debug.gdb.in", "qemu/debug.gdb"},
};

constexpr const char* kLicence = "/* SPDX-License-Identifier: Apache-2.0 */\n";

std::string_view text_of(EmbeddedFiles files, std::string_view name) {
  return std::ranges::find(files, name, &std::pair<std::string_view, std::string_view>::first)->second;
}

// The name in the project: that of the model in C, so that it is no trouble to any tool.
std::string model_file(const ProjectRequest& request) {
  std::string suffix = fs::path(request.model).extension().string();
  const bool is_plain = suffix.size() > 1 && std::all_of(suffix.begin() + 1, suffix.end(),
                                                         [](unsigned char c) { return std::isalnum(c) != 0; });
  return request.interface.prefix + (is_plain ? suffix : ".model");
}

// External data of the model, relative to its folder, where it has to be found.
std::vector<std::string> data_files(const ProjectRequest& request) {
  const fs::path model = fs::weakly_canonical(request.model), folder = model.parent_path();
  std::vector<std::string> out;
  for (const std::string& file : request.files_read) {
    const fs::path relative = fs::weakly_canonical(file).lexically_relative(folder);
    if (!relative.empty() && *relative.begin() != ".." && folder / relative != model) out.push_back(relative.string());
  }
  return out;
}

Result<void> check_interface(const ProjectRequest& request, const TargetSpec& target, Diagnostics& diags) {
  const ModelInterface& m = request.interface;
  if (!m.further_workspaces.empty() || !m.devices.empty() || m.bound_bytes != 0)
    return diags.error(request.model, m.name, "the program of a new project cannot run this model",
                       "devices, or memory beside one workspace", "byoc export, and a program of your own");
  const std::uint64_t needed = ram_of(m, request.sizes);
  if (needed <= request.board.ram) return {};
  return diags.error(
      request.model, m.name, "the program does not fit the RAM of '" + target.name + "'",
      std::to_string(needed) + " bytes with inputs, outputs and a stack of " + std::to_string(stack_of(request.sizes)),
      std::to_string(request.board.ram) + " bytes at most");
}

// Adds files to the set and keeps their names.
class Writer {
 public:
  Writer(const ProjectRequest& request, OutputSet& files) : folder_(request.folder), files_(files) {}

  Result<void> add(const std::string& name, std::string_view text) {
    return prepare(name) && files_.add(folder_ + "/" + name, text) ? Result<void>() : failure;
  }
  Result<void> copy(const std::string& from, const std::string& name, Diagnostics& diags) {
    const auto mapped = MappedFile::open(from, diags);
    if (!mapped || !prepare(name)) return failure;
    const Blob blob = Blob::map(*mapped, 0, (*mapped)->bytes().size());
    return files_.add(folder_ + "/" + name, [&](int fd) { return write_blob(fd, blob); });
  }
  std::vector<std::string> names;

 private:
  Result<void> prepare(const std::string& name) {
    names.push_back(name);
    return files_.make_folder_of(folder_ + "/" + name);
  }
  std::string folder_;
  OutputSet& files_;
};

Result<void> add_texts(const ProjectRequest& request, const TargetSpec& target, const Machine& machine,
                       Writer& writer) {
  const Scope scope =
      project_scope({request.board, target, machine, request.interface, request.sizes, model_file(request)});
  for (const auto& [source, path] : kTexts) {
    const std::string text = source.ends_with(".in") ? render(project_templates(), source, {&scope})
                                                     : std::string(text_of(project_templates(), source));
    if (!writer.add(std::string(path), text)) return failure;
  }
  const auto firmware = [](std::string_view name) { return kLicence + std::string(text_of(firmware_files(), name)); };
  return writer.add("board/startup.S", firmware(machine.sources.front())) &&
                 writer.add("board/sections.ld", firmware("firmware.ld")) &&
                 writer.add("qemu/memory.ld", kLicence + memory_script(machine, machine.placements.front(), true)) &&
                 writer.add("toolchain.cmake", text_of(toolchain_files(), request.board.target + ".cmake"))
             ? Result<void>()
             : failure;
}

// A core is known, and the simulator's board has it.
const Chip* board_with_core(const std::string& name) {
  const auto core = std::ranges::find(known_targets(), name, &TargetSpec::name);
  if (core == known_targets().end()) return nullptr;
  const Chip* board = find_chip(core->simulator);
  return board != nullptr && board->target == name ? board : nullptr;
}

Failure no_board(const std::string& name, Diagnostics& diags) {
  std::vector<std::string> names;
  for (const Chip& c : chips()) names.push_back(c.name);
  const Chip* simulated = board_with_core(name);
  return diags.error({}, "--board", "no board or chip has this name" + did_you_mean(name, names), "'" + name + "'",
                     simulated == nullptr
                         ? "one of the second table of byoc targets"
                         : "one with this core, as " + simulated->name + ", or another of byoc targets");
}

}  // namespace

Result<const Chip*> find_board(const std::string& name, Diagnostics& diags) {
  const Chip* board = find_chip(name);
  if (board == nullptr) return no_board(name, diags);
  const ChipStart& start = chip_start(*board);
  if (start.obstacle.empty()) return board;
  const std::string& chip = board->chip.empty() ? board->name : board->chip;
  const std::string way =
      start.form.empty() ? "--board " + chip + ", whose firmware takes the whole flash"
                         : "a project of the maker's SDK, with a library: byoc export MODEL --target " + board->name +
                               " -o m/, then byoc pack --as " + std::string(start.form) + " m/ -o package/";
  return diags.error({}, "--board", "byoc writes no project for this board: " + std::string(start.obstacle),
                     "'" + name + "'", way);
}

Result<void> check_folder(const std::string& folder, Diagnostics& diags) {
  std::error_code failed;
  if (!fs::exists(folder, failed)) return {};
  if (!fs::is_directory(folder, failed))
    return diags.error(folder, {}, "a project is a folder, and nothing that is there is replaced", "a file",
                       "the name of a folder that is empty or not there");
  if (fs::is_empty(folder, failed)) return {};
  return diags.error(folder, {}, "nothing that is there is replaced", "a folder with files",
                     "one that is empty or not there");
}

Result<std::vector<std::string>> write_project(const ProjectRequest& request, Diagnostics& diags) {
  const TargetSpec target = chip_target(request.board);
  const auto machine = machine_for(target, diags);
  if (!machine || !check_interface(request, target, diags)) return failure;
  const std::vector<std::string> inputs{request.model};
  OutputSet files(diags, stamps_of(inputs));
  Writer writer(request, files);
  if (!add_texts(request, target, *machine, writer) ||
      !writer.copy(request.model, "model/" + model_file(request), diags))
    return failure;
  const fs::path from = fs::path(request.model).parent_path();
  for (const std::string& data : data_files(request))
    if (!writer.copy((from / data).string(), "model/" + data, diags)) return failure;
  if (!files.commit()) return failure;
  return writer.names;
}

}  // namespace byoc::project
