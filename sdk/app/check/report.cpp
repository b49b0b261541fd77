// The outcome for people and for machines.
#include <algorithm>
#include <cstdio>

#include "sdk/app/check/check.hpp"
#include "sdk/base/support/markup.hpp"

namespace byoc::check {
namespace {

using State = CheckResult::State;

std::string difference(const Finding& f) {
  if (f.found.empty() && f.expected.empty()) return {};
  std::string out = " (";
  if (!f.found.empty()) out += "found " + f.found;
  if (!f.expected.empty()) out += (f.found.empty() ? "expected " : ", expected ") + f.expected;
  return out + ")";
}

std::string line(const Finding& f) { return f.requirement + ": " + f.message + difference(f); }

std::string more_text(const CheckResult& r) {
  return r.more == 0 ? "" : "and " + std::to_string(r.more) + " more of this kind";
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

std::vector<std::string> groups_of(const Report& report) {
  std::vector<std::string> out;
  for (const CheckResult& r : report.results) {
    bool known = false;
    for (const std::string& g : out) known = known || g == r.info.group;
    if (!known) out.push_back(r.info.group);
  }
  return out;
}

}  // namespace

std::string report_text(const Report& report) {
  std::string out = report.plugin + (report.id.empty() ? "" : ": " + report.id + " " + report.version) + ", target " +
                    report.target + "\n";
  for (const std::string& group : groups_of(report)) {
    out += "\n" + group + "\n";
    for (const CheckResult& r : report.results) {
      if (r.info.group != group) continue;
      const char* const word = r.state == State::passed ? "ok     " : r.state == State::failed ? "FAILED " : "skipped";
      std::string head = "  " + std::string(word) + " " + r.info.name;
      head.resize(std::max<std::size_t>(head.size(), 26), ' ');
      out += head + " " + r.info.title;
      if (!r.note.empty()) out += " [" + r.note + "]";
      if (r.state == State::skipped && !r.why.empty()) out += " - " + r.why;
      out += "\n";
      for (const Finding& f : r.findings) out += "            " + line(f) + "\n";
      for (const Finding& f : r.warnings) out += "            warning: " + f.message + difference(f) + "\n";
      if (r.more != 0) out += "            " + more_text(r) + "\n";
    }
  }
  if (!report.coverage.empty()) out += "\nclaimed and run\n";
  for (const std::string& row : report.coverage) out += "  " + row + "\n";
  out += "\n" + std::to_string(report.count(State::passed)) + " passed, " +
         std::to_string(report.count(State::failed)) + " failed, " + std::to_string(report.count(State::skipped)) +
         " skipped\n";
  if (report.count(State::failed) != 0) out += "docs/plugin-abi.md explains the requirements by their numbers\n";
  return out;
}

std::string report_junit(const Report& report) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += "<testsuites name=\"byoc check-plugin " + markup_text(report.id.empty() ? report.plugin : report.id) +
         "\" tests=\"" + std::to_string(report.results.size()) + "\" failures=\"" +
         std::to_string(report.count(State::failed)) + "\" errors=\"0\" skipped=\"" +
         std::to_string(report.count(State::skipped)) + "\">\n";
  for (const std::string& group : groups_of(report)) {
    std::size_t tests = 0, failures = 0, skipped = 0;
    std::string cases;
    for (const CheckResult& r : report.results) {
      if (r.info.group != group) continue;
      ++tests;
      failures += r.state == State::failed ? 1 : 0;
      skipped += r.state == State::skipped ? 1 : 0;
      cases += "    <testcase classname=\"" + markup_text("byoc.check-plugin." + group) + "\" name=\"" +
               markup_text(r.info.name) + "\" time=\"" + seconds_text(r.seconds) + "\"";
      if (r.state == State::passed) {
        cases += "/>\n";
        continue;
      }
      cases += ">\n";
      if (r.state == State::skipped) cases += "      <skipped message=\"" + markup_text(r.why) + "\"/>\n";
      if (r.state == State::failed) {
        std::string all;
        for (const Finding& f : r.findings) all += line(f) + "\n";
        cases += "      <failure type=\"" + markup_text(r.findings[0].requirement) + "\" message=\"" +
                 markup_text(line(r.findings[0])) + "\">" + markup_text(all + more_text(r)) + "</failure>\n";
      }
      cases += "    </testcase>\n";
    }
    out += "  <testsuite name=\"" + markup_text(group) + "\" tests=\"" + std::to_string(tests) + "\" failures=\"" +
           std::to_string(failures) + "\" errors=\"0\" skipped=\"" + std::to_string(skipped) + "\">\n" + cases +
           "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace byoc::check
