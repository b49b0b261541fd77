// libFuzzer's entry: whatever the bytes, importing and preparing them ends in a graph that keeps its rules or in a
// diagnostic. Built by the preset "fuzz" (Clang, ASan, UBSan); ./dev fuzz --readers runs it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sdk/model/import/import.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace {

[[noreturn]] void broken(const char* rule) {
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

// What a few bytes can ask for is not what is looked for here.
constexpr byoc::FoldLimit kFold{std::uint64_t{16} << 20, std::uint64_t{1} << 26};
constexpr int kMostLengths = 4;

void check_prepared(byoc::ir::Graph& graph) {
  byoc::PrepareOptions options;
  options.fold_limit = kFold;
  byoc::Diagnostics diags;
  if (!byoc::prepare(graph, options, diags) && !diags.has_errors()) broken("a model that is not prepared has an error");
}

// Of a TFLite model: dims of its inputs, one after the other, get another length, where they are open.
void bind_lengths(const std::string& path, const byoc::ir::Graph& graph) {
  int tried = 0;
  for (const byoc::ir::ValueId v : graph.inputs)
    for (std::size_t d = 0; graph.values[v].type.dims && d < graph.values[v].type.dims->size(); ++d) {
      if (graph.requant != byoc::Requant::tflite || tried++ == kMostLengths) return;
      std::map<std::string, std::int64_t> lengths{{graph.values[v].name + "." + std::to_string(d), 3}};
      byoc::Diagnostics diags;
      auto bound = byoc::import_model(path, diags, {}, &lengths);
      if (bool(bound) == diags.has_errors()) broken("a model with another length has an error or is accepted");
      if (bound) check_prepared(*bound);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A file in memory: importers map what they read.
  static const int file = memfd_create("model", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) return -1;
  byoc::Diagnostics diags;
  auto graph = byoc::import_model(path, diags);
  if (!graph) {
    if (!diags.has_errors()) broken("a refused model has an error");
    return 0;
  }
  if (diags.has_errors()) broken("an accepted model has no error");
  (void)byoc::ir::print(*graph, {.longest_constant = 64});
  bind_lengths(path, *graph);
  check_prepared(*graph);
  return 0;
}
