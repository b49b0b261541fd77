// The cases of ONNX Runtime's own unit tests, interpreted, by the vm or as generated C.
//
//   conformance_ort --cases FOLDER                              # interpreted
//   conformance_ort --cases FOLDER --executor c --every 5
//   conformance_ort --cases FOLDER --table docs/onnxruntime-cases.md
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
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
  std::string cases, filter = "*", table, cache;
  std::vector<std::string> executors;
  std::string differences = source_dir() + "/tests/conformance/ort_differences.txt";
  std::size_t jobs = 1, every = 1;
  bool check = false, verbose = false;
};

struct Outcome {
  Verdict verdict = Verdict::right;
  std::string why;
};

struct Row {
  std::size_t right = 0, refused = 0, differs = 0, wrong = 0;  // of cases that succeed
  std::size_t accepted = 0, rejected = 0;                      // of cases that fail
  std::set<std::string> reasons = {};                          // why not right

  void add(const Row& r) {
    right += r.right, refused += r.refused, differs += r.differs, wrong += r.wrong;
    accepted += r.accepted, rejected += r.rejected;
  }
  [[nodiscard]] std::size_t succeeding() const { return right + refused + differs + wrong; }
  [[nodiscard]] std::size_t failing() const { return accepted + rejected; }
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

// A diagnostic without the file that stands before it.
std::string without_path(const std::string& text) {
  constexpr std::string_view kError = ": error: ";
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(kError);
    out += (out.empty() ? "" : "\n") + (at == std::string::npos ? line : line.substr(at + kError.size()));
  }
  return out;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', '|');
  return text;
}

// The results of one executor by operator.
class Report {
 public:
  Report(const Options& options, const CaseList& differences) : options_(options), differences_(differences) {}

  void add(const OrtCase& one, const Outcome& outcome) {
    Row& row = rows_[one.op];
    const bool known = differences_.contains(one.files.name);
    const Verdict v = outcome.verdict;
    if (one.fails)
      ++(v == Verdict::right ? row.rejected : row.accepted);
    else
      ++(v == Verdict::right ? row.right : v == Verdict::refused ? row.refused : known ? row.differs : row.wrong);
    const bool unexpected = v == Verdict::crashed || (v == Verdict::wrong && !known);
    unexpected_ += unexpected ? 1 : 0;
    const std::string why = without_path(outcome.why);
    if (v == Verdict::refused) row.reasons.insert(reason_of(why));
    if (v == Verdict::wrong && known) row.reasons.insert(differences_.reason_for(one.files.name));
    if (options_.verbose ? v != Verdict::right : unexpected)
      std::printf("%s\t%s\t%s%s\t%s\n", one.files.name.c_str(), one.op.c_str(), name_of(v), known ? " (listed)" : "",
                  one_line(why).c_str());
    std::fflush(stdout);
  }

  [[nodiscard]] std::size_t unexpected() const { return unexpected_; }
  [[nodiscard]] Row total() const {
    Row out;
    for (const auto& [op, r] : rows_) out.add(r);
    return out;
  }
  [[nodiscard]] const std::map<std::string, Row>& rows() const { return rows_; }

 private:
  const Options& options_;
  const CaseList& differences_;
  std::map<std::string, Row> rows_;
  std::size_t unexpected_ = 0;
};

std::string total_text(const std::string& executor, const Row& t) {
  const auto number = [](std::size_t n) { return std::to_string(n); };
  return executor + ": of " + number(t.succeeding()) + " cases that succeed " + number(t.right) + " are right, " +
         number(t.refused) + " refused, " + number(t.differs) + " different on purpose, " + number(t.wrong) +
         " wrong; of " + number(t.failing()) + " that fail " + number(t.rejected) + " are refused";
}

// "right of all"
std::string cell(const Row& r) {
  return std::to_string(r.right + r.rejected) + " of " + std::to_string(r.succeeding() + r.failing());
}

std::string table_of(const Options& options, const std::vector<Report>& reports) {
  std::ostringstream out;
  out << "# Cases of ONNX Runtime's unit tests\n\n"
      << "Written by `./dev conformance --ort`: models of one or a few nodes, with the results that the tests of ONNX\n"
      << "Runtime 1.27 expect, or an error. Behind each operator stands how many of its cases are right, and why "
         "others\n"
      << "are not. Results that differ on purpose are listed in `tests/conformance/ort_differences.txt`.";
  if (options.every > 1) out << " One case of " << options.every << " was run.";
  out << "\n\n";
  for (std::size_t i = 0; i < reports.size(); ++i)
    out << "- " << total_text(options.executors[i], reports[i].total()) << ".\n";
  out << "\n| operator |";
  for (const std::string& e : options.executors) out << " " << e << " |";
  out << " not right |\n|---|";
  for (std::size_t i = 0; i <= reports.size(); ++i) out << "---|";
  out << "\n";
  for (const auto& [op, first] : reports[0].rows()) {
    out << "| " << op << " |";
    std::set<std::string> reasons;
    for (const Report& r : reports) {
      const Row& row = r.rows().at(op);
      out << " " << cell(row) << " |";
      reasons.insert(row.reasons.begin(), row.reasons.end());
    }
    std::string text;
    for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
    out << " " << one_line(text) << " |\n";
  }
  return out.str();
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
  std::vector<Report> reports;
  std::size_t unexpected = 0;
  for (const std::string& name : options.executors) {
    Report& report = reports.emplace_back(options, *differences);
    const OrtExecutor execute = ort_executor(name, options.cache);
    run_in_children(
        cases.size(), {.jobs = options.jobs, .chunk = 200},
        [&](std::size_t i) {
          const Outcome out = judge(cases[i], execute(cases[i]));
          return std::string(1, static_cast<char>(out.verdict)) + out.why;
        },
        [&](std::size_t i, const ChildResult& child) { report.add(cases[i], unpacked(child)); });
    unexpected += report.unexpected();
    std::puts(total_text(name, report.total()).c_str());
  }
  if (!options.table.empty()) std::ofstream(options.table) << table_of(options, reports);
  return options.check && unexpected != 0 ? 1 : 0;
}

}  // namespace
}  // namespace byoc::test

int main(int argc, char** argv) {
  byoc::test::Options options;
  CLI::App app("Cases of ONNX Runtime's own unit tests");
  app.add_option("--cases", options.cases, "where they are")->required();
  app.add_option("--executor", options.executors, "interpreted, vm or c, or several of them")
      ->check(CLI::IsMember({"interpreted", "vm", "c"}));
  app.add_option("--filter", options.filter, "cases whose name matches");
  app.add_option("--every", options.every, "of so many cases one");
  app.add_option("--jobs,-j", options.jobs, "cases at a time");
  app.add_option("--differences", options.differences, "the list of results that differ on purpose");
  app.add_option("--cache", options.cache, "folder of compiled objects");
  app.add_flag("--check", options.check, "fail where a case crashes, or is wrong and not listed");
  app.add_option("--table", options.table, "file that gets the table by operator");
  app.add_flag("--verbose", options.verbose, "name every case that is not right, with the reason");
  CLI11_PARSE(app, argc, argv);
  if (options.executors.empty()) options.executors = {"interpreted"};
  return byoc::test::run(options);
}
