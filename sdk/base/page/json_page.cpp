#include "sdk/base/page/json_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sdk/base/page/text.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc::page {
namespace {

// "further_workspaces" -> "further workspaces".
std::string heading(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

bool is_rows(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_object(); });
}

std::string plain(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return json_text(value);
  std::string out;
  for (const Json& item : value) out += (out.empty() ? "" : ", ") + plain(item);
  return out;
}

Cell cell(const Json& value) {
  if (!value.is_number()) return remark_cell(plain(value));
  Cell out = text_cell(value.is_number_unsigned() ? spaced(value.get<std::uint64_t>()) : plain(value));
  out.order = value.get<double>();
  return out;
}

void add_rows(const std::string& title, const Json& rows, Page& page) {
  std::vector<std::string> keys;
  for (const Json& row : rows)
    for (const auto& [key, value] : row.items())
      if (!is_rows(value) && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  Table table;
  for (const std::string& key : keys)
    table.columns.push_back({heading(key), std::all_of(rows.begin(), rows.end(), [&](const Json& row) {
                               return !row.contains(key) || row[key].is_number();
                             })});
  for (const Json& row : rows) {
    table.rows.emplace_back();
    for (const std::string& key : keys) table.rows.back().push_back(row.contains(key) ? cell(row[key]) : Cell());
  }
  page.table(title, table);
  Json inner = Json::object();  // by key, the rows of all arrays of that name, each with whose it is
  for (const Json& row : rows)
    for (const auto& [key, value] : row.items()) {
      if (!is_rows(value)) continue;
      for (const Json& item : value) {
        Json line = {{"of", row.contains("name") ? plain(row["name"]) : ""}};
        line.update(item);
        inner[key].push_back(std::move(line));
      }
    }
  for (const auto& [key, value] : inner.items()) add_rows(title + ": " + heading(key), value, page);
}

}  // namespace

void add_json(const Json& object, Page& page) {
  std::vector<Figure> figures;
  for (const auto& [key, value] : object.items())
    if (value.is_number_unsigned() && key.ends_with("bytes"))
      figures.push_back({heading(key), bytes_text(value.get<std::uint64_t>()), spaced(value.get<std::uint64_t>())});
    else if (value.is_number_unsigned())
      figures.push_back({heading(key), spaced(value.get<std::uint64_t>())});
    else if (value.is_primitive())
      figures.push_back({heading(key), plain(value)});
  page.figures(figures);
  for (const auto& [key, value] : object.items()) {
    if (is_rows(value))
      add_rows(heading(key), value, page);
    else if (value.is_object() && !value.empty())
      add_rows(heading(key), Json::array({value}), page);
    else if (value.is_array() && !value.empty())
      page.remark(heading(key), plain(value));
  }
}

}  // namespace byoc::page
