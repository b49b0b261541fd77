#include "sdk/app/cli/help.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/app/cli/commands.hpp"

namespace byoc::cli {
namespace {

constexpr std::size_t kColumn = 30;  // of descriptions
constexpr std::size_t kLeast = 50;   // characters of a line; fewer leave no room for the second column

// Characters of a terminal's line; 0: there is no terminal, and a line is as long as its text.
std::size_t terminal_width() {
  std::size_t width = 0;
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text = columns;
    if (std::from_chars(text.data(), text.data() + text.size(), width).ec != std::errc()) width = 0;
  }
  winsize size{};
  if (width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width == 0 ? 0 : std::max(width, kLeast);
}

// "TEXT:{a,b}" -> "a|b", "TEXT:FILE" -> "FILE", "UINT:UINT in [1 - 9]" -> "N".
std::string value_word(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    std::string choices = type.substr(open + 1, close - open - 1);
    std::replace(choices.begin(), choices.end(), ',', '|');
    return choices;
  }
  if (type.ends_with(":FILE")) return "FILE";
  if (type.starts_with("UINT") || type.starts_with("INT")) return "N";
  return type.substr(0, type.find(':'));
}

std::string list_of(const char* before, const std::set<CLI::Option*>& options) {
  std::string out;
  for (const CLI::Option* option : options) out += (out.empty() ? before : ", ") + option->get_name();
  return out;
}

// `text` behind `left`, in lines of at most `width` characters; width 0: one line. A word that is longer has a line of
// its own.
std::string two_columns(const std::string& left, const std::string& text, std::size_t width) {
  const std::string indent(kColumn, ' ');
  std::string out = "  " + left;
  if (text.empty()) return out + "\n";
  out += out.size() < kColumn ? std::string(kColumn - out.size(), ' ') : "\n" + indent;
  std::size_t used = kColumn;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool first = used == kColumn;
    if (!first && width != 0 && used + 1 + word.size() > width) {
      out += "\n" + indent + word;
      used = kColumn + word.size();
    } else {
      out += (first ? "" : " ") + word;
      used += word.size() + (first ? 0 : 1);
    }
  }
  return out + "\n";
}

// One empty line where there are several: groups that are left out leave theirs.
std::string without_gaps(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != '\n' || !out.ends_with("\n\n")) out += c;
  return out;
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    all_ = mode != CLI::AppFormatMode::Normal || !has_details(*app);
    return without_gaps(CLI::Formatter::make_help(app, std::move(name), mode));
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (!all_ && is_detail(group)) return {};
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return two_columns(command->get_name(), command->get_description(), terminal_width());
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return two_columns(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option),
                       terminal_width());
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    std::string out = " " + value_word(option->get_type_name());
    if (!option->get_default_str().empty()) out += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) out += " ...";
    return out;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string out = option->get_description();
    if (!option->get_envname().empty()) out += "; default: $" + option->get_envname();
    out += list_of("; needs ", option->get_needs()) + list_of("; not with ", option->get_excludes());
    return option->get_required() && option->nonpositional() ? out + " (required)" : out;
  }

  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = CLI::Formatter::make_footer(app);
    if (all_) return footer;
    const auto others = app->get_options([](const CLI::Option* option) { return is_detail(option->get_group()); });
    return "byoc " + app->get_name() + " --help-all has " + std::to_string(others.size()) + " more options.\n\n" +
           footer;
  }

 private:
  mutable bool all_ = false;  // of the help that is being made
};

}  // namespace

void set_help(CLI::App& app) {
  const auto formatter = std::make_shared<HelpFormatter>();
  app.formatter(formatter);
  for (CLI::App* command : app.get_subcommands({})) {
    group_options(*command);
    command->formatter(formatter);
    for (CLI::App* part : command->get_subcommands({})) part->formatter(formatter);
    if (has_details(*command)) command->set_help_all_flag("--help-all", "print all options and exit");
  }
}

}  // namespace byoc::cli
