#include "sdk/base/support/template.hpp"

#include <algorithm>
#include <cassert>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/markup.hpp"
#include "sdk/base/support/quoting.hpp"

namespace byoc {
namespace {

using Scopes = std::vector<const Scope*>;
using Lines = std::vector<std::string_view>;

struct Filter {
  std::string_view name;
  std::string (*apply)(std::string_view);
};
std::string in_cmake(std::string_view text) { return cmake_text(text).text(); }

constexpr Filter kFilters[] = {
    {"json", json_escaped}, {"xml", markup_text}, {"markdown", markdown_text}, {"cmake", in_cmake}};

const std::string* find_field(const Scopes& scopes, const std::string& name) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const auto at = (*scope)->fields.find(name); at != (*scope)->fields.end()) return &at->second;
  return nullptr;
}

const std::vector<Scope>* find_list(const Scopes& scopes, const std::string& name) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const auto at = (*scope)->lists.find(name); at != (*scope)->lists.end()) return &at->second;
  return nullptr;
}

bool is_there(const Scopes& scopes, const std::string& name) {
  const std::string* field = find_field(scopes, name);
  const std::vector<Scope>* list = find_list(scopes, name);
  return (field != nullptr && !field->empty()) || (list != nullptr && !list->empty());
}

std::string value_of(const Scopes& scopes, std::string_view reference) {
  const std::size_t bar = reference.find('|');
  const std::string* field = find_field(scopes, std::string(reference.substr(0, bar)));
  assert(field != nullptr);
  if (bar == std::string_view::npos) return *field;
  const auto* filter = std::find_if(std::begin(kFilters), std::end(kFilters),
                                    [&](const Filter& f) { return f.name == reference.substr(bar + 1); });
  assert(filter != std::end(kFilters));
  return filter->apply(*field);
}

std::string fill_line(std::string_view line, const Scopes& scopes) {
  std::string out;
  while (true) {
    const std::size_t at = line.find('@');
    out += line.substr(0, at);
    if (at == std::string_view::npos) return out;
    const std::size_t end = line.find('@', at + 1);
    assert(end != std::string_view::npos);
    out += value_of(scopes, line.substr(at + 1, end - at - 1));
    line.remove_prefix(end + 1);
  }
}

// "each targets" of a line that is "@each targets@"; "" of any other.
std::string_view directive(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos) return {};
  line.remove_prefix(start);
  if (line == "@end@") return "end";
  for (const std::string_view word : {"@each ", "@if ", "@unless "})
    if (line.starts_with(word)) return line.substr(1, line.size() - 2);
  return {};
}

// The line of the @end@ that belongs to the block which begins at `from`.
std::size_t end_of_block(const Lines& lines, std::size_t from, std::size_t to) {
  int depth = 0;
  for (std::size_t i = from; i < to; ++i) {
    const std::string_view word = directive(lines[i]);
    depth += word == "end" ? -1 : !word.empty();
    if (depth == 0) return i;
  }
  assert(false);
  return to;
}

std::string render_lines(const Lines& lines, std::size_t from, std::size_t to, const Scopes& scopes) {
  std::string out;
  for (std::size_t i = from; i < to; ++i) {
    const std::string_view word = directive(lines[i]);
    if (word.empty()) {
      out += fill_line(lines[i], scopes) + "\n";
      continue;
    }
    const std::size_t end = end_of_block(lines, i, to), space = word.find(' ');
    const std::string_view kind = word.substr(0, space);
    const std::string name(word.substr(space + 1));
    if (kind == "each") {
      const std::vector<Scope>* list = find_list(scopes, name);
      assert(list != nullptr);
      for (const Scope& row : *list) {
        const Scope comma{{{"comma", &row == &list->back() ? "" : ","}}, {}};
        Scopes inner = scopes;
        inner.insert(inner.end(), {&row, &comma});
        out += render_lines(lines, i + 1, end, inner);
      }
    } else if (is_there(scopes, name) == (kind == "if")) {
      out += render_lines(lines, i + 1, end, scopes);
    }
    i = end;
  }
  return out;
}

}  // namespace

std::string render(EmbeddedFiles files, std::string_view file, const Scopes& scopes) {
  const auto it = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.first == file; });
  assert(it != files.end());
  Lines lines;
  for (std::string_view text = it->second; !text.empty();) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  std::string out = render_lines(lines, 0, lines.size(), scopes);
  if (!out.empty() && !it->second.ends_with('\n')) out.pop_back();
  return out;
}

std::string fill_template(EmbeddedFiles files, std::string_view file,
                          const std::map<std::string, std::string>& fields) {
  const Scope scope{fields, {}};
  return render(files, file, {&scope});
}

}  // namespace byoc
