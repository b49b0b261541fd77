// The official ONNX operator cases through generated C on a simulated board: those that pass on this machine
// (onnx_cases.txt names the others) are compiled for the target, linked into few firmwares, and run; outputs are
// compared with the expected ones and with the evaluator. device_cases.txt lists what does not fit the board's
// memories.
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "backends/reference.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/export/export.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/conformance/case_list.hpp"
#include "tests/support/counted_outputs.hpp"
#include "tests/support/device_batch.hpp"
#include "tests/support/differential.hpp"
#include "tests/support/in_children.hpp"
#include "tests/support/onnx_cases.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

namespace fs = std::filesystem;
using evaluate::Tensor;

struct Options {
  std::string target = "cortex-m7";
  std::string filter = "*";
  std::string backend{reference::backends()[0].id};
  std::string keep;
  std::string cases;  // a folder of further cases
  std::string host_list = source_dir() + "/tests/conformance/onnx_cases.txt";
  std::string list = source_dir() + "/tests/conformance/device_cases.txt";
  std::size_t jobs = 2, every = 1;
  bool sanitize = false;
  bool faults_only = false;
  bool check = false;
  bool write_list = false;
};

struct Item {
  OnnxCase source;
  Bind bind = Bind::shapes;
  DeviceModel model;  // once it is compiled
  DeviceOutcome outcome;
};

class Run {
 public:
  Run(const Options& options, TargetSpec target, DeviceMemory memory, std::string folder)
      : options_(options), target_(std::move(target)), memory_(memory), folder_(std::move(folder)) {}

  std::map<std::string, CaseResult> run(std::vector<Item> items) {
    items_ = std::move(items);
    compile_all();
    run_all();
    compare_all();
    return std::move(results_);
  }

 private:
  std::string name(const Item& item) const { return target_.name + " " + item.source.name; }

  // "ok <bind> <model>", or a verdict and its text.
  std::string compile(std::size_t index) {
    std::string said;
    for (const Bind bind : {Bind::shapes, Bind::parameters}) {
      std::string problem;
      bool refused = false;
      const auto loaded =
          load_case(items_[index].source, data_sets(items_[index].source).at(0), bind, true, problem, refused);
      if (!loaded) {
        said = problem;
        if (!refused) break;
        continue;
      }
      const auto backend = reference::find(options_.backend)->create({});
      codegen::Codegen* codegens[] = {backend.get()};
      Job job;
      job.target = target_;
      job.name = "case" + std::to_string(index);
      job.codegens = codegens;
      static std::map<std::string, std::vector<std::byte>> kernels;
      job.kernel_objects = &kernels;
      if (options_.sanitize) job.sanitize = kSanitizers;
      Diagnostics diags;
      const auto library = compile_model(loaded->graph, job, diags);
      if (!library) {
        said = error_text(diags);
        continue;
      }
      const DeviceBuild build{.constants_in_c = options_.sanitize};
      const auto model = add_to_batch(*library, folder_, build, loaded->inputs, diags);
      if (!model) return "2" + error_text(diags);
      return "ok " + std::to_string(static_cast<int>(bind)) + " " + model->text();
    }
    return "2" + said;
  }

  void compile_all() {
    run_in_children(
        items_.size(), {.jobs = options_.jobs, .chunk = 40}, [&](std::size_t i) { return compile(i); },
        [&](std::size_t i, const ChildResult& child) {
          Item& item = items_[i];
          if (!child.text.starts_with("ok ")) {
            results_[name(item)] = {CaseVerdict::failed,
                                    child.crash.empty() ? child.text.substr(1) : "compiling: " + child.crash};
            return;
          }
          item.bind = static_cast<Bind>(child.text[3] - '0');
          item.model = DeviceModel::parse(child.text.substr(5));
          if (item.model.ram() > memory_.ram || item.model.constant_bytes > memory_.flash)
            results_[name(item)] = {CaseVerdict::refused,
                                    "needs " + std::to_string(item.model.ram()) + " bytes of RAM and " +
                                        std::to_string(item.model.constant_bytes) + " of constants, the board has " +
                                        std::to_string(memory_.ram) + " and " + std::to_string(memory_.flash)};
        });
  }

  void run_all() {
    std::vector<Item*> left;
    std::vector<DeviceModel> models;
    for (Item& item : items_) {
      if (results_.contains(name(item))) continue;
      left.push_back(&item);
      models.push_back(item.model);
    }
    auto outcomes = run_batches(target_, memory_, folder_, models);
    for (std::size_t k = 0; k < left.size(); ++k) left[k]->outcome = std::move(outcomes[k]);
  }

  std::string compare(const Item& item) {
    if (!item.outcome.problem.empty()) return item.outcome.problem;
    std::string problem;
    bool refused = false;
    const auto loaded = load_case(item.source, data_sets(item.source).at(0), item.bind, true, problem, refused);
    if (!loaded) return problem;
    Diagnostics diags;
    const auto evaluated = evaluate::run(loaded->graph, loaded->inputs, diags);
    if (!evaluated) return error_text(diags);
    std::size_t at = 0;
    std::vector<Tensor> outputs;
    for (std::size_t o = 0; o < evaluated->size(); ++o) {
      const Tensor& e = (*evaluated)[o];
      if (item.outcome.outputs.size() < at + e.bytes.size()) return "output " + std::to_string(o) + " is cut";
      const auto begin = item.outcome.outputs.begin() + static_cast<std::ptrdiff_t>(at);
      Tensor found{e.type, Blob::own({begin, begin + static_cast<std::ptrdiff_t>(e.bytes.size())})};
      found.type.quantisation = std::nullopt;
      at += e.bytes.size();
      outputs.push_back(std::move(found));
    }
    const auto backend = reference::find(options_.backend)->create({});
    const ir::Graph placed = as_placed(*backend, loaded->graph, target_);
    problem = compare_values(placed, loaded->inputs, {}, outputs, stated_by(*backend, placed, target_),
                             evaluate::agreement_on(target_).flushes);
    if (!problem.empty()) return "against the evaluator: " + problem;
    if (problem = without_room(placed, outputs); !problem.empty()) return problem;
    if (loaded->expected.size() < outputs.size()) return "the case has fewer outputs than the model";
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      Tensor expected = loaded->expected[o];
      expected.type.quantisation = std::nullopt;
      problem = difference(outputs[o], expected, options_.cases.empty() ? kOfficial : kNewerOfficial);
      if (!problem.empty()) return "output " + std::to_string(o) + " against the case: " + problem;
    }
    return "";
  }

  void compare_all() {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (!results_.contains(name(items_[i]))) left.push_back(i);
    run_in_children(
        left.size(), {.jobs = options_.jobs, .chunk = 100}, [&](std::size_t k) { return compare(items_[left[k]]); },
        [&](std::size_t k, const ChildResult& child) {
          const std::string text = child.crash.empty() ? child.text : child.crash;
          results_[name(items_[left[k]])] = {text.empty() ? CaseVerdict::passed : CaseVerdict::failed, text};
        });
  }

  const Options& options_;
  TargetSpec target_;
  DeviceMemory memory_;
  std::string folder_;
  std::vector<Item> items_;
  std::map<std::string, CaseResult> results_;
};

bool matches(const Options& options, const std::string& name) {
  return fnmatch(options.filter.c_str(), name.c_str(), 0) == 0 ||
         fnmatch(("*/" + options.filter).c_str(), name.c_str(), 0) == 0;
}

// True for a program that a sanitizer or the system ended, or that does not end.
bool is_fault(const CaseResult& r) {
  return r.text.starts_with("ends the program") || r.text.starts_with("does not end");
}

int report_faults(const std::map<std::string, CaseResult>& results) {
  std::size_t faults = 0;
  for (const auto& [name, r] : results) {
    if (!is_fault(r)) continue;
    ++faults;
    std::cout << name << ": " << r.text << "\n";
  }
  std::cout << faults << " of " << results.size() << " cases end their program\n";
  return faults == 0 ? 0 : 1;
}

int run(const Options& options) {
  Diagnostics diags;
  const auto host_list = CaseList::read(options.host_list);
  auto list = CaseList::read(options.list);
  const auto target = options.sanitize ? sanitized_host(diags) : resolve_target(options.target, diags);
  const auto memory = target ? device_memory(*target, diags) : Result<DeviceMemory>(failure);
  auto scratch = TemporaryDirectory::create(diags);
  if (!host_list || !list || !memory || !scratch) {
    std::cout << "cannot start: " << error_text(diags) << "\n";
    return 1;
  }
  std::vector<Item> items;
  const auto all = options.cases.empty() ? onnx_cases() : onnx_cases_in(options.cases, "newer");
  for (std::size_t i = 0; i < all.size(); i += options.every)
    if (matches(options, all[i].name) && !host_list->contains(all[i].name))
      items.push_back({all[i], Bind::shapes, {}, {}});
  if (items.empty()) {
    std::cout << "no case: is libonnx-testdata installed?\n";
    return 77;
  }
  if (!options.keep.empty()) fs::create_directories(options.keep);
  Run work(options, *target, *memory, options.keep.empty() ? scratch->path() : options.keep);
  const auto results = work.run(std::move(items));
  if (options.faults_only) return report_faults(results);
  std::map<CaseVerdict, std::size_t> counts;
  for (const auto& [name, r] : results) {
    ++counts[r.verdict];
    if (!options.check && r.verdict != CaseVerdict::passed)
      std::cout << name << ": " << to_string(r.verdict) << ": " << r.text << "\n";
  }
  std::cout << counts[CaseVerdict::passed] << " of " << results.size() << " cases pass on " << target->name << ", "
            << counts[CaseVerdict::refused] << " do not fit it, " << counts[CaseVerdict::failed] << " fail\n";
  if (options.write_list) {
    list->update(results);
    return list->write(options.list) ? 0 : 1;
  }
  if (!options.check) return counts[CaseVerdict::failed] == 0 ? 0 : 1;
  const std::vector<std::string> problems = list->unexpected(results);
  for (const std::string& p : problems) std::cout << p << "\n";
  return problems.empty() ? 0 : 1;
}

}  // namespace
}  // namespace byoc::test

int main(int argc, char** argv) {
  byoc::test::Options options;
  std::vector<std::string> ids;
  for (const byoc::reference::Backend& b : byoc::reference::backends()) ids.emplace_back(b.id);
  CLI::App app("Runs the official ONNX operator cases through generated C on a simulated board.");
  CLI::Option* target =
      app.add_option("--target", options.target, "cortex-m7, riscv32imc or another target with a board");
  app.add_flag("--sanitize", options.sanitize, "on this machine, in programs with ASan and UBSan")->excludes(target);
  app.add_option("--filter", options.filter, "cases whose name matches, with or without its folder: 'test_conv*'");
  app.add_option("--backend", options.backend, "the reference backend that compiles them")->check(CLI::IsMember(ids));
  app.add_option("--keep", options.keep, "leave what is built in this folder");
  app.add_option("--cases", options.cases, "a folder with cases instead of the official ones");
  app.add_option("--host-list", options.host_list, "the list of cases that do not pass on this machine");
  app.add_option("--list-file", options.list, "the list of cases that do not fit");
  app.add_option("--jobs,-j", options.jobs, "cases at a time (default 2)");
  app.add_option("--every", options.every, "of so many cases one");
  app.add_flag("--faults-only", options.faults_only, "a case fails only if its program does not end as programs do");
  app.add_flag("--check", options.check, "print what the list file does not expect; fail if there is any");
  app.add_flag("--write-list", options.write_list, "bring the list file up to date");
  CLI11_PARSE(app, argc, argv);
  return byoc::test::run(options);
}
