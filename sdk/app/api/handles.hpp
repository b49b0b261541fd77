// Implementations of the handles of byoc/byoc.hpp, and the guard that keeps exceptions inside.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "byoc/byoc.hpp"
#include "sdk/app/api/codegens.hpp"
#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Hides a member from programs, although its class is public.
#define BYOC_HIDDEN __attribute__((visibility("hidden")))

struct BYOC_HIDDEN Model::Impl {
  ir::Graph graph;
  std::string default_name;
  std::string file;
};

struct BYOC_HIDDEN Codegens::Impl {
  TargetSpec target;
  PluginChoice choice;
  Diagnostics said;                            // by plug-ins on the side
  std::shared_ptr<const api::CodegenSet> set;  // null: they have ended
};

struct BYOC_HIDDEN CompiledModel::Impl {
  Model model;
  Library library;
  PackOptions pack;
  WeightsOptions weights;
  std::function<bool()> cancelled;
  std::string names_map;
};

namespace api {

// Tells what plug-ins have said since the last time; whether there was an error.
inline bool pass_on(Codegens::Impl& own, Diagnostics& diags) {
  const Diagnostics said = std::exchange(own.said, {});
  for (const Diagnostic& d : said.all()) diags.add(d);
  return said.has_errors();
}

// No exception leaves the library: the standard library's (no memory) become an error like others.
template <class F>
auto guarded(Diagnostics& diags, F&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return diags.error({}, {}, "not enough memory", {}, memory_bound());
  } catch (const std::filesystem::filesystem_error& error) {
    // No path can be made absolute where the working folder was removed.
    return diags.error(error.path1().string(), {}, error.code().message());
  } catch (const std::exception& error) {
    return diags.error({}, {}, std::string("internal error: ") + error.what());
  }
}

// Error: Codegens::end() was called.
inline Result<void> check_alive(const Codegens::Impl& own, Diagnostics& diags) {
  if (own.set != nullptr) return {};
  return diags.error({}, {}, "the codegens have ended");
}

}  // namespace api
}  // namespace byoc
