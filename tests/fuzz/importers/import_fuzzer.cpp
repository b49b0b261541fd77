// libFuzzer's entry: whatever the bytes, importing them (with BYOC_FUZZ_PREPARE preparing, too) ends in a graph that
// keeps its rules or in a diagnostic. Built by the preset "fuzz" (Clang, ASan, UBSan); ./dev fuzz --importers runs it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sdk/import/import.hpp"
#include "sdk/ir/text.hpp"
#ifdef BYOC_FUZZ_PREPARE
#include "sdk/prepare/prepare.hpp"
#endif

namespace {

[[noreturn]] void broken(const char* rule) {
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

#ifdef BYOC_FUZZ_PREPARE

// Folding may legitimately make results of gigabytes; what is searched for here are errors, so such inputs are left
// out.
bool is_small(const byoc::ir::Graph& graph) {
  std::uint64_t elements = 0;
  for (const byoc::ir::Value& v : graph.values) {
    std::uint64_t n = 1;
    for (const byoc::ir::Dim d : v.type.dims.value_or(std::vector<byoc::ir::Dim>{}))
      if (__builtin_mul_overflow(n, static_cast<std::uint64_t>(d < 1 ? 1 : d), &n)) return false;
    if (n > 1 << 16 || (elements += n) > 1 << 20) return false;
  }
  return graph.nodes.size() < 1000;
}

// Constants of few bytes can still name shapes of gigabytes.
bool has_small_numbers(const byoc::ir::Graph& graph) {
  for (const byoc::ir::Value& v : graph.values) {
    if (!v.constant || v.type.dtype != byoc::DType::i64) continue;
    const auto bytes = v.constant->bytes.bytes();
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      std::int64_t n = 0;
      __builtin_memcpy(&n, bytes.data() + i, 8);
      if (n > 4096) return false;
    }
  }
  return true;
}

#endif

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
#ifdef BYOC_FUZZ_PREPARE
  if (!is_small(*graph) || !has_small_numbers(*graph)) return 0;
  byoc::Diagnostics prepare_diags;
  if (!byoc::prepare(*graph, {}, prepare_diags) && !prepare_diags.has_errors())
    broken("a model that is not prepared has an error");
#endif
  return 0;
}
