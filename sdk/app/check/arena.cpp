#include "sdk/app/check/arena.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace byoc::check {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::size_t kPage = 4096;

// State of the signal handler. There is one check at a time in a process, and nothing is ever removed.
struct Watched {
  const std::byte* start;
  std::size_t size;
  const char* name;
  bool retired;
};
constexpr std::size_t kMostWatched = 1 << 16;
std::array<Watched, kMostWatched> watched;
std::size_t watched_count = 0;
Stage* blamed = nullptr;

void on_fault(int number, siginfo_t* info, void*) {
  const auto* at = static_cast<const std::byte*>(info->si_addr);
  for (std::size_t i = 0; i < watched_count; ++i) {
    const Watched& w = watched[i];
    if (at < w.start || at >= w.start + w.size) continue;
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(),
                  w.retired ? "it uses memory that %s was given after that has ended"
                            : "it writes to memory that %s was given to read",
                  w.name);
    blamed->blame(w.retired ? "C3" : "C11", text.data());
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

void Arena::watch(Stage& stage) {
  blamed = &stage;
  static std::array<char, 65536> stack;  // for when the thread's own has run out
  stack_t own{};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  ::sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int s : {SIGSEGV, SIGBUS}) ::sigaction(s, &action, nullptr);
}

Arena::Arena(const Showing& showing, const char* name) : showing_(showing), name_(name) {}

Arena::~Arena() { retire(); }

void* Arena::allocate(std::size_t size, std::size_t align) {
  if (!blocks_.empty()) {
    Block& b = blocks_.back();
    const std::size_t at = (b.used + align - 1) / align * align;
    if (at <= b.size && b.size - at >= size) {
      b.used = at + size;
      return b.start + at;
    }
  }
  const std::size_t bytes = std::max(kBlock, (size + kPage - 1) / kPage * kPage);
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) std::abort();  // the parent tells it
  blocks_.push_back({static_cast<std::byte*>(start), bytes, size});
  if (showing_.guarded && watched_count < kMostWatched)
    watched[watched_count++] = {blocks_.back().start, bytes, name_, false};
  return start;
}

void Arena::seal() {
  if (!showing_.guarded) return;
  for (const Block& b : blocks_) ::mprotect(b.start, b.size, PROT_READ);
}

void Arena::retire() {
  if (!showing_.guarded) return;
  for (const Block& b : blocks_) {
    ::mprotect(b.start, b.size, PROT_NONE);
    for (std::size_t i = 0; i < watched_count; ++i)
      if (watched[i].start == b.start) watched[i].retired = true;
  }
}

byoc_string_t* Arena::texts(const byoc_string_t* from, std::size_t count) {
  byoc_string_t* to = list(from, count);
  for (std::size_t i = 0; i < count; ++i) to[i] = text(from[i]);
  return to;
}

const byoc_value_t* Arena::copy(const byoc_value_t& value) {
  byoc_value_t v = value;
  v.name = text(v.name);
  v.dims = list(v.dims, v.rank);
  if (v.quantisation != nullptr) {
    byoc_quantisation_t q = *v.quantisation;
    q.scales = list(q.scales, q.count);
    q.zero_points = list(q.zero_points, q.count);
    v.quantisation = put(q);
  }
  if (v.data_size != 0) {
    // Aligned as its element is and the largest element could be.
    void* data = allocate(static_cast<std::size_t>(v.data_size), 8);
    std::memcpy(data, v.data, static_cast<std::size_t>(v.data_size));
    v.data = data;
  }
  return put(v);
}

const byoc_node_t* Arena::copy(const byoc_node_t& node) {
  byoc_node_t n = node;
  n.name = text(n.name);
  n.domain = text(n.domain);
  n.op = text(n.op);
  n.inputs = list(n.inputs, n.input_count);
  n.outputs = list(n.outputs, n.output_count);
  std::vector<const byoc_attribute_t*> attributes;
  for (std::uint32_t i = 0; i < n.attribute_count; ++i) {
    byoc_attribute_t a = *n.attributes[i];
    a.name = text(a.name);
    a.text = text(a.text);
    if (a.kind == BYOC_ATTRIBUTE_INTEGERS) a.integers = list(a.integers, a.count);
    if (a.kind == BYOC_ATTRIBUTE_REALS) a.reals = list(a.reals, a.count);
    if (a.kind == BYOC_ATTRIBUTE_TEXTS) a.texts = texts(a.texts, a.count);
    attributes.push_back(put(a));
  }
  n.attributes = list(attributes.data(), attributes.size());
  return put(n);
}

const byoc_region_t* Arena::copy(const byoc_region_t& region) {
  byoc_region_t r = region;
  r.name = text(r.name);
  std::vector<const byoc_value_t*> values;
  for (std::uint32_t i = 0; i < r.value_count; ++i) values.push_back(copy(*r.values[i]));
  std::vector<const byoc_node_t*> nodes;
  for (std::uint32_t i = 0; i < r.node_count; ++i) nodes.push_back(copy(*r.nodes[i]));
  std::vector<const byoc_group_t*> groups;
  for (std::uint32_t i = 0; i < r.group_count; ++i) {
    byoc_group_t g = *r.groups[i];
    g.nodes = list(g.nodes, g.node_count);
    groups.push_back(put(g));
  }
  r.values = list(values.data(), values.size());
  r.nodes = list(nodes.data(), nodes.size());
  r.groups = list(groups.data(), groups.size());
  r.inputs = list(r.inputs, r.input_count);
  r.outputs = list(r.outputs, r.output_count);
  r.symbols = texts(r.symbols, r.symbol_count);
  return put(r);
}

const byoc_target_t* Arena::copy(const byoc_target_t& target) {
  byoc_target_t t = target;
  for (byoc_string_t* s :
       {&t.name, &t.triple, &t.cpu, &t.march, &t.fpu, &t.float_abi, &t.abi, &t.code_model, &t.toolchain})
    *s = text(*s);
  t.isa = texts(t.isa, t.isa_count);
  std::vector<const byoc_memory_pool_t*> pools;
  for (std::uint32_t i = 0; i < t.pool_count; ++i) {
    byoc_memory_pool_t p = *t.pools[i];
    p.name = text(p.name);
    p.section = text(p.section);
    p.attributes = texts(p.attributes, p.attribute_count);
    pools.push_back(put(p));
  }
  t.pools = list(pools.data(), pools.size());
  return put(t);
}

}  // namespace byoc::check
