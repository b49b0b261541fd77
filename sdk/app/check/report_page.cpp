// The outcome as a page.
#include "sdk/app/check/check.hpp"
#include "sdk/base/page/page.hpp"
#include "sdk/base/page/text.hpp"

namespace byoc::check {
namespace {

using State = CheckResult::State;
using page::text_cell;

page::Cell state_cell(State state) {
  page::Cell out = text_cell(state == State::passed ? "ok" : state == State::failed ? "FAILED" : "skipped");
  out.kind = state == State::passed ? "yes" : state == State::failed ? "no" : "";
  return out;
}

page::Table checks(const Report& report) {
  page::Table out{{{"group"}, {"check"}, {"what"}, {"outcome"}, {"what it covered"}, {"seconds", true}}, {}};
  for (const CheckResult& r : report.results) {
    page::Cell seconds = text_cell(page::percent(r.seconds));
    seconds.order = r.seconds;
    out.rows.push_back({text_cell(r.info.group), text_cell(r.info.name), text_cell(r.info.title), state_cell(r.state),
                        text_cell(r.state == State::skipped ? r.why : r.note), seconds});
  }
  return out;
}

page::Table findings(const Report& report) {
  page::Table out{{{"check"}, {"requirement"}, {"finding"}, {"found"}, {"expected"}}, {}};
  for (const CheckResult& r : report.results) {
    const auto add = [&](const Finding& f, const char* kind) {
      out.rows.push_back({text_cell(r.info.name), text_cell(f.requirement), text_cell(f.message), text_cell(f.found),
                          text_cell(f.expected)});
      out.rows.back().front().kind = kind;
    };
    for (const Finding& f : r.findings) add(f, "no");
    for (const Finding& f : r.warnings) add(f, "warn");
    if (r.more != 0)
      out.rows.push_back(
          {text_cell(r.info.name), {}, text_cell("and " + page::spaced(r.more) + " more of this kind"), {}, {}});
  }
  return out;
}

}  // namespace

std::string report_page(const Report& report) {
  page::Page page((report.id.empty() ? report.plugin : report.id + " " + report.version) + " on " + report.target,
                  "check of " + report.plugin);
  const page::Figure figures[] = {{"passed", std::to_string(report.count(State::passed)), "checks"},
                                  {"failed", std::to_string(report.count(State::failed)), "checks"},
                                  {"skipped", std::to_string(report.count(State::skipped)), "checks"}};
  page.figures(figures);
  page.table("findings", findings(report), "docs/plugin-abi.md explains the requirements by their numbers.");
  page::Table covered{{{"claimed and run"}}, {}};
  for (const std::string& row : report.coverage) covered.rows.push_back({text_cell(row)});
  page.table("coverage", covered);
  page.table("checks", checks(report));
  return page.html();
}

}  // namespace byoc::check
