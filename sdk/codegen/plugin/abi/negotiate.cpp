#include "sdk/codegen/plugin/abi/negotiate.hpp"

#include <algorithm>
#include <set>

#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {
namespace {

bool is_id(const std::string& s) {
  return !s.empty() && s.size() <= 128 && s.find("..") == std::string::npos && s.front() != '.' && s.back() != '.' &&
         std::all_of(s.begin(), s.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
         });
}

bool is_option_name(const std::string& s) {
  return !s.empty() && s.size() <= 64 && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string range(std::uint32_t major, std::uint32_t oldest, std::uint32_t newest) {
  const std::string m = std::to_string(major) + ".";
  return oldest == newest ? m + std::to_string(newest)
                          : m + std::to_string(oldest) + " to " + m + std::to_string(newest);
}

class Check {
 public:
  Check(const std::string& where, Diagnostics& diags) : where_(where), diags_(diags) {}

  Failure error(const std::string& message, const std::string& found = {}, const std::string& expected = {}) {
    return diags_.error(where_, {}, "plug-in cannot be used: " + message, found, expected);
  }

  Result<void> versions(const byoc_plugin_t& t, const HostVersion& host) {
    if (t.abi_major != host.major)
      return error("it speaks another ABI", "ABI " + std::to_string(t.abi_major), "ABI " + std::to_string(host.major));
    if (t.min_host_minor > t.abi_minor)
      return error("its versions contradict each other", "min_host_minor " + std::to_string(t.min_host_minor),
                   "at most its abi_minor " + std::to_string(t.abi_minor));
    if (t.min_host_minor > host.minor)
      return error("it needs a newer byoc: it speaks ABI " + range(t.abi_major, t.min_host_minor, t.abi_minor) +
                   ", this byoc " BYOC_VERSION " speaks ABI " + range(host.major, host.min_plugin_minor, host.minor));
    if (t.abi_minor < host.min_plugin_minor)
      return error("it was built for an older byoc: it speaks ABI " +
                   range(t.abi_major, t.min_host_minor, t.abi_minor) + ", this byoc " BYOC_VERSION " speaks ABI " +
                   range(host.major, host.min_plugin_minor, host.minor));
    return {};
  }

  Result<void> identity(const byoc_plugin_t& t) {
    for (const byoc_string_t* s : {&t.id, &t.name, &t.vendor, &t.version, &t.build_id, &t.license})
      if (!is_sane(*s)) return error("a text of its table is no text");
    if (!is_id(to_text(t.id)))
      return error("its id is not one", "'" + to_text(t.id) + "'", "a reverse domain in lower case: com.acme.npu");
    if (to_text(t.version).empty()) return error("it does not say its version");
    if (t.create == nullptr || t.destroy == nullptr || t.verdicts == nullptr || t.compile == nullptr)
      return error("a function of its table is missing", {}, "create, destroy, verdicts and compile");
    return {};
  }

  Result<void> options(const byoc_plugin_t& t) {
    if (t.option_count > kLongestList || (t.option_count != 0 && t.options == nullptr))
      return error("its list of options is none");
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < t.option_count; ++i) {
      byoc_option_t o;
      if (!read_struct(t.options[i], o)) return error("option " + std::to_string(i) + " is no option");
      const std::string name = to_text(o.name);
      if (!is_option_name(name))
        return error("the name of an option is not one", "'" + name + "'", "lower-case letters, digits and '-'");
      if (!names.insert(name).second) return error("option '" + name + "' is declared twice");
      if (o.type < BYOC_OPTION_BOOL || o.type > BYOC_OPTION_CHOICE)
        return error("option '" + name + "' has an unknown type", std::to_string(o.type));
      if (o.type == BYOC_OPTION_CHOICE && (o.choice_count == 0 || o.choices == nullptr))
        return error("option '" + name + "' is a choice without choices");
    }
    return {};
  }

  Result<void> patterns(const byoc_plugin_t& t) {
    if (t.pattern_count > kLongestList || (t.pattern_count != 0 && t.patterns == nullptr))
      return error("its list of patterns is none");
    for (std::uint32_t i = 0; i < t.pattern_count; ++i) {
      byoc_pattern_t p;
      if (!read_struct(t.patterns[i], p) || p.node_count == 0 || p.node_count > 1024 || p.nodes == nullptr)
        return error("pattern " + std::to_string(i) + " is no pattern");
      for (std::uint32_t n = 0; n < p.node_count; ++n) {
        byoc_pattern_node_t node;
        if (!read_struct(p.nodes[n], node) || to_text(node.op).empty() || node.input_count > 1024 ||
            (node.input_count != 0 && node.inputs == nullptr) ||
            (node.flags & ~(BYOC_PATTERN_OPTIONAL | BYOC_PATTERN_COMMUTATIVE)) != 0)
          return error("node " + std::to_string(n) + " of pattern '" + to_text(p.name) + "' is none");
        for (std::uint32_t k = 0; k < node.input_count; ++k)
          if (node.inputs[k] >= static_cast<std::int32_t>(n) || node.inputs[k] < BYOC_PATTERN_ABSENT)
            return error("node " + std::to_string(n) + " of pattern '" + to_text(p.name) + "' reads no earlier node",
                         std::to_string(node.inputs[k]));
      }
    }
    return {};
  }

 private:
  const std::string& where_;
  Diagnostics& diags_;
};

}  // namespace

Result<Plugin> negotiate(byoc_plugin_query_fn query, const std::string& where, Diagnostics& diags,
                         const HostVersion& host) {
  Check check(where, diags);
  auto q = make_struct<byoc_query_t>();
  q.abi_major = host.major;
  q.abi_minor = host.minor;
  q.min_plugin_minor = host.min_plugin_minor;
  q.host_version = to_abi("byoc " BYOC_VERSION);
  const byoc_plugin_t* offered = query(&q);
  if (offered == nullptr)
    return check.error("it does not serve this byoc " BYOC_VERSION ", which speaks ABI " +
                       range(host.major, host.min_plugin_minor, host.minor));
  Plugin out{};
  constexpr std::size_t kHead = offsetof(byoc_plugin_t, min_host_minor) + sizeof(std::uint32_t);
  if (offered->struct_size < kHead || !read_struct(offered, out.table))
    return check.error("its table has an impossible size", std::to_string(offered->struct_size),
                       std::to_string(sizeof(byoc_plugin_t)));
  if (!check.versions(out.table, host)) return failure;
  // Beyond this point its table means what ours does.
  if (!check.identity(out.table) || !check.options(out.table) || !check.patterns(out.table)) return failure;
  out.abi_minor = std::min(out.table.abi_minor, host.minor);
  out.id = to_text(out.table.id);
  out.version = to_text(out.table.version);
  out.where = where;
  return out;
}

}  // namespace byoc::plugin
