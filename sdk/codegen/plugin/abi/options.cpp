#include "sdk/codegen/plugin/abi/options.hpp"

#include <charconv>
#include <cmath>

#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {
namespace {

bool parse_integer(std::string_view s, std::int64_t& out) {
  const bool negative = !s.empty() && s[0] == '-';
  if (negative) s.remove_prefix(1);
  const int base = s.starts_with("0x") ? 16 : 10;
  if (base == 16) s.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), magnitude, base);
  const std::uint64_t most = static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (error != std::errc() || end != s.data() + s.size() || magnitude > most) return false;
  out = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
  return true;
}

bool parse_real(const std::string& s, double& out) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
  return error == std::errc() && end == s.data() + s.size() && std::isfinite(out);
}

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

// The text that the option expects, if `text` does not fit; "" if it does.
std::string parse(const byoc_option_t& option, const std::string& text, OptionValue& out) {
  switch (option.type) {
    case BYOC_OPTION_BOOL:
      if (text != "true" && text != "false") return "true or false";
      out.integer = text == "true" ? 1 : 0;
      return {};
    case BYOC_OPTION_INTEGER:
      if (!parse_integer(text, out.integer)) return "an integer";
      out.real = static_cast<double>(out.integer);
      return {};
    case BYOC_OPTION_REAL: return parse_real(text, out.real) ? "" : "a number";
    case BYOC_OPTION_CHOICE: {
      const std::vector<std::string> choices = to_texts(option.choices, option.choice_count);
      for (std::size_t i = 0; i < choices.size(); ++i)
        if (choices[i] == text) {
          out.integer = static_cast<std::int64_t>(i);
          return {};
        }
      return "one of " + join(choices);
    }
    default: return {};
  }
}

}  // namespace

Result<std::vector<OptionValue>> resolve_options(const Plugin& plugin, const OptionTexts& given, Diagnostics& diags) {
  std::vector<OptionValue> out;
  std::vector<std::string> known;
  bool ok = true;
  for (std::uint32_t i = 0; i < plugin.table.option_count; ++i) {
    byoc_option_t declared;
    if (!read_struct(plugin.table.options[i], declared)) continue;  // negotiate() has refused that
    OptionValue value;
    value.type = declared.type;
    value.name = to_text(declared.name);
    const auto at = given.find(value.name);
    value.text = at == given.end() ? to_text(declared.default_value) : at->second;
    const std::string expected = parse(declared, value.text, value);
    if (!expected.empty()) {
      ok = false;
      diags.error(plugin.where, plugin.id + "." + value.name,
                  at == given.end() ? "the default of the option is not a value of it" : "not a value of the option",
                  "'" + value.text + "'", expected);
    }
    known.push_back(value.name);
    out.push_back(std::move(value));
  }
  for (const auto& [name, text] : given)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      ok = false;
      diags.error(plugin.where, plugin.id + "." + name, "the plug-in has no such option", "'" + name + "'",
                  known.empty() ? "none: it has no options" : join(known));
    }
  if (!ok) return failure;
  return out;
}

Result<std::map<std::string, OptionTexts>> parse_options(const std::vector<std::string>& texts, Diagnostics& diags) {
  std::map<std::string, OptionTexts> out;
  bool ok = true;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::size_t dot = equals == std::string::npos ? std::string::npos : text.rfind('.', equals);
    if (dot == std::string::npos || dot == 0 || dot + 1 == equals) {
      ok = false;
      diags.error({}, "--plugin-option", "not an option of a plug-in", "'" + text + "'", "ID.NAME=VALUE");
      continue;
    }
    OptionTexts& options = out[text.substr(0, dot)];
    if (!options.emplace(text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1)).second) {
      ok = false;
      diags.error({}, "--plugin-option", "the option is given twice", "'" + text + "'");
    }
  }
  if (!ok) return failure;
  return out;
}

}  // namespace byoc::plugin
