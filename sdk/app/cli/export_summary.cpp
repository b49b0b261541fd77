#include "sdk/app/cli/export_summary.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

#include "sdk/base/page/text.hpp"
#include "sdk/base/support/quoting.hpp"
#include "sdk/library/pack/companions.hpp"

namespace byoc::cli {
namespace {

namespace fs = std::filesystem;
using page::grouped;

std::uint64_t bytes_of(std::span<const IoTensor> tensors) {
  std::uint64_t sum = 0;
  for (const IoTensor& t : tensors) sum += t.bytes;
  return sum;
}

std::string pools_text(const ModelInterface& m) {
  std::string out;
  for (const PoolWorkspace& w : m.further_workspaces)
    out += "       of it in " + w.pool + " " + grouped(w.bytes) + ": workspace_" + w.field + " of " + m.prefix +
           "_run(), aligned to " + std::to_string(w.align) + "\n";
  if (m.instance_place)
    out += "       of it in " + m.instance_place->pool + " " + grouped(m.instance_bytes) + ": " + m.prefix +
           "_instance_t, aligned to " + std::to_string(m.instance_align) + "\n";
  return out;
}

std::string stack_text(const StackBound& stack) {
  if (stack.bytes == 0) return {};
  return ", stack " + grouped(stack.bytes) + " at most";
}

struct Size {
  std::uint64_t bytes = 0;
  std::size_t files = 0;  // of a folder
};

Size size_of(const std::string& path) {
  std::error_code failed;
  Size out;
  if (!fs::is_directory(path, failed)) {
    const auto bytes = fs::file_size(path, failed);
    return {failed ? 0 : bytes, 0};
  }
  for (auto i = fs::recursive_directory_iterator(path, failed); !failed && i != fs::end(i); i.increment(failed)) {
    std::error_code ignored;
    if (!i->is_regular_file(ignored)) continue;
    out.bytes += i->file_size(ignored);
    ++out.files;
  }
  return out;
}

// Newlib leaves what an operating system does to the board. Its stand-ins are enough to link the example.
bool wants_stand_ins(const TargetSpec& target) {
  const auto names_a_library = [](const std::string& flag) { return flag.starts_with("--specs="); };
  return target.triple.find("-none-") != std::string::npos && std::ranges::none_of(target.gnu_flags, names_a_library);
}

std::string link_text(const std::string& out, const TargetSpec& target, const ModelInterface& model,
                      const LibrarySizes& sizes) {
  ShellText text = "link   " + shell_word(target.gnu_command);
  for (const std::string& f : target.gnu_flags) text += " " + shell_word(f);
  if (wants_stand_ins(target)) text += " --specs=nosys.specs";
  text += " " + shell_word(companions_of(out, model.prefix, false).example) + " " + shell_word(out);
  for (const std::string& l : sizes.link_libraries) text += " " + shell_word("-l" + l);
  const bool is_linux = target.triple.find("-linux-") != std::string::npos;
  text += " -o " + shell_word(fs::path(out).replace_extension(is_linux ? "" : ".elf").string()) + "\n";
  return text.text();
}

bool is_linked(const std::string& out) { return out.ends_with(".a") || out.ends_with(".o") || out.ends_with(".so"); }

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

}  // namespace

std::string memory_text(const ModelInterface& m, const LibrarySizes& sizes) {
  std::string out;
  if (sizes.flash.total() != 0)
    out += "flash  code " + grouped(sizes.flash.code) + ", constants " + grouped(sizes.flash.constants) +
           " (weights of the model " + grouped(m.weight_bytes) + "): " + grouped(sizes.flash.total()) + " bytes\n";
  if (m.bound_bytes != 0) out += "       weights in a file of their own " + grouped(m.bound_bytes) + " bytes\n";
  const std::uint64_t inputs = bytes_of(m.inputs), outputs = bytes_of(m.outputs);
  const std::uint64_t total = m.all_workspace_bytes() + m.instance_bytes + inputs + outputs + sizes.stack.bytes;
  out += "RAM    workspace " + grouped(m.all_workspace_bytes()) + " (lower bound " + grouped(m.workspace_lower_bound) +
         ")" + (m.instance_bytes == 0 ? "" : ", instance " + grouped(m.instance_bytes)) + ", inputs " +
         grouped(inputs) + ", outputs " + grouped(outputs) + stack_text(sizes.stack) + ": " + grouped(total) +
         " bytes\n";
  return out + pools_text(m);
}

std::string files_text(const std::vector<std::string>& paths) {
  std::size_t width = 0;
  for (const std::string& p : paths) width = std::max(width, p.size());
  std::string out;
  for (const std::string& p : paths) {
    const Size size = size_of(p);
    out += (out.empty() ? "wrote  " : "       ") + padded(p, width) + "  " + grouped(size.bytes) + " bytes" +
           (size.files == 0 ? "" : " in " + std::to_string(size.files) + " files") + "\n";
  }
  return out;
}

std::string commands_text(const std::string& out, const SaidTarget& target, const ModelInterface& model,
                          const LibrarySizes& sizes) {
  const TargetSpec& spec = target.target;
  std::string text;
  if (is_linked(out) && !spec.gnu_command.empty()) text += link_text(out, spec, model, sizes);
  // Weights of their own are in no library that could be run.
  if (!spec.simulator.empty() && model.bound_bytes == 0)
    text += "run    byoc run " + shell_word(out).text() +
            (target.said.empty() ? "" : " --target " + shell_word(target.said).text()) + "\n";
  return text;
}

std::string debug_sources(const std::string& out) {
  if (!is_linked(out)) return {};
  return fs::path(out).replace_filename(fs::path(out).stem().string() + "_sources").string() + "/";
}

std::string debugger_text(const std::string& out, const std::string& sources) {
  if (!is_linked(out)) return {};
  return "gdb    gdb -ex " + shell_word("directory " + (fs::path(sources) / "src").string()).text() + " PROGRAM\n";
}

}  // namespace byoc::cli
