// What the handles of byoc/byoc.hpp stand for, and how exceptions are kept inside.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "byoc/byoc.hpp"
#include "sdk/api/codegens.hpp"
#include "sdk/ir/graph.hpp"
#include "sdk/pipeline/export.hpp"

namespace byoc {

// Not for programs, although the class around it is.
#define BYOC_HIDDEN __attribute__((visibility("hidden")))

struct BYOC_HIDDEN Model::Impl {
  ir::Graph graph;
  std::string default_name;
  std::string file;
};

struct BYOC_HIDDEN Codegens::Impl {
  TargetSpec target;
  PluginChoice choice;
  Diagnostics said;  // by plug-ins on the side
  std::size_t passed_on = 0;
  std::shared_ptr<const api::CodegenSet> set;  // null: they have ended
};

struct BYOC_HIDDEN CompiledModel::Impl {
  Model model;
  Library library;
  PackOptions pack;
  std::function<bool()> cancelled;
};

namespace api {

// Tells what plug-ins have said since the last time.
inline void pass_on(Codegens::Impl& own, Diagnostics& diags) {
  for (; own.passed_on < own.said.all().size(); ++own.passed_on) diags.add(own.said.all()[own.passed_on]);
}

// No exception leaves the library: the standard library's (no memory) become an error like others.
template <class F>
auto guarded(Diagnostics& diags, F&& body) -> decltype(body()) {
  try {
    return body();
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
