// The official ONNX node cases by the executors that interpret, through the host API as the command line uses it.
//
//   conformance_vm --cases build/onnx-cases --executor vm --every 8
//   conformance_vm --cases build/onnx-cases --executor interpreted --table docs/interpreted-operators.md
//   conformance_vm --cases build/onnx-cases --executor vm --variant open_dims --constants
#include <onnx/onnx-ml.pb.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "byoc/vm.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/import/import.hpp"
#include "tests/conformance/model_variants.hpp"
#include "tests/support/onnx_cases.hpp"

namespace byoc::test {
namespace {

constexpr int kSkipped = 77;

struct Outcome {
  bool passed = false;
  std::string why;
  bool left_out = false;  // neither passed nor not
};

std::string first(const Diagnostics& diags) { return diags.all().empty() ? "no reason" : to_string(diags.all()[0]); }

bool same_numbers(const HostValue& expected, const HostValue& found) {
  double relative = 1e-3, absolute = 1e-6;
  if (found.dtype == DType::f16) relative = absolute = 2e-3;
  if (found.dtype == DType::bf16) relative = absolute = 2e-2;
  bool same = true;
  const auto check = [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= found.bytes.size(); at += sizeof(T)) {
      T a, b;
      std::memcpy(&a, expected.bytes.data() + at, sizeof(T));
      std::memcpy(&b, found.bytes.data() + at, sizeof(T));
      if (std::memcmp(&a, &b, sizeof(T)) == 0) continue;
      const double x = evaluate::widen(a), y = evaluate::widen(b);
      same = same && evaluate::kIsFloat<T> &&
             (std::abs(x - y) <= absolute + relative * std::abs(x) || (std::isnan(x) && std::isnan(y)));
    }
  };
  return evaluate::dispatch(found.dtype, check) ? same : found.bytes == expected.bytes;
}

// Nothing where they are the same.
std::string difference(const HostValue& expected, const HostValue& found) {
  if (expected.kind != found.kind || expected.dtype != found.dtype || expected.dims != found.dims)
    return "has another type";
  if (expected.bytes.size() != found.bytes.size() || expected.items.size() != found.items.size())
    return "has another size";
  if (expected.texts != found.texts) return "has other strings";
  for (std::size_t i = 0; i < found.items.size(); ++i)
    if (const std::string inside = difference(expected.items[i], found.items[i]); !inside.empty())
      return "item " + std::to_string(i) + " " + inside;
  return same_numbers(expected, found) ? "" : "has other elements";
}

// `path` as a value of the kind that was found, of any dims.
Outcome compare(const std::string& path, const HostValue& found) {
  Diagnostics diags;
  const auto expected = read_value(path, {.kind = found.kind, .dtype = found.dtype}, diags);
  if (!expected) return {false, first(diags)};
  const std::string why = difference(*expected, found);
  return {why.empty(), why.empty() ? "" : std::filesystem::path(path).filename().string() + " " + why};
}

onnx::ModelProto read_model(const std::string& path) {
  onnx::ModelProto out;
  std::ifstream in(path, std::ios::binary);
  out.ParseFromIstream(&in);
  return out;
}

// Which inputs become constants, with the values of a data set: integers behind the first operand say axes, bounds and
// positions; `all`: everything behind it, as weights are in real models.
std::vector<std::size_t> constant_inputs(const onnx::GraphProto& graph, bool all) {
  std::vector<std::size_t> out;
  for (int i = 1; i < graph.input_size(); ++i) {
    const int type = graph.input(i).type().tensor_type().elem_type();
    if (all || type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32)
      out.push_back(static_cast<std::size_t>(i));
  }
  return out;
}

// What is done to a case before it runs.
struct Changes {
  Variant variant = Variant::as_it_is;
  bool constants = false;
};

class Cases {
 public:
  Cases(std::string executor, const TargetSpec& target, std::string cache, Changes changes)
      : executor_(std::move(executor)), target_(target), cache_(std::move(cache)), changes_(changes) {}

  // Nodes of all cases that were run, compiled though dims are open, and evaluated.
  std::size_t compiled = 0, evaluated = 0;

  Outcome run(const OnnxCase& one) {
    Diagnostics diags;
    if (changes_.variant != Variant::as_it_is) return run_changed(one, diags);
    auto model = ready(one.path + "/model.onnx", diags);
    if (!model) return {false, first(diags)};
    for (const std::string& set : data_sets(one))
      if (Outcome out = run_set(*model, set, {}); !out.passed) return out;
    return {true, {}};
  }

 private:
  // By the first data set, whose values become the constants.
  Outcome run_changed(const OnnxCase& one, Diagnostics& diags) {
    const std::string set = data_sets(one)[0];
    onnx::ModelProto model = read_model(one.path + "/model.onnx");
    onnx::GraphProto& graph = *model.mutable_graph();
    const bool opens = changes_.variant == Variant::open_dims;
    for (const onnx::ValueInfoProto& input : graph.input())
      if (opens && !input.type().has_tensor_type()) return {false, "an input is no tensor", true};
    std::vector<std::size_t> constants;
    if (opens) constants = constant_inputs(graph, changes_.constants);
    for (auto c = constants.rbegin(); c != constants.rend(); ++c) {
      std::ifstream in(set + "/input_" + std::to_string(*c) + ".pb", std::ios::binary);
      onnx::TensorProto& tensor = *graph.add_initializer();
      tensor.ParseFromIstream(&in);
      tensor.set_name(graph.input(static_cast<int>(*c)).name());
      graph.mutable_input()->DeleteSubrange(static_cast<int>(*c), 1);
    }
    if (!make_variant(model, changes_.variant)) return {false, "its operator set is too old", true};
    auto folder = TemporaryDirectory::create(diags);
    if (!folder) return {false, first(diags)};
    const std::string path = folder->path() + "/model.onnx";
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
    const auto opened = ready(path, diags);
    if (!opened) return {false, first(diags)};
    count(opened->text());
    return run_set(*opened, set, constants);
  }

  void count(const std::string& code) {
    std::istringstream lines(code);
    for (std::string line; std::getline(lines, line);) {
      compiled += line.find(": open_step ") != std::string::npos ? 1 : 0;
      evaluated += line.find(": evaluate ") != std::string::npos ? 1 : 0;
    }
  }

  Result<HostModel> ready(const std::string& path, Diagnostics& diags) {
    PrepareOptions prepare;
    prepare.open_types = true;
    const auto model = Model::load(path, prepare, diags);
    if (!model) return failure;
    if (executor_ == "interpreted") return HostModel::interpret(*model, diags);
    const auto codegens = Codegens::create(target_, {}, diags);
    if (!codegens) return failure;
    ExportRequest request{.name = "m", .executor = executor_};
    request.compiler.cache = cache_;
    auto folder = TemporaryDirectory::create(diags);
    if (!folder || !export_model(*model, *codegens, request, folder->path() + "/m.so", diags)) return failure;
    return HostModel::open(folder->path() + "/m.so", diags);
  }

  // Without the inputs that are constants.
  Outcome run_set(const HostModel& model, const std::string& set, const std::vector<std::size_t>& constants) {
    Diagnostics diags;
    std::vector<HostValue> inputs;
    const std::vector<ValueInfo> stated = model.inputs();
    for (std::size_t i = 0; inputs.size() < stated.size(); ++i) {
      if (std::find(constants.begin(), constants.end(), i) != constants.end()) continue;
      auto value = read_value(set + "/input_" + std::to_string(i) + ".pb", stated[inputs.size()], diags);
      if (!value) return {false, first(diags)};
      inputs.push_back(std::move(*value));
    }
    const auto outputs = model.run(inputs, {}, diags);
    if (!outputs) return {false, first(diags)};
    for (std::size_t o = 0; o < outputs->size(); ++o)
      if (Outcome out = compare(set + "/output_" + std::to_string(o) + ".pb", (*outputs)[o]); !out.passed) return out;
    return {true, {}};
  }

  std::string executor_;
  TargetSpec target_;
  std::string cache_;
  Changes changes_;
};

// Operators of the case's model; what is not imported has none.
std::set<std::string> operators_of(const OnnxCase& one) {
  Diagnostics ignored;
  std::set<std::string> out;
  const auto graph = import_model(one.path + "/model.onnx", ignored);
  if (!graph) return {"not imported"};
  for (const ir::Node& node : graph->nodes) out.insert(node.domain.empty() ? node.op : node.domain + "." + node.op);
  return out;
}

std::string table_of(const std::vector<OnnxCase>& cases, const std::map<std::string, Outcome>& outcomes) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> rows;
  std::size_t passed = 0;
  for (const OnnxCase& one : cases) {
    const bool ok = outcomes.at(one.name).passed;
    passed += ok ? 1 : 0;
    for (const std::string& op : operators_of(one)) {
      ++rows[op].second;
      rows[op].first += ok ? 1 : 0;
    }
  }
  std::ostringstream out;
  out << "# ONNX node cases by the executors for hosts\n\n"
      << "Written by `tests/conformance/conformance_vm.cpp`: " << passed << " of " << cases.size()
      << " node cases of ONNX 1.23 pass. A case counts for\neach operator in its model.\n\n| operator | cases | passed "
         "|\n|---|---|---|\n";
  for (const auto& [op, n] : rows) out << "| " << op << " | " << n.second << " | " << n.first << " |\n";
  return out.str();
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("ONNX node cases by the executors that interpret");
  std::string folder, executor = "interpreted", table, list, cache, variant = "as_it_is";
  std::size_t every = 1;
  bool verbose = false;
  Changes changes;
  app.add_option("--cases", folder, "where they are")->required();
  app.add_option("--executor", executor, "vm or interpreted");
  app.add_option("--every", every, "of so many cases one");
  app.add_option("--table", table, "file that gets the table by operator");
  app.add_option("--list", list, "file with the names of cases that do not pass, each behind its reason");
  app.add_option("--cache", cache, "folder of compiled objects");
  app.add_option("--variant", variant, "open_dims, untyped, function or branch: the model in another form");
  app.add_flag("--constants", changes.constants, "of open dims: with constants for all operands but the first");
  app.add_flag("--verbose", verbose, "say why a case does not pass");
  CLI11_PARSE(app, argc, argv);
  if (!variant_of(variant, changes.variant)) return std::puts("there is no such variant"), 1;
  Diagnostics diags;
  const auto target = find_target("host", diags);
  if (!target) return 1;
  const std::vector<OnnxCase> all = onnx_cases_in(folder, "node");
  if (all.empty()) return std::puts("there are no cases"), kSkipped;
  std::set<std::string> known;
  std::ifstream in(list);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') known.insert(line);
  Cases cases(executor, *target, cache, changes);
  std::map<std::string, Outcome> outcomes;
  std::size_t passed = 0, unexpected = 0, left_out = 0;
  for (std::size_t i = 0; i < all.size(); i += every) {
    const Outcome out = cases.run(all[i]);
    if (out.left_out) {
      ++left_out;
      continue;
    }
    outcomes[all[i].name] = out;
    passed += out.passed ? 1 : 0;
    if (!out.passed && verbose) std::printf("%s: %s\n", all[i].name.c_str(), out.why.c_str());
    if (list.empty() || out.passed != known.contains(all[i].name)) continue;
    ++unexpected;
    std::printf("%s %s: %s\n", all[i].name.c_str(), out.passed ? "passes, and is listed" : "does not pass",
                out.why.c_str());
  }
  std::printf("%zu of %zu pass by %s\n", passed, outcomes.size(), executor.c_str());
  const bool opens = changes.variant == Variant::open_dims;
  if (opens) std::printf("%zu nodes compiled with open dims, %zu evaluated\n", cases.compiled, cases.evaluated);
  if (left_out != 0) std::printf("%zu left out\n", left_out);
  if (!table.empty() && every == 1) std::ofstream(table) << table_of(all, outcomes);
  const bool tries_nothing = opens && executor == "vm" && cases.compiled == 0;
  return unexpected == 0 && !tries_nothing ? 0 : 1;
}

}  // namespace byoc::test

int main(int argc, char** argv) { return byoc::test::run(argc, argv); }
