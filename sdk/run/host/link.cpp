#include <dlfcn.h>
#include <link.h>

#include <array>
#include <filesystem>

#include "sdk/base/support/output_set.hpp"
#include "sdk/library/compile/link_objects.hpp"
#include "sdk/run/host/loadable.hpp"

namespace byoc::runtime {
namespace {

// C's own, and what compilers call by themselves.
constexpr std::array kAlwaysThere{"libm.so.6", "libc.so.6", "libgcc_s.so.1"};

// The path at which the dynamic linker finds a library; "" if it does not.
std::string place_of_library(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return {};
  link_map* map = nullptr;
  std::string out;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) out = map->l_name;
  ::dlclose(handle);
  return out;
}

// The library's inputs for the linker, with its carried objects as files.
Result<std::vector<std::string>> inputs_of(const Loadable& library, Diagnostics& diags) {
  std::vector<std::string> out = library.parts.inputs;
  OutputSet files(diags);
  for (const std::span<const std::byte> object : library.parts.carried) {
    out.push_back(library.directory->path() + "/carried_" + std::to_string(out.size()) + ".o");
    if (!files.add(out.back(), [&](int fd) { return write_all(fd, object); })) return failure;
  }
  if (!files.commit()) return failure;
  return out;
}

// Shared libraries that are needed besides those that are given.
Result<std::vector<std::string>> needed(const Loadable& library, const std::vector<std::string>& libraries,
                                        Diagnostics& diags) {
  std::set<std::string> given;
  for (const std::string& l : libraries) given.insert(std::filesystem::path(l).stem().string());
  std::vector<std::string> out;
  for (const std::string& l : library.parts.link_libraries) {
    if (given.contains("lib" + l)) continue;
    const std::string place = place_of_library("lib" + l + ".so");
    if (place.empty())
      return diags.error(library.path, l, "needs a library that the dynamic linker does not find", {},
                         "lib" + l + ".so, or one that is linked besides");
    out.push_back(place);
  }
  for (const char* name : kAlwaysThere)
    if (const std::string place = place_of_library(name); !place.empty()) out.push_back(place);
  return out;
}

}  // namespace

Result<void> link(Loadable& library, const std::vector<std::string>& libraries, Diagnostics& diags) {
  if (!library.library.empty()) return {};
  auto inputs = inputs_of(library, diags);
  const auto further = inputs ? needed(library, libraries, diags) : failure;
  if (!further) return failure;
  SharedLink request{std::move(*inputs), libraries};
  request.libraries.insert(request.libraries.end(), further->begin(), further->end());
  const std::string output = library.directory->path() + "/library.so";
  if (!link_shared(request, output, library.path, diags)) return failure;
  auto image = MappedFile::open(output, diags);
  if (!image) return failure;
  library.library = output;
  library.image = std::move(*image);
  return {};
}

Result<void> link_object(const Loadable& library, const std::string& output, Diagnostics& diags) {
  const auto inputs = inputs_of(library, diags);
  if (!inputs) return failure;
  return link_relocatable(*inputs, output, library.path, diags);
}

}  // namespace byoc::runtime
