// Two runs as a page.
#include <algorithm>

#include "sdk/base/page/page.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/run/simulate/run_difference.hpp"

namespace byoc {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

double signed_change(const Change& c) {
  return static_cast<double>(c.after.value_or(0)) - static_cast<double>(c.before.value_or(0));
}

page::Cell count_cell(const std::optional<std::uint64_t>& value) {
  page::Cell out = page::text_cell(value ? page::spaced(*value) : "");
  out.order = static_cast<double>(value.value_or(0));
  return out;
}

// Red where it grew, green where it shrank.
page::Cell change_cell(const Change& c) {
  if (c.is_none()) return {};
  const std::uint64_t before = c.before.value_or(0), after = c.after.value_or(0);
  page::Cell out =
      page::text_cell(after < before ? "−" + page::spaced(before - after) : "+" + page::spaced(after - before));
  out.order = signed_change(c);
  out.kind = after < before ? "yes" : after > before ? "no" : "";
  return out;
}

page::Cell percent_cell(const Change& c) {
  page::Cell out = page::text_cell(change_percent(c));
  out.order = c.before.value_or(0) == 0 ? 0 : 100 * signed_change(c) / static_cast<double>(*c.before);
  return out;
}

page::Table figure_table(const RunDifference& d) {
  page::Table out{{{"figure"}, {"before", true}, {"after", true}, {"change", true}, {"share", true}}, {}};
  for (const Change& c : d.figures)
    out.rows.push_back({page::text_cell((c.is_part ? "\u00a0\u00a0\u00a0" : "") + c.name), count_cell(c.before),
                        count_cell(c.after), change_cell(c), percent_cell(c)});
  return out;
}

page::Table layer_table(const RunDifference& d) {
  const std::string unit = d.unit.empty() ? "time" : d.unit;
  page::Table out{{{"layer"},
                   {"kernel before"},
                   {"kernel after"},
                   {unit + " before", true},
                   {"after", true},
                   {"change", true},
                   {"share", true},
                   {"flash of constants", true},
                   {"RAM in use", true}},
                  {}};
  for (const LayerChange& c : d.layers)
    out.rows.push_back({page::node_cell(c.layer), page::identifier_cell(c.kernel_before),
                        page::identifier_cell(c.kernel_after), count_cell(c.time.before), count_cell(c.time.after),
                        change_cell(c.time), percent_cell(c.time), change_cell(c.constants), change_cell(c.ram)});
  return out;
}

// "kws on cortex-m4f: cycles -5.8 %, flash =, RAM +1.2 %"
std::string headline_of(const RunDifference& d) {
  std::string out = d.subject;
  std::size_t told = 0;
  for (const Change& c : d.figures) {
    if (c.is_part || !c.before || !c.after) continue;
    const std::string share = change_percent(c);
    out += (told++ == 0 ? ": " : ", ") + c.name + " " +
           (c.is_none()     ? "as before"
            : share.empty() ? change_text(c)
                            : share);
  }
  return out;
}

}  // namespace

std::string difference_page(const RunDifference& d) {
  const bool alike = file_name(d.before) == file_name(d.after);
  page::Page page(d.subject, (alike ? d.before : file_name(d.before)) + " before, " +
                                 (alike ? d.after : file_name(d.after)) + " after");
  page.headline(headline_of(d));
  std::vector<page::Warning> warnings;
  for (const std::string& remark : d.remarks) warnings.push_back({"Not the same:", remark + "."});
  page.warnings(warnings);
  page.table("figures", figure_table(d), "Parts that did not change are left out.");
  page.table("layers", layer_table(d), d.same == 0 ? "" : std::to_string(d.same) + " further layers are the same.");
  if (d.layers.empty()) page.remark("layers", "All layers are the same.");
  const page::Facts facts = {{"before", d.origin_before}, {"after", d.origin_after}};
  return page::with_facts(page.html(), facts);
}

}  // namespace byoc
