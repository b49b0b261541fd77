// Copies of what codegens see of a model, with every allocation failing once: each ends whole or with std::bad_alloc.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "byoc/codegen.hpp"

namespace {

long until_failure = -1;  // allocations; below zero none fails

}  // namespace

void* operator new(std::size_t size) {
  if (until_failure >= 0 && until_failure-- == 0) throw std::bad_alloc();
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main() {
  const std::string text = "longer than what a string holds in itself";
  byoc::codegen::Region region;
  region.name = text;
  region.symbols = {text};
  region.values.resize(2);
  for (byoc::codegen::Value& v : region.values) v.name = text, v.dims = {1, 2};
  region.nodes.resize(2);
  for (byoc::codegen::Node& n : region.nodes) {
    n.inputs = {0};
    n.attributes["axis"] = std::int64_t{1};
    n.attributes["mode"] = text;
    n.attributes["pads"] = std::vector<std::int64_t>{1, 2};
    n.attributes["scales"] = std::vector<float>{1, 2};
    n.attributes["names"] = std::vector<std::string>{text, text};
  }
  for (long n = 0;; ++n) {
    until_failure = n;
    try {
      const byoc::codegen::Region copy = region;
      until_failure = -1;
      std::printf("%ld allocations, each failed once\n", n);
      return copy.nodes[1].attributes == region.nodes[1].attributes && n > 20 ? 0 : 1;
    } catch (const std::bad_alloc&) {
    }
  }
}
