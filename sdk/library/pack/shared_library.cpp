#include "sdk/library/pack/shared_library.hpp"

#include <elf.h>

#include <filesystem>
#include <set>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/base/support/repeats.hpp"
#include "sdk/library/object/object_facts.hpp"

namespace byoc {
namespace {

std::string version_script(const std::vector<std::string>& visible) {
  std::string text = "{\n";
  if (!visible.empty()) {
    text += "global:\n";
    for (const std::string& v : visible) text += "  " + v + ";\n";
  }
  return text + "local:\n  *;\n};\n";
}

// Relative names, because linkers may write them into the library.
Result<std::vector<std::string>> write_members(const std::vector<ArchiveMember>& members, OutputSet& files,
                                               const std::string& directory) {
  std::vector<std::string> names;
  for (const ArchiveMember& m : members) {
    names.push_back(std::to_string(names.size()) + ".o");
    const auto put = [&](int fd) {
      const auto* bytes = std::get_if<std::vector<std::byte>>(&m.content);
      return bytes ? write_all(fd, *bytes) : std::get<ConstantObject>(m.content).write(fd);
    };
    if (!files.add(directory + "/" + names.back(), put)) return failure;
  }
  return names;
}

std::vector<std::string> link_command(const SharedLibraryRequest& request, const std::vector<std::string>& objects) {
  std::vector<std::string> argv{request.target.gnu_command};
  argv.insert(argv.end(), request.target.gnu_flags.begin(), request.target.gnu_flags.end());
  for (const char* a : {"-shared", "-Wl,--build-id=none", "-Wl,-z,now", "-Wl,-z,defs", "-Wl,-z,noexecstack",
                        "-Wl,--version-script=map"})
    argv.emplace_back(a);
  // In two words, for the name may have a comma.
  for (const std::string& a :
       {std::string("-Xlinker"), std::string("-soname"), std::string("-Xlinker"),
        std::filesystem::path(request.name).filename().string(), std::string("-o"), request.path})
    argv.push_back(a);
  argv.insert(argv.end(), objects.begin(), objects.end());
  for (const std::string& l : request.link_libraries) argv.push_back("-l" + l);
  argv.emplace_back("-lm");
  return argv;
}

// The symbols that GNU ld found nowhere.
std::set<std::string> missing_symbols(const std::string& errors) {
  constexpr std::string_view kSays = "undefined reference to `";
  std::set<std::string> out;
  for (std::size_t at = errors.find(kSays); at != std::string::npos; at = errors.find(kSays, at + 1)) {
    const std::size_t begin = at + kSays.size();
    if (const std::size_t end = errors.find('\'', begin); end != std::string::npos)
      out.insert(errors.substr(begin, end - begin));
  }
  return out;
}

// Whoever names a symbol that is nowhere; what else the linker says only where that explains nothing.
Failure link_error(const SharedLibraryRequest& request, const std::string& errors, Diagnostics& diags) {
  const std::set<std::string> missing = missing_symbols(errors);
  Repeats told;
  for (const ArchiveMember& m : request.members) {
    const auto* object = std::get_if<std::vector<std::byte>>(&m.content);
    const auto codegen = request.codegens.find(m.name);
    if (object == nullptr || codegen == request.codegens.end()) continue;
    Diagnostics ignored;
    const auto facts = read_object_facts(*object, m.name, ignored);
    if (!facts) continue;
    for (const std::string& symbol : facts->undefined)
      if (missing.contains(symbol))
        told.error_of(codegen->second, request.name, symbol, "names what nobody defines", m.name,
                      "a definition among its artifacts, or a link library that has one");
  }
  if (!told.has_errors()) return diags.error(request.name, {}, "cannot be linked: " + errors);
  told.tell(diags);
  return failure;
}

}  // namespace

Result<void> write_shared_library(const SharedLibraryRequest& request, Diagnostics& diags) {
  const TargetSpec& t = request.target;
  if (!t.hosted || !t.pic)
    return diags.error(request.name, t.name, "a shared library cannot be made for this target",
                       t.hosted ? "code for fixed addresses" : "bare metal",
                       "an operating system and position-independent code, as in host or aarch64-linux-gnu");
  if (!check_members(request.members, diags)) return failure;
  if (find_program(t.gnu_command).empty())
    return diags.error(request.name, t.name, "the compiler that links a shared library is not installed", {},
                       t.gnu_command);
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;
  OutputSet files(diags);
  auto objects = write_members(request.members, files, directory->path());
  if (!objects || !files.add(directory->path() + "/map", version_script(request.visible)) || !files.commit())
    return failure;
  auto result =
      run_process(link_command(request, *objects), diags, {.directory = directory->path(), .timeout_seconds = 600});
  if (!result) return failure;
  if (result->exit_code != 0) return link_error(request, result->errors, diags);
  auto linked = MappedFile::open(request.path, diags);
  if (!linked) return failure;
  auto facts = read_object_facts((*linked)->bytes(), request.name, diags);
  if (!facts) return failure;
  facts->type = ET_REL;  // what a target says of objects holds for what they are linked to
  return check_object(*facts, t, request.name, diags);
}

}  // namespace byoc
