#include "sdk/run/simulate/frontier.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "sdk/base/page/drawing.hpp"
#include "sdk/base/page/page.hpp"
#include "sdk/base/page/text.hpp"

namespace byoc {
namespace {

using page::grouped;

// "1.25": how much longer than the fastest.
std::string slower(const Frontier& frontier, const FrontierPoint& point) {
  std::array<char, 32> text{};
  const double least = static_cast<double>(std::max<std::uint64_t>(frontier.points.back().time, 1));
  std::snprintf(text.data(), text.size(), "%.3f", static_cast<double>(point.time) / least);
  return text.data();
}

// "+3.4 %": how much longer than the fastest; "" of the fastest itself.
std::string longer(const Frontier& frontier, const FrontierPoint& point) {
  const std::uint64_t least = std::max<std::uint64_t>(frontier.points.back().time, 1);
  if (point.time <= least) return {};
  return "+" + page::percent(100 * static_cast<double>(point.time - least) / static_cast<double>(least)) + " %";
}

// From the fastest plan to the smallest.
std::string frontier_headline(const Frontier& frontier) {
  const std::string subject = frontier.model + " on " + frontier.target + ": ";
  if (frontier.points.size() < 2) return subject + "one plan is the best in RAM and " + frontier.unit;
  const FrontierPoint &smallest = frontier.points.front(), &fastest = frontier.points.back();
  return subject + "RAM " + page::spaced(fastest.ram) + " → " + page::spaced(smallest.ram) + " bytes for " +
         longer(frontier, smallest).substr(1) + " more " + frontier.unit;
}

}  // namespace

std::vector<std::uint64_t> frontier_bounds(std::uint64_t least, std::uint64_t most, std::size_t count) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bound = count < 2 ? most : least + (most - least) * i / (count - 1);
    if (out.empty() || out.back() < bound) out.push_back(bound);
  }
  return out;
}

std::vector<FrontierPoint> best_of(std::vector<FrontierPoint> points) {
  std::sort(points.begin(), points.end(), [](const FrontierPoint& a, const FrontierPoint& b) {
    return a.ram != b.ram ? a.ram < b.ram : a.time < b.time;
  });
  std::vector<FrontierPoint> out;
  for (const FrontierPoint& p : points)
    if (out.empty() || p.time < out.back().time) out.push_back(p);
  return out;
}

std::string frontier_table(const Frontier& frontier) {
  std::vector<std::array<std::string, 4>> rows = {{"RAM", frontier.unit, "of the least", "flash"}};
  for (const FrontierPoint& p : frontier.points)
    rows.push_back({grouped(p.ram), grouped(p.time), slower(frontier, p), grouped(p.flash)});
  std::array<std::size_t, 4> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths.at(i) = std::max(widths.at(i), row.at(i).size());
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out += (i ? "  " : "") + std::string(widths.at(i) - row.at(i).size(), ' ') + row.at(i);
    out += "\n";
  }
  return out;
}

std::string frontier_page(const Frontier& frontier) {
  page::Page page(frontier.model + " on " + frontier.target, "RAM against time on target " + frontier.target);
  if (!frontier.points.empty()) page.headline(frontier_headline(frontier));
  std::vector<page::CurvePoint> curve;
  page::Table table{{{"RAM", true}, {frontier.unit, true}, {"of the least", true}, {"flash", true}}, {}};
  for (const FrontierPoint& p : frontier.points) {
    const std::string more = longer(frontier, p);
    curve.push_back({p.ram, p.time, page::spaced(p.ram) + " bytes, " + page::spaced(p.time) + " " + frontier.unit,
                     page::spaced(p.ram) + (more.empty() ? "" : ", " + more)});
    table.rows.push_back({page::number_cell(p.ram), page::number_cell(p.time), page::text_cell(slower(frontier, p)),
                          page::number_cell(p.flash)});
  }
  page.drawing("RAM and time",
               page::draw_curve(curve, "bytes of RAM", frontier.unit, frontier.model + ": RAM against time"));
  page.table("plans", table, "Bytes of workspaces, instance, inputs and outputs, as --max-ram bounds them.");
  return page.html();
}

}  // namespace byoc
