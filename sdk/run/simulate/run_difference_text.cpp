// Two runs for terminals and in Markdown.
#include <algorithm>
#include <array>

#include "sdk/base/page/text.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/quoting.hpp"
#include "sdk/run/simulate/run_difference.hpp"

namespace byoc {
namespace {

using LayerKind = LayerChange::Kind;

constexpr std::size_t kLayerWidth = 48;

using Cells = std::array<std::string, 7>;

std::string count_text(const std::optional<std::uint64_t>& value) { return value ? page::grouped(*value) : ""; }

std::string layer_text(const LayerChange& c) { return page::short_node(utf8(c.layer), kLayerWidth); }

// "byoc_conv_s8 -> byoc_conv_s8_dsp"; one name where both are the same.
std::string kernel_text(const LayerChange& c) {
  if (c.kind == LayerKind::added || c.kernel_before == c.kernel_after) return c.kernel_after;
  return c.kind == LayerKind::removed ? c.kernel_before : c.kernel_before + " -> " + c.kernel_after;
}

// Bytes that the layer has more or less than before; of a layer that is there once, all that it has.
std::string bytes_change(const LayerChange& c, const Change& bytes) {
  if (c.kind == LayerKind::changed) return change_text(bytes);
  return c.kind == LayerKind::added ? "+" + count_text(bytes.after) : "-" + count_text(bytes.before);
}

// Columns as wide as their widest cell, all but the first and the last aligned to the right.
std::string aligned(const std::vector<Cells>& rows) {
  std::array<std::size_t, std::tuple_size_v<Cells>> widths{};
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths.at(i) = std::max(widths.at(i), row.at(i).size());
  std::string out;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string &cell = row.at(i), pad(widths.at(i) - cell.size(), ' ');
      const bool left = i == 0 || i + 1 == row.size();
      line += (i == 0 ? "" : "  ") + (left ? cell + pad : pad + cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string same_text(const RunDifference& d) {
  if (d.same == 0) return {};
  return std::to_string(d.same) + (d.same == 1 ? " layer is" : " layers are") + " the same";
}

std::string unit_title(const RunDifference& d) { return d.unit.empty() ? "not counted" : d.unit; }

}  // namespace

std::string difference_text(const RunDifference& d) {
  std::string out = d.subject + ": " + d.before + " before, " + d.after + " after\n";
  for (const std::string& remark : d.remarks) out += "note: " + remark + "\n";
  std::vector<Cells> rows = {Cells{"", "before", "after", "change"}};
  for (const Change& c : d.figures)
    rows.push_back({(c.is_part ? "  " : "") + c.name, count_text(c.before), count_text(c.after), change_text(c),
                    change_percent(c)});
  out += "\n" + aligned(rows);
  if (!d.layers.empty()) {
    rows = {Cells{unit_title(d) + " by layer", "before", "after", "change", "", "flash", "RAM and kernel"}};
    for (const LayerChange& c : d.layers)
      rows.push_back({layer_text(c), count_text(c.time.before), count_text(c.time.after), change_text(c.time),
                      change_percent(c.time), bytes_change(c, c.constants),
                      bytes_change(c, c.ram) + "  " + kernel_text(c)});
    out += "\n" + aligned(rows);
  }
  return out + (d.same == 0 ? "" : same_text(d) + "\n");
}

std::string difference_markdown(const RunDifference& d) {
  std::string out = "### " + markdown_code(d.subject) + "\n\n";
  for (const std::string& remark : d.remarks) out += "- " + markdown_code(remark) + "\n";
  out += std::string(d.remarks.empty() ? "" : "\n") + "| | before | after | change |\n|---|---:|---:|---:|\n";
  const auto change = [](const Change& c) {
    const std::string share = change_percent(c);
    return change_text(c) + (share.empty() ? "" : " (" + share + ")");
  };
  for (const Change& c : d.figures)
    out += std::string("| ") + (c.is_part ? "&nbsp;&nbsp;" + c.name : "**" + c.name + "**") + " | " +
           count_text(c.before) + " | " + count_text(c.after) + " | " + change(c) + " |\n";
  if (!d.layers.empty()) {
    out += "\n<details><summary>By layer</summary>\n\n| layer | kernel | " + unit_title(d) +
           " before | after | change | flash | RAM |\n|---|---|---:|---:|---:|---:|---:|\n";
    for (const LayerChange& c : d.layers)
      out += "| " + markdown_code(layer_text(c)) + " | " + markdown_code(kernel_text(c)) + " | " +
             count_text(c.time.before) + " | " + count_text(c.time.after) + " | " + change(c.time) + " | " +
             bytes_change(c, c.constants) + " | " + bytes_change(c, c.ram) + " |\n";
    out += "\n</details>\n";
  }
  return out + (d.same == 0 ? "" : "\n" + same_text(d) + ".\n");
}

}  // namespace byoc
