#include "sdk/base/page/page.hpp"

#include <algorithm>
#include <cassert>

#include "sdk/base/page/files.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/markup.hpp"

namespace byoc::page {
namespace {

constexpr std::size_t kNameWidth = 34;  // characters
// The place of further facts. Text of others is escaped, so that none of it is this.
constexpr std::string_view kFurtherFacts = "<!-- further facts -->";

std::string escape(const std::string& text) { return markup_text(utf8(text)); }

std::string bar(double share) {
  if (share < 0) return {};
  return "<i class=\"bar\" style=\"--share:" + percent(100 * std::clamp(share, 0.0, 1.0)) + "%\"></i>";
}

std::string fact_html(const std::string& what, const std::string& fact) {
  return "<div><dt>" + escape(what) + "</dt><dd>" + escape(fact) + "</dd></div>\n";
}

// Escaped text in which a line may end behind each underscore.
std::string breaking(const std::string& escaped) {
  std::string out;
  for (const char c : escaped) {
    out += c;
    if (c == '_') out += "<wbr>";
  }
  return out;
}

// A span of the class, where there is one.
std::string short_text(const Cell& cell) {
  const std::string shown = cell.breaks ? breaking(escape(cell.text)) : escape(cell.text);
  const std::string text = cell.link.empty() ? shown : "<a href=\"" + escape(cell.link) + "\">" + shown + "</a>";
  if (cell.whole.empty() || cell.whole == cell.text) return text;
  return "<details class=\"name\"><summary>" + text + "</summary>" + escape(cell.whole) + "</details>";
}

std::string cell_html(const Cell& cell, const Column& column) {
  std::string kind = column.number ? "number" : "";
  if (!cell.kind.empty()) kind += (kind.empty() ? "" : " ") + cell.kind;
  std::string out = kind.empty() ? "<td" : "<td class=\"" + kind + "\"";
  if (column.number) out += " data-order=\"" + percent(cell.order) + "\"";
  return out + ">" + bar(cell.share) + short_text(cell) + "</td>";
}

std::string detail_html(const Detail& detail) {
  std::string code;
  for (const std::string& id : detail.code) code += (code.empty() ? "" : " ") + escape(id);
  std::string out = "<div class=\"detail\" id=\"" + escape(detail.id) + "\"" +
                    (code.empty() ? "" : " data-code=\"" + code + "\"") + "><h3>" + escape(detail.title) + "</h3><dl>";
  for (const auto& [what, text] : detail.lines) out += "<dt>" + escape(what) + "</dt><dd>" + escape(text) + "</dd>";
  return out + "</dl></div>\n";
}

std::string code_html(const Code& code) {
  const auto part = [](const char* heading, const std::string& text) {
    return "<div><h3>" + std::string(heading) + "</h3><pre tabindex=\"0\">" +
           escape(text.empty() ? "It is not there in this form." : text) + "</pre></div>\n";
  };
  return "<details class=\"code\" id=\"" + escape(code.id) + "\"><summary>" + escape(code.title) +
         "</summary><div class=\"beside\">\n" + part("C", code.c) + part("Assembly", code.assembly) +
         "</div></details>\n";
}

}  // namespace

Cell text_cell(const std::string& text) { return {text}; }

Cell identifier_cell(const std::string& text) {
  Cell out = text_cell(text);
  out.breaks = true;
  return out;
}

Cell index_cell(std::size_t index) {
  Cell out = text_cell(std::to_string(index));
  out.order = static_cast<double>(index);
  return out;
}

Cell name_cell(const std::string& whole) {
  Cell out{short_name(utf8(whole), kNameWidth)};
  if (out.text != whole) out.whole = whole;
  return out;
}

Cell node_cell(const std::string& whole) { return {short_node(utf8(whole), kNameWidth), whole}; }

Cell remark_cell(const std::string& whole) { return {cut(utf8(whole), kNameWidth), whole}; }

Cell number_cell(std::uint64_t value, std::uint64_t most) {
  Cell out{value == 0 ? "" : spaced(value)};
  out.order = static_cast<double>(value);
  if (most != 0 && value != 0) out.share = static_cast<double>(value) / static_cast<double>(most);
  return out;
}

Cell share_cell(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  Cell out;
  out.share = static_cast<double>(part) / static_cast<double>(whole);
  out.order = 100 * out.share;
  out.text = percent(out.order) + "\u202f%";
  return out;
}

Page::Page(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void Page::headline(const std::string& text, const std::string& more) {
  headline_ += "<p class=\"headline\">" + escape(text) + "</p>\n";
  if (!more.empty()) headline_ += "<p class=\"note\">" + escape(more) + "</p>\n";
}

void Page::figures(std::span<const Figure> figures) {
  head_ += "<div class=\"figures\">\n";
  for (const Figure& f : figures)
    head_ += "<div><span class=\"label\">" + escape(f.label) + "</span><b>" + escape(f.value) + "</b>" + bar(f.share) +
             "<span class=\"note\">" + escape(f.note) + "</span></div>\n";
  head_ += "</div>\n";
}

void Page::warnings(std::span<const Warning> warnings) {
  if (warnings.empty()) return;
  head_ += "<ul class=\"warnings\">\n";
  for (const Warning& w : warnings) head_ += "<li><b>" + escape(w.what) + "</b> " + escape(w.advice) + "</li>\n";
  head_ += "</ul>\n";
}

void Page::section(const std::string& heading, const std::string& content) {
  const std::string id = "s" + std::to_string(++sections_);
  contents_ += "<a href=\"#" + id + "\">" + escape(heading) + "</a>\n";
  body_ += "<section id=\"" + id + "\">\n<h2>" + escape(heading) + "</h2>\n" + content + "</section>\n";
}

void Page::table(const std::string& heading, const Table& table, const std::string& note) {
  if (table.rows.empty()) return;
  std::string out = note.empty() ? "" : "<p class=\"note\">" + escape(note) + "</p>\n";
  out +=
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escape(heading) + "\"><table><thead><tr>";
  for (const Column& c : table.columns)
    out += std::string("<th scope=\"col\"") + (c.number ? " class=\"number\"" : "") + ">" + escape(c.title) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) out += cell_html(row[c], table.columns[c]);
    out += "</tr>\n";
  }
  section(heading, out + "</tbody></table></div>\n");
}

void Page::drawing(const std::string& heading, const std::string& svg, std::span<const Detail> details,
                   std::span<const std::pair<std::string, std::string>> legend, std::span<const Code> code) {
  std::string out;
  if (!legend.empty()) {
    out += "<p class=\"legend\">";
    for (const auto& [tone, what] : legend)
      out += "<span><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"box " + escape(tone) +
             "\" x=\"1\" y=\"1\" width=\"12\" height=\"12\" rx=\"3\"/></svg> " + escape(what) + "</span>\n";
    out += "</p>\n";
  }
  out += "<div class=\"drawing" + std::string(details.empty() ? "" : " with-details") +
         "\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escape(heading) + "\">\n" + svg +
         "</div>\n";
  if (!details.empty()) {
    out +=
        "<aside><p class=\"note\">Follow a box of the drawing, by a click or with Tab and Enter: what is known of it "
        "is shown here.</p>\n";
    for (const Detail& d : details) out += detail_html(d);
    out += "</aside>\n";
  }
  out += "</div>\n";
  for (const Code& c : code) out += code_html(c);
  section(heading, out);
}

void Page::remark(const std::string& heading, const std::string& text) {
  section(heading, "<p>" + escape(text) + "</p>\n");
}

std::string Page::html() const {
  return fill_template(page_files(), "page.html",
                       {{"TITLE", escape(title_)},
                        {"SUBTITLE", escape(subtitle_)},
                        {"STYLE", std::string(file_text("page.css"))},
                        {"SCRIPT", std::string(file_text("page.js"))},
                        {"FACTS", fact_html("byoc", helper_version())},
                        {"HEADLINE", headline_},
                        {"HEAD", head_},
                        {"CONTENTS", contents_},
                        {"BODY", body_}});
}

std::string with_facts(std::string html, std::span<const std::pair<std::string, std::string>> facts) {
  const std::size_t place = html.find(kFurtherFacts);
  assert(place != std::string::npos);
  std::string added;
  for (const auto& [what, fact] : facts) added += fact_html(what, fact);
  return html.insert(place, added);
}

}  // namespace byoc::page
