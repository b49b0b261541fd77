#include "sdk/app/api/run_rules.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace byoc::api {
namespace {

constexpr std::uint32_t bits(std::initializer_list<RunKind> kinds) {
  std::uint32_t out = 0;
  for (const RunKind k : kinds) out |= static_cast<std::uint32_t>(k);
  return out;
}

constexpr RunKind kNoBytecode = RunKind::no_bytecode, kExported = RunKind::exported, kCompiled = RunKind::compiled,
                  kThreads = RunKind::threads, kGraph = RunKind::foreign_graph, kElsewhere = RunKind::elsewhere,
                  kInterpreted = RunKind::interpreted;

constexpr RunRule kRules[] = {
    {"--bind-weights", bits({kExported, kInterpreted})},
    {"--bisect", bits({kExported, kThreads, kElsewhere, kInterpreted})},
    {"--compare", bits({kExported, kThreads, kElsewhere, kInterpreted})},
    {"--cycles", bits({kExported, kThreads, kElsewhere, kInterpreted})},
    {"--dump-tensors", bits({kThreads, kGraph, kElsewhere, kInterpreted})},
    {"--fill", 0},
    {"--flash", bits({kExported, kElsewhere, kInterpreted})},
    {"--graph", 0},
    {"--help", 0},
    {"--input", 0},
    {"--labels", 0},
    {"--link", bits({kGraph, kElsewhere, kInterpreted})},
    {"--max-instructions", bits({kCompiled})},
    {"--max-memory", bits({kCompiled})},
    {"--no-profile", bits({kGraph, kElsewhere, kInterpreted})},
    {"--output-dir", 0},
    {"--output-form", 0},
    {"--pack", bits({kExported, kElsewhere, kInterpreted})},
    {"--params", 0},
    {"--print-time", 0},
    {"--quiet", 0},
    {"--ram-frontier", bits({kExported, kInterpreted})},
    {"--reference", 0},
    {"--remote", 0},
    {"--repeat", 0},
    {"--report", bits({kGraph, kElsewhere, kInterpreted})},
    {"--reset", 0},
    {"--stats", bits({kGraph, kElsewhere, kInterpreted})},
    {"--target", bits({kGraph})},
    {"--threads", bits({kGraph, kElsewhere})},
    {"--timeout", bits({kGraph, kInterpreted})},
    {"--tls-authorities", 0},
    {"--token-file", 0},
    {"--top", 0},
    {"--weights", bits({kNoBytecode, kGraph})},
    {"--within", 0},
    {"MODEL", 0},
};

constexpr RunKind kKinds[] = {kNoBytecode, kExported, kCompiled, kThreads, kGraph, kElsewhere, kInterpreted};

}  // namespace

std::span<const RunRule> run_rules() { return kRules; }

std::span<const RunKind> run_kinds() { return kKinds; }

std::string_view reason(RunKind kind) {
  switch (kind) {
    case RunKind::no_bytecode: return "is for bytecode that export --weights-blob wrote without them";
    case RunKind::exported: return "needs a model";
    case RunKind::compiled: return "is for --executor vm and interpreted, and for files that they wrote";
    case RunKind::threads: return "is not with --threads";
    case RunKind::foreign_graph: return "is not for --graph";
    case RunKind::elsewhere: return "is not for runs on another machine";
    case RunKind::interpreted: return "is not for an executor that interprets";
  }
  return "";
}

bool refuses(RunKind kind, std::string_view option) {
  const auto* rule =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const RunRule& r) { return r.option == option; });
  if (rule == std::end(kRules)) return kind == RunKind::exported;
  return (rule->refused & static_cast<std::uint32_t>(kind)) != 0;
}

}  // namespace byoc::api
