// Models from files the whole way: imported, prepared, partitioned, generated, planned, compiled and run on this
// machine, and compared with the evaluator value by value. Each model in a process of its own; built with sanitizers by
// the preset "sanitize". A model may be refused, with an error; it may not crash the program, and it may not differ.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <random>

#include "backends/reference.hpp"
#include "sdk/codegen/partition/partition.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/import/import.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/differential.hpp"
#include "tests/support/host_library.hpp"
#include "tests/support/in_children.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

constexpr unsigned kTimeout = 120;                                           // seconds for one model
constexpr FoldLimit kFold{std::uint64_t{64} << 20, std::uint64_t{1} << 28};  // damaged models fold large things
constexpr std::uint64_t kBytes = std::uint64_t{8} << 20;                     // of all values together
constexpr std::uint64_t kMacs = std::uint64_t{1} << 26;

constexpr float kGreatest =
    1e9F;  // of floats: sums of products of greater ones overflow in one order and not in another

// How a text starts that is no failure.
const std::string kSame = "same", kRefused = "refused", kLarge = "too large", kNotCompared = "run, not compared";

bool is_small(const ir::Graph& graph) {
  std::uint64_t bytes = 0, macs = 0;
  for (const ir::Value& v : graph.values)
    if (v.type.dims) bytes += v.type.bytes();
  for (const ir::Node& n : graph.nodes) macs += ir::macs_of(graph, n);
  return bytes <= kBytes && macs <= kMacs;
}

bool has_great_reals(const ir::Graph& graph) {
  for (const ir::Value& v : graph.values) {
    if (!v.constant || v.type.dtype != DType::f32) continue;
    const auto bytes = v.constant->bytes.bytes();
    for (std::size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, &bytes[at], sizeof value);
      if (!(std::fabs(value) <= kGreatest)) return true;
    }
  }
  return false;
}

// Any bits for small integers; what indices and lengths may be for wide ones; reals around 0.
evaluate::Tensor random_tensor(const ir::TensorType& type, std::mt19937_64& random) {
  std::vector<std::byte> bytes(type.bytes());
  const auto fill = [&]<class T>(T, auto draw) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      const T value = static_cast<T>(draw());
      std::memcpy(&bytes[at], &value, sizeof value);
    }
  };
  const auto real = [&] { return std::uniform_real_distribution<double>(-4, 4)(random); };
  const auto index = [&] { return std::uniform_int_distribution<int>(-2, 5)(random); };
  switch (type.dtype) {
    case DType::f32: fill(float{}, real); break;
    case DType::f64: fill(double{}, real); break;
    case DType::i32:
    case DType::u32: fill(std::int32_t{}, index); break;
    case DType::i64:
    case DType::u64: fill(std::int64_t{}, index); break;
    case DType::boolean: fill(std::uint8_t{}, [&] { return random() & 1; }); break;
    case DType::f16:
    case DType::bf16: fill(std::uint16_t{}, [&] { return random() & 0xbfff; }); break;  // neither infinite nor NaN
    default: fill(std::uint8_t{}, [&] { return random(); });
  }
  return {type, Blob::own(std::move(bytes))};
}

std::string check_model(const std::string& path, std::uint64_t seed) {
  Diagnostics diags;
  const auto refused = [&] {
    return diags.has_errors() ? kRefused + ": " + error_text(diags) : "it is refused without an error";
  };
  auto graph = import_model(path, diags);
  if (!graph) return refused();
  PrepareOptions options;
  options.fold_limit = kFold;
  options.lift = seed % 4 != 0;
  if (!prepare(*graph, options, diags)) return refused();
  if (!is_small(*graph)) return kLarge;

  std::mt19937_64 random(seed);
  std::vector<evaluate::Tensor> inputs, outputs;
  for (const ir::ValueId v : graph->inputs) inputs.push_back(random_tensor(graph->values[v].type, random));

  const reference::Option layout{"layout", seed % 3 == 0 ? "channels-last" : "best"};
  const auto backend = reference::find("c")->create({&layout, 1});
  codegen::Codegen* codegens[] = {backend.get()};
  Job job;
  job.target = *resolve_target("host", diags);
  job.name = "model";
  job.request.objective = seed % 8 == 1 ? Objective::size : seed % 8 == 2 ? Objective::speed : Objective::balanced;
  job.request.trace = true;
  job.codegens = codegens;
  const auto library = compile_model(*graph, job, diags);
  if (!library) return refused();
  std::string error;
  const auto loaded = HostLibrary::load(*library, "", error, true);
  if (!loaded) return error;
  HostLibrary::Values values;
  error = loaded->run(inputs, outputs, values);
  const ir::Graph& placed = graph_of(library->partition, *graph);
  if (!evaluate::run(placed, inputs, diags)) return refused();  // an index that is out of range
  if (!error.empty()) return "generated code " + error;
  if (has_great_reals(placed)) return kNotCompared;
  error = compare_values(placed, inputs, values, outputs, stated(placed, library->partition));
  return error.empty() ? kSame : error;
}

int run(const std::vector<std::string>& paths, std::uint64_t seed, std::size_t jobs) {
  std::map<std::string, std::size_t> counts{{kSame, 0}, {kRefused, 0}, {kLarge, 0}, {kNotCompared, 0}};
  std::size_t problems = 0;
  run_in_children(
      paths.size(), {.jobs = jobs, .timeout_seconds = kTimeout},
      [&](std::size_t i) { return check_model(paths[i], seed + i); },
      [&](std::size_t i, const ChildResult& child) {
        const std::string text = child.crash.empty() ? child.text : child.crash;
        const auto known = counts.find(text.substr(0, text.find(':')));
        if (known != counts.end() && child.crash.empty()) {
          ++known->second;
          return;
        }
        ++problems;
        std::cout << paths[i] << " --seed " << seed + i << ": " << text << std::endl;
      });
  for (const auto& [what, count] : counts) std::cout << count << " " << what << ", ";
  std::cout << problems << " problems\n";
  return problems == 0 ? 0 : 1;
}

}  // namespace
}  // namespace byoc::test

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  std::uint64_t seed = 1;
  std::size_t jobs = 2;
  CLI::App app("Models from files through generated C, compared with the evaluator value by value.");
  app.add_option("MODELS", paths)->required();
  app.add_option("--seed", seed, "of the first one's inputs and options; the others follow (default 1)");
  app.add_option("--jobs,-j", jobs, "models at a time (default 2)");
  CLI11_PARSE(app, argc, argv);
  return byoc::test::run(paths, seed, jobs);
}
