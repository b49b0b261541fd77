#include "sdk/export/function_code.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string_view>

#include "sdk/library/object/listing.hpp"

namespace byoc {
namespace {

// More of one function is not for people.
constexpr std::size_t kLongest = std::size_t{1} << 17;

std::string_view source_of(const Module& m) {
  const auto bytes = m.bytes.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// True if the line begins the definition of the function: it stands at the margin and goes on in a body.
bool defines(std::string_view line, const std::string& name) {
  const std::size_t at = line.find(name + "(");
  return at != std::string_view::npos && at != 0 && !is_letter(line[at - 1]) && is_letter(line[0]) &&
         !line.starts_with("return") && line.find(';') == std::string_view::npos;
}

// The lines between two empty ones in which the function is defined: its parameters stand in front of it. "" where it
// is not.
std::string paragraph_with(std::string_view source, const std::string& name) {
  std::string paragraph;
  bool found = false;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size() - 1);
    const std::string_view line = source.substr(at, end - at + 1);
    at = end + 1;
    if (line.find_first_not_of(" \r\n") == std::string_view::npos && !found) paragraph.clear();
    found = found || defines(line, name);
    if (found || line.find_first_not_of(" \r\n") != std::string_view::npos) paragraph += line;
    if (found && line.starts_with("}")) return paragraph;
  }
  return {};
}

// A shared kernel's symbol is its name with a hash of what it was made of.
bool is_kernel(std::string_view symbol, const std::string& kernel) {
  return symbol == kernel ||
         (symbol.starts_with(kernel) && symbol.size() == kernel.size() + 13 && symbol[kernel.size()] == '_' &&
          symbol.find_first_not_of("0123456789abcdef", kernel.size() + 1) == std::string_view::npos);
}

class Functions {
 public:
  explicit Functions(const Package& package) : package_(package) {
    for (const LibraryMember& m : package.members) listings_.push_back(list_functions(package.target, m.object));
  }

  [[nodiscard]] FunctionCode step(const StepInfo& s) const {
    FunctionCode out{s.symbol, {}, {}, {s.symbol}};
    for (const Module& m : package_.tree.modules)
      if (const CCode* c = m.c(); c != nullptr && c->language == "c" && out.c.empty() && !m.for_loaders)
        out.c = paragraph_with(source_of(m), s.symbol);
    for (const auto& functions : listings_)
      for (const FunctionListing& f : functions)
        if (f.name == s.symbol) out.assembly = f.text;
    return out;
  }

  // The module that it is in, with its static functions; what there is of it in the objects.
  [[nodiscard]] FunctionCode kernel(const std::string& name) const {
    FunctionCode out{name, {}, {}, {}};
    const std::vector<Module>& modules = package_.tree.modules;
    const auto own = std::ranges::find_if(modules, [&](const Module& m) { return m.c() && is_kernel(m.name, name); });
    if (own != modules.end()) out.c = source_of(*own);
    for (std::size_t i = 0; i < listings_.size(); ++i) {
      // An object of link-time optimisation has the functions of all modules.
      const bool all = !package_.tree.lto && own != modules.end() &&
                       package_.members[i].module == static_cast<std::size_t>(own - modules.begin());
      for (const bool own_name : {true, false})  // what it calls comes behind it
        for (const FunctionListing& f : listings_[i])
          if (is_kernel(f.name, name) == own_name && (own_name || all)) out.assembly += f.name + ":\n" + f.text;
    }
    return out;
  }

 private:
  const Package& package_;
  std::vector<std::vector<FunctionListing>> listings_;  // of each member
};

}  // namespace

std::vector<FunctionCode> function_code(const Package& package) {
  const Functions functions(package);
  std::vector<FunctionCode> out, kernels;
  std::map<std::string, std::size_t> places;  // in `kernels`
  for (const StepInfo& s : package.description->interface.steps) {
    out.push_back(functions.step(s));
    if (s.kernel.empty() || s.kernel == s.symbol) continue;
    const auto [at, is_new] = places.emplace(s.kernel, kernels.size());
    if (is_new) kernels.push_back(functions.kernel(s.kernel));
    kernels[at->second].steps.push_back(s.symbol);
  }
  std::ranges::move(kernels, std::back_inserter(out));
  for (FunctionCode& f : out)
    for (std::string* text : {&f.c, &f.assembly})
      if (text->size() > kLongest) *text = "too long to be shown: " + std::to_string(text->size()) + " bytes";
  std::erase_if(out, [](const FunctionCode& f) { return f.c.empty() && f.assembly.empty(); });
  return out;
}

}  // namespace byoc
