// The official ONNX operator cases through importer, prepare, a reference backend and Clang into a shared object of
// this machine; outputs are compared with the expected ones and with the evaluator. onnx_cases.txt lists what does not
// pass.
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "backends/reference.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/import/import.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/conformance/case_list.hpp"
#include "tests/support/counted_outputs.hpp"
#include "tests/support/differential.hpp"
#include "tests/support/host_library.hpp"
#include "tests/support/in_children.hpp"
#include "tests/support/onnx_cases.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string filter = "*";
  std::string backend{reference::backends()[0].id};
  std::string keep;
  std::string cases;  // a folder of further cases
  std::string list = source_dir() + "/tests/conformance/onnx_cases.txt";
  std::size_t jobs = 2;
  std::string shard = "0/1";
  bool only_list = false;
  bool check = false;
  bool write_list = false;
  bool evaluator = false;
  bool summary = false;
  bool only_new = false;
};

// What the crash of a child is told with.
void stage(const char* name) { std::fprintf(stderr, "while %s\n", name); }

// As the runner of the official cases compares.
std::string compare_all(const std::vector<evaluate::Tensor>& found, const std::vector<evaluate::Tensor>& expected,
                        Tolerance tolerance) {
  if (found.size() != expected.size())
    return std::to_string(found.size()) + " outputs, expected " + std::to_string(expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    evaluate::Tensor f = found[i];
    evaluate::Tensor e = expected[i];
    f.type.quantisation = e.type.quantisation = std::nullopt;
    const std::string text = difference(f, e, tolerance);
    if (!text.empty()) return "output " + std::to_string(i) + ": " + text;
  }
  return "";
}

class Attempt {
 public:
  Attempt(const OnnxCase& c, const std::string& data_set, const Options& options)
      : case_(c),
        data_set_(data_set),
        options_(options),
        tolerance_(options.cases.empty() ? kOfficial : kNewerOfficial) {}

  CaseResult run(Bind bind, bool lift) {
    stage("importing and preparing");
    std::string problem;
    bool refused = false;
    auto loaded = load_case(case_, data_set_, bind, lift, problem, refused, options_.evaluator);
    if (!loaded) return {refused ? CaseVerdict::refused : CaseVerdict::failed, problem};
    stage("evaluating");
    Diagnostics diags;
    auto evaluated = evaluate::run(loaded->graph, loaded->inputs, diags);
    // What an operand asks for that is fed here may be refused before, where it is a constant.
    if (!evaluated) {
      const CaseVerdict verdict = bind == Bind::parameters ? CaseVerdict::failed : CaseVerdict::refused;
      return {verdict, "evaluator: " + error_text(diags)};
    }
    if (const std::string text = without_room(loaded->graph, *evaluated); !text.empty())
      return failed("evaluator", text);
    if (const std::string text = compare_all(*evaluated, loaded->expected, tolerance_); !text.empty())
      return failed("evaluator", text);
    if (options_.evaluator) return {CaseVerdict::passed, ""};
    return run_generated(*loaded);
  }

 private:
  static CaseResult failed(const std::string& what, const std::string& text) {
    return {CaseVerdict::failed, what + ": " + text};
  }

  CaseResult run_generated(const LoadedCase& loaded) {
    Diagnostics diags;
    auto target = resolve_target("host", diags);
    const auto backend = reference::find(options_.backend)->create({});
    codegen::Codegen* codegens[] = {backend.get()};
    Job job;
    job.target = *target;
    job.name = to_identifier(fs::path(case_.path).filename().string());
    job.codegens = codegens;
    job.kernel_objects = &kernels_;
    std::string reached;
    job.request.progress = [&](std::string_view name) {
      reached = name;
      stage(reached.c_str());
    };
    const auto library = compile_model(loaded.graph, job, diags);
    if (!library) {
      // Up to the memory plan a model may be refused; what was claimed must compile.
      const bool refused = reached == "partition" || reached == "plan";
      return {refused ? CaseVerdict::refused : CaseVerdict::failed, reached + ": " + error_text(diags)};
    }
    stage("linking");
    std::string error;
    const std::string keep = options_.keep.empty() ? "" : options_.keep + "/" + job.name;
    if (!keep.empty()) fs::create_directories(keep);
    auto loaded_library = HostLibrary::load(*library, keep, error);
    if (!loaded_library) return {CaseVerdict::failed, error};
    const ir::Graph& placed = graph_of(library->partition, loaded.graph);
    // Twice, because a run must leave nothing behind.
    for (int round = 0; round < 2; ++round) {
      stage("running the generated code");
      std::vector<evaluate::Tensor> outputs;
      if (error = loaded_library->reset(); !error.empty() && round > 0) return failed("generated code", error);
      if (error = loaded_library->run(loaded.inputs, outputs); !error.empty()) return failed("generated code", error);
      error = compare_values(placed, loaded.inputs, {}, outputs, stated(placed, library->partition));
      if (!error.empty()) return failed("generated code against the evaluator", error);
      if (error = without_room(placed, outputs); !error.empty()) return failed("generated code", error);
      if (error = compare_all(outputs, loaded.expected, tolerance_); !error.empty())
        return failed("generated code against the case", error);
    }
    return {CaseVerdict::passed, ""};
  }

  static std::map<std::string, std::vector<std::byte>> kernels_;  // of this process
  const OnnxCase& case_;
  const std::string& data_set_;
  const Options& options_;
  Tolerance tolerance_;
};

std::map<std::string, std::vector<std::byte>> Attempt::kernels_;

// Whether lifting can change the case.
bool has_quantisation(const OnnxCase& c) {
  Diagnostics diags;
  const auto graph = import_model(c.path + "/model.onnx", diags);
  if (!graph) return false;
  for (const ir::Node& n : graph->nodes)
    if (n.op.starts_with("QLinear") || n.op == "QuantizeLinear" || n.op == "DequantizeLinear") return true;
  return false;
}

CaseResult run_case(const OnnxCase& c, const Options& options) {
  const std::vector<std::string> sets = data_sets(c);
  if (sets.empty()) return {CaseVerdict::failed, "there is no data set"};
  CaseResult out{CaseVerdict::passed, ""};
  for (const std::string& set : sets) {
    for (const bool lift : {true, false}) {
      if (!lift && !has_quantisation(c)) continue;
      Attempt attempt(c, set, options);
      CaseResult result = attempt.run(Bind::none, lift);
      const std::string why = result.text;
      for (const auto& [bind, text] : {std::pair(Bind::shapes, "shapes"), std::pair(Bind::parameters, "parameters")}) {
        if (result.verdict != CaseVerdict::refused) break;
        result = attempt.run(bind, lift);
        if (result.verdict == CaseVerdict::passed) out.text = std::string(text) + " as constants: " + why;
      }
      if (result.verdict != CaseVerdict::passed) {
        if (!lift) result.text = "not lifted: " + result.text;
        return result;
      }
    }
  }
  return out;
}

// Where the case is stands before every diagnostic; its name is enough.
std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

std::string packed(const CaseResult& r, const OnnxCase& c) {
  return std::to_string(static_cast<int>(r.verdict)) + without(r.text, c.path + "/model.onnx: error: ");
}

CaseResult unpacked(const ChildResult& child) {
  if (!child.crash.empty() || child.text.empty()) return {CaseVerdict::failed, child.crash};
  return {static_cast<CaseVerdict>(child.text[0] - '0'), child.text.substr(1)};
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = '|';
  return text;
}

std::vector<OnnxCase> chosen(const Options& options) {
  std::vector<OnnxCase> out;
  const auto all = options.cases.empty() ? onnx_cases() : onnx_cases_in(options.cases, "newer");
  std::set<std::string> official;
  if (options.only_new)
    for (const OnnxCase& c : onnx_cases()) official.insert(fs::path(c.path).filename().string());
  const std::size_t slash = options.shard.find('/');
  const std::size_t index = std::stoul(options.shard);
  const std::size_t count = slash == std::string::npos ? 1 : std::stoul(options.shard.substr(slash + 1));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool wanted = fnmatch(options.filter.c_str(), all[i].name.c_str(), 0) == 0 ||
                        fnmatch(("*/" + options.filter).c_str(), all[i].name.c_str(), 0) == 0;
    const bool is_new = !official.contains(fs::path(all[i].path).filename().string());
    if (wanted && is_new && i % count == index) out.push_back(all[i]);
  }
  return out;
}

// Refusals and failures by their reason, the most frequent first, each with one of its cases.
void print_summary(const std::map<std::string, CaseResult>& results) {
  struct Reason {
    std::size_t cases = 0;
    std::string example;
  };
  std::map<std::string, Reason> reasons;
  for (const auto& [name, result] : results) {
    const bool passed = result.verdict == CaseVerdict::passed;
    Reason& r = reasons[to_string(result.verdict) + (result.text.empty() ? "" : ": ") +
                        (passed ? result.text : reason_of(result.text))];
    if (++r.cases == 1) r.example = name;
  }
  std::vector<std::pair<std::string, Reason>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.cases > b.second.cases; });
  for (const auto& [text, r] : sorted)
    std::printf("%5zu  %s  (%s)\n", r.cases, one_line(text).c_str(), r.example.c_str());
}

int run(const Options& options) {
  const std::vector<OnnxCase> cases = chosen(options);
  if (cases.empty()) {
    std::cout << "no case: is libonnx-testdata installed?\n";
    return 77;
  }
  if (options.only_list) {
    for (const OnnxCase& c : cases) std::cout << c.name << "\n";
    return 0;
  }
  std::map<std::string, CaseResult> results;
  std::map<CaseVerdict, std::size_t> counts;
  std::size_t bound = 0;
  run_in_children(
      cases.size(), {.jobs = options.jobs, .chunk = 20},
      [&](std::size_t i) { return packed(run_case(cases[i], options), cases[i]); },
      [&](std::size_t i, const ChildResult& child) {
        const CaseResult& r = results[cases[i].name] = unpacked(child);
        ++counts[r.verdict];
        bound += r.verdict == CaseVerdict::passed && !r.text.empty() ? 1 : 0;
        if (!options.check && !options.summary)
          std::cout << cases[i].name << ": " << to_string(r.verdict) << (r.text.empty() ? "" : ": ") << one_line(r.text)
                    << std::endl;
      });
  std::cout << counts[CaseVerdict::passed] << " of " << cases.size() << " cases pass";
  if (bound != 0) std::cout << " (" << bound << " of them with operands as constants)";
  std::cout << ", " << counts[CaseVerdict::refused] << " are refused, " << counts[CaseVerdict::failed] << " fail\n";
  if (options.summary) print_summary(results);
  if (!options.check && !options.write_list) return counts[CaseVerdict::failed] == 0 ? 0 : 1;
  auto list = CaseList::read(options.list);
  if (!list) {
    std::cout << options.list << ": cannot be read\n";
    return 1;
  }
  if (options.write_list) {
    list->update(results);
    return list->write(options.list) ? 0 : 1;
  }
  const std::vector<std::string> problems =
      list->unexpected(results, options.evaluator ? Runner::evaluator : Runner::generated_code);
  for (const std::string& p : problems) std::cout << one_line(p) << "\n";
  return problems.empty() ? 0 : 1;
}

}  // namespace
}  // namespace byoc::test

int main(int argc, char** argv) {
  byoc::test::Options options;
  std::vector<std::string> ids;
  for (const byoc::reference::Backend& b : byoc::reference::backends()) ids.emplace_back(b.id);
  CLI::App app(
      "Runs the official ONNX operator cases through generated C on this machine.\n"
      "Prints case: passed | refused: reason | failed: what");
  app.add_option("--filter", options.filter, "cases whose name matches, with or without its folder: 'test_conv*'");
  app.add_option("--backend", options.backend, "the reference backend that compiles them")->check(CLI::IsMember(ids));
  app.add_option("--keep", options.keep, "leave the archives, headers and shared objects in this folder");
  app.add_option("--cases", options.cases, "a folder with cases instead of the official ones");
  app.add_option("--jobs,-j", options.jobs, "cases at a time (default 2)");
  app.add_option("--shard", options.shard, "I/N: every Nth case from the Ith on");
  app.add_option("--list-file", options.list, "the list of cases that do not pass");
  app.add_flag("--list", options.only_list, "name the cases, run nothing");
  app.add_flag("--check", options.check, "print what the list file does not expect; fail if there is any");
  app.add_flag("--write-list", options.write_list, "bring the list file up to date");
  app.add_flag("--only-new", options.only_new, "of --cases, those whose name no official case has");
  app.add_flag("--summary", options.summary, "how many cases pass, are refused and fail, by the reason");
  app.add_flag("--evaluator", options.evaluator, "the evaluator alone, no generated code");
  CLI11_PARSE(app, argc, argv);
  return byoc::test::run(options);
}
