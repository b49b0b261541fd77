// The cases of ONNX Runtime's own unit tests, interpreted, by the vm or as generated C.
//
//   conformance_ort --cases FOLDER                              # interpreted
//   conformance_ort --cases FOLDER --executor c --every 5
//   conformance_ort --cases FOLDER --table docs/onnxruntime-cases.md
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/conformance/case_list.hpp"
#include "tests/conformance/ort_cases.hpp"
#include "tests/conformance/ort_executors.hpp"
#include "tests/support/in_children.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc::test {
namespace {

constexpr int kSkipped = 77;

enum class Verdict : char { right = 'r', wrong = 'w', refused = 'n', accepted = 'a', crashed = 'c' };

struct Options {
  std::string cases, executor = "interpreted", filter = "*", table, cache;
  std::string differences = source_dir() + "/tests/conformance/ort_differences.txt";
  std::size_t jobs = 1, every = 1;
  bool check = false, verbose = false;
};

struct Outcome {
  Verdict verdict = Verdict::right;
  std::string why;
};

struct Row {
  std::size_t right = 0, refused = 0, differs = 0, wrong = 0, failing = 0, refused_failing = 0;
};

Outcome judge(const OrtCase& one, const OrtRun& run) {
  if (one.fails) return {run.outputs ? Verdict::accepted : Verdict::right, run.outputs ? "is accepted" : ""};
  if (!run.outputs) return {Verdict::refused, run.refusal};
  const std::string why = compare_outputs(one, *run.outputs);
  return {why.empty() ? Verdict::right : Verdict::wrong, why};
}

const char* name_of(Verdict v) {
  switch (v) {
    case Verdict::right: return "right";
    case Verdict::wrong: return "wrong";
    case Verdict::refused: return "refused";
    case Verdict::accepted: return "accepted";
    case Verdict::crashed: return "crashed";
  }
  return "";
}

std::vector<OrtCase> chosen(const Options& options) {
  std::vector<OrtCase> out, all = ort_cases_in(options.cases);
  for (std::size_t i = 0; i < all.size(); i += options.every)
    if (fnmatch(("ort/" + options.filter).c_str(), all[i].files.name.c_str(), 0) == 0) out.push_back(std::move(all[i]));
  return out;
}

// Where the model is stands before every diagnostic.
std::string without_path(std::string text, const OrtCase& one) {
  const std::string part = one.files.path + "/model.onnx: error: ";
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  for (char& c : text)
    if (c == '\n') c = '|';
  return text;
}

class Report {
 public:
  Report(const Options& options, const CaseList& differences) : options_(options), differences_(differences) {}

  void add(const OrtCase& one, const Outcome& outcome) {
    Row& row = rows_[one.op];
    const bool known = differences_.contains(one.files.name);
    const Verdict v = outcome.verdict;
    if (one.fails)
      ++(v == Verdict::right ? row.refused_failing : row.failing);
    else
      ++(v == Verdict::right ? row.right : v == Verdict::refused ? row.refused : known ? row.differs : row.wrong);
    const bool unexpected = v == Verdict::crashed || (v == Verdict::wrong && !known) || (v == Verdict::right && known);
    unexpected_ += unexpected ? 1 : 0;
    if (v == Verdict::refused || v == Verdict::accepted) reasons_[one.op].insert(reason_of(outcome.why));
    if (options_.verbose ? v != Verdict::right : unexpected)
      std::printf("%s\t%s\t%s%s\t%s\n", one.files.name.c_str(), one.op.c_str(), name_of(v), known ? " (listed)" : "",
                  without_path(outcome.why, one).c_str());
    std::fflush(stdout);
  }

  [[nodiscard]] std::size_t unexpected() const { return unexpected_; }
  [[nodiscard]] Row total() const {
    Row out;
    for (const auto& [op, r] : rows_) {
      out.right += r.right, out.refused += r.refused, out.differs += r.differs, out.wrong += r.wrong;
      out.failing += r.failing, out.refused_failing += r.refused_failing;
    }
    return out;
  }
  [[nodiscard]] const std::map<std::string, Row>& rows() const { return rows_; }

 private:
  const Options& options_;
  const CaseList& differences_;
  std::map<std::string, Row> rows_;
  std::map<std::string, std::set<std::string>> reasons_;
  std::size_t unexpected_ = 0;
};

void print(const Options& options, const Row& t) {
  std::printf("%s: of %zu cases that succeed %zu are right, %zu refused, %zu different on purpose, %zu wrong; of %zu "
              "that fail %zu are refused\n",
              options.executor.c_str(), t.right + t.refused + t.differs + t.wrong, t.right, t.refused, t.differs,
              t.wrong, t.failing + t.refused_failing, t.refused_failing);
}

Outcome unpacked(const ChildResult& child) {
  if (!child.crash.empty() || child.text.empty()) return {Verdict::crashed, child.crash};
  return {static_cast<Verdict>(child.text[0]), child.text.substr(1)};
}

int run(const Options& options) {
  const std::vector<OrtCase> cases = chosen(options);
  if (cases.empty()) return std::puts("there are no cases"), kSkipped;
  const auto differences = CaseList::read(options.differences);
  if (!differences) return std::printf("%s: cannot be read\n", options.differences.c_str()), 1;
  Report report(options, *differences);
  const OrtExecutor execute = ort_executor(options.executor, options.cache);
  run_in_children(
      cases.size(), {.jobs = options.jobs, .chunk = 200},
      [&](std::size_t i) {
        const Outcome out = judge(cases[i], execute(cases[i]));
        return std::string(1, static_cast<char>(out.verdict)) + out.why;
      },
      [&](std::size_t i, const ChildResult& child) { report.add(cases[i], unpacked(child)); });
  print(options, report.total());
  return options.check && report.unexpected() != 0 ? 1 : 0;
}

}  // namespace
}  // namespace byoc::test

int main(int argc, char** argv) {
  byoc::test::Options options;
  CLI::App app("Cases of ONNX Runtime's own unit tests");
  app.add_option("--cases", options.cases, "where they are")->required();
  app.add_option("--executor", options.executor, "interpreted, vm or c")
      ->check(CLI::IsMember({"interpreted", "vm", "c"}));
  app.add_option("--filter", options.filter, "cases whose name matches");
  app.add_option("--every", options.every, "of so many cases one");
  app.add_option("--jobs,-j", options.jobs, "cases at a time");
  app.add_option("--differences", options.differences, "the list of results that differ on purpose");
  app.add_option("--cache", options.cache, "folder of compiled objects");
  app.add_flag("--check", options.check, "fail where a case is wrong, and not listed; or crashes; or is right, and listed");
  app.add_flag("--verbose", options.verbose, "name every case that is not right, with the reason");
  CLI11_PARSE(app, argc, argv);
  return byoc::test::run(options);
}
