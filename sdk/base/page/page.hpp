// A page for people: one HTML file with style, script and drawings in it, which fetches nothing. It is made of blocks;
// whoever has the figures says which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace byoc::page {

// A line of the summary.
struct Figure {
  std::string label;  // "flash"
  std::string value;  // "22.5 KiB"
  std::string note = {};
  double share = -1;  // of what there is at most, drawn as a bar; below 0: no bar
};

// Facts that a page can be cited by: {"file", "kws.tflite"}.
using Facts = std::vector<std::pair<std::string, std::string>>;

struct Cell {
  std::string text;
  std::string whole = {};  // what `text` is short for, shown on demand; "": nothing more
  std::string link = {};   // "#n3"
  std::string kind = {};   // "yes", "no", "warn": how it stands out
  double order = 0;        // of a column of numbers, what it is sorted by
  double share = -1;       // as Figure's
  bool breaks = false;     // a line may end behind an underscore of `text`
};
[[nodiscard]] Cell text_cell(const std::string& text);
// An identifier, which is longer than most columns are wide.
[[nodiscard]] Cell identifier_cell(const std::string& text);
// A name cut to what a column has room for.
[[nodiscard]] Cell name_cell(const std::string& whole);
// The description of a node, the same.
[[nodiscard]] Cell node_cell(const std::string& whole);
// A remark, of which the beginning is shown.
[[nodiscard]] Cell remark_cell(const std::string& whole);
// The number of a row, by which it is sorted.
[[nodiscard]] Cell index_cell(std::size_t index);
// Empty for 0; with a bar if `most` is not 0.
[[nodiscard]] Cell number_cell(std::uint64_t value, std::uint64_t most = 0);
// "12.5 %" of a whole, with a bar; empty where the whole is 0.
[[nodiscard]] Cell share_cell(std::uint64_t part, std::uint64_t whole);

struct Column {
  std::string title;
  bool number = false;  // aligned to the right and sorted by Cell::order
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

struct Warning {
  std::string what;
  std::string advice;
};

// The panel that appears beside a drawing when its link is followed.
struct Detail {
  std::string id;  // "n3"
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;  // of what, and what
  std::vector<std::string> code = {};                      // ids of what is shown below the drawing with it
};

// A function in two forms, beside each other.
struct Code {
  std::string id;     // "f0"
  std::string title;  // "byoc_conv_s8_dsp, of 4 steps"
  std::string c, assembly;
};

// A page. All text that it is given may be any bytes, and is escaped.
class Page {
 public:
  Page(std::string title, std::string subtitle);

  // The figures that matter in one line, above all others, and what else is to be known at first sight.
  void headline(const std::string& text, const std::string& more = {});
  void figures(std::span<const Figure> figures);
  void warnings(std::span<const Warning> warnings);
  // Prints nothing for a table without rows.
  void table(const std::string& heading, const Table& table, const std::string& note = {});
  // `svg` as it is. `legend`: {tone, what it stands for}, as drawing.css names them ("t0").
  void drawing(const std::string& heading, const std::string& svg, std::span<const Detail> details = {},
               std::span<const std::pair<std::string, std::string>> legend = {}, std::span<const Code> code = {});
  void remark(const std::string& heading, const std::string& text);

  [[nodiscard]] std::string html() const;

 private:
  void section(const std::string& heading, const std::string& content);
  std::string title_, subtitle_, headline_, head_, body_, contents_;
  std::size_t sections_ = 0;
};

// A page with further facts beside byoc's version, which Page::html() puts there. Whoever made it may know less than
// whoever writes it: the file of the model, the options of the command.
[[nodiscard]] std::string with_facts(std::string html, std::span<const std::pair<std::string, std::string>> facts);

}  // namespace byoc::page
