// Checks of the file, of the table that its query function returns, and of its options.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>

#include "sdk/app/check/context.hpp"
#include "sdk/app/check/process_state.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"
#include "sdk/codegen/plugin/abi/loader.hpp"
#include "sdk/codegen/plugin/abi/shared_object.hpp"

namespace byoc::check {
namespace {

using plugin::make_struct;
using plugin::read_struct;
using plugin::to_abi;
using plugin::to_text;
using plugin::to_texts;

void check_symbols(Context& c) {
  Diagnostics diags;
  const auto symbols = plugin::read_shared_object(c.library, diags);
  if (symbols) (void)plugin::check_symbols(*symbols, c.library, diags);
  for (const Diagnostic& d : diags.all())
    c.add(d.message.find("LLVM") == std::string::npos ? "E1" : "E2", message_with_origin(d), d.found, d.expected);
}

byoc_plugin_query_fn query_of(Context& c) {
  c.stage.enter(c.check, "loading it");
  const std::string file = std::filesystem::absolute(c.library).string();
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    c.add("E3", "it cannot be loaded", why == nullptr ? "no reason" : why);
    return nullptr;
  }
  void* address = ::dlsym(handle, BYOC_PLUGIN_QUERY_SYMBOL);
  if (address == nullptr) {
    c.add("E1", "it has no query function", {}, BYOC_PLUGIN_QUERY_SYMBOL);
    return nullptr;
  }
  byoc_plugin_query_fn query = nullptr;
  std::memcpy(&query, &address, sizeof query);
  c.stage.enter(c.check, "the query function");
  return query;
}

void check_load(Context& c) { (void)query_of(c); }

void check_manifest(Context& c) {
  if (c.manifest.empty()) return c.findings.skip(c.check, "there is no manifest beside it");
  Diagnostics diags;
  (void)plugin::load_plugin(c.manifest, {}, diags);
  for (const Diagnostic& d : diags.all())
    c.add("E8", message_with_origin(d) + (d.node.empty() ? "" : ": " + d.node), d.found, d.expected);
}

byoc_query_t query_from(std::uint32_t major, std::uint32_t minor, std::uint32_t least, const char* version) {
  auto q = make_struct<byoc_query_t>();
  q.abi_major = major;
  q.abi_minor = minor;
  q.min_plugin_minor = least;
  q.host_version = to_abi(std::string_view(version));
  return q;
}

// Checks struct_size for a plug-in of minor `minor`; `expected` is the size in that minor, or here if that is later.
void check_size(Context& c, const std::string& what, std::uint32_t size, std::size_t expected, std::uint32_t minor) {
  if (minor <= BYOC_ABI_MINOR ? size != expected : size < expected)
    c.add("E5", "struct_size of " + what + " is not that of ABI 1." + std::to_string(minor), std::to_string(size),
          (minor <= BYOC_ABI_MINOR ? "" : "at least ") + std::to_string(expected));
}

template <class T>
void check_size(Context& c, const std::string& what, const T* s, std::uint32_t minor) {
  check_size(c, what, s->struct_size, sizeof(T), minor);
}

void check_table(Context& c) {
  const auto query = query_of(c);
  if (query == nullptr) return;
  Diagnostics diags;
  const auto agreed = plugin::negotiate(query, c.library, diags);
  for (const Diagnostic& d : diags.all())
    c.add(d.message.find("its id") != std::string::npos || d.message.find("its version") != std::string::npos ? "E6"
                                                                                                              : "E5",
          message_with_origin(d), d.found, d.expected);
  if (!agreed) return;
  const byoc_query_t q = query_from(BYOC_ABI_MAJOR, BYOC_ABI_MINOR, 0, "byoc " BYOC_VERSION);
  const byoc_plugin_t* raw = query(&q);
  const byoc_plugin_t& t = agreed->table;
  check_size(c, "its table", raw->struct_size, sizeof(byoc_plugin_t), t.abi_minor);
  for (std::uint32_t i = 0; i < t.option_count; ++i)
    check_size(c, "option " + std::to_string(i), t.options[i], t.abi_minor);
  for (std::uint32_t i = 0; i < t.pattern_count; ++i) {
    check_size(c, "pattern " + std::to_string(i), t.patterns[i], t.abi_minor);
    for (std::uint32_t n = 0; n < t.patterns[i]->node_count; ++n)
      check_size(c, "node " + std::to_string(n) + " of pattern " + std::to_string(i), t.patterns[i]->nodes[n],
                 t.abi_minor);
  }
  if (t.reserved0 != 0) c.add("E5", "a reserved member of its table is set", std::to_string(t.reserved0), "0");
  const std::uint64_t known = BYOC_CAP_DETERMINISTIC | BYOC_CAP_CANCELLABLE | BYOC_CAP_REENTRANT |
                              BYOC_CAP_MEMORY_BUDGET | BYOC_CAP_OTHER_ROUNDING | BYOC_CAP_NETWORK | BYOC_CAP_REWRITES |
                              BYOC_CAP_OPEN_DIMS;
  if (t.abi_minor <= BYOC_ABI_MINOR && (t.caps & ~known) != 0)
    c.add("E7", "its table has capabilities that its minor does not know", std::to_string(t.caps & ~known));
  if (agreed->id.find('.') == std::string::npos)
    c.add("E6", "its id is no reverse domain", "'" + agreed->id + "'", "a form as com.acme.npu");
  for (const auto& [what, text] :
       {std::pair{"name", t.name}, std::pair{"vendor", t.vendor}, std::pair{"license", t.license}})
    if (to_text(text).empty()) c.add("E6", std::string("its table has no ") + what);
  c.findings.note(c.check, agreed->id + " " + agreed->version + ", ABI 1." + std::to_string(t.abi_minor));
}

// A table and everything that it points to, as text.
std::string described(const byoc_plugin_t& raw) {
  byoc_plugin_t t;
  if (!read_struct(&raw, t)) return "no table";
  std::string out;
  const auto add = [&out](const auto& x) { out += x + "|"; };
  const auto address = [&](auto* f) {
    std::uintptr_t bits = 0;
    std::memcpy(&bits, &f, sizeof f);
    add(std::to_string(bits));
  };
  for (const std::uint64_t n : {std::uint64_t{t.struct_size}, std::uint64_t{t.abi_major}, std::uint64_t{t.abi_minor},
                                std::uint64_t{t.min_host_minor}, t.caps, std::uint64_t{t.operators_version}})
    add(std::to_string(n));
  for (const byoc_string_t& s : {t.id, t.name, t.vendor, t.version, t.build_id, t.license}) add(to_text(s));
  for (std::uint32_t i = 0; i < t.option_count; ++i) {
    byoc_option_t o;
    if (!read_struct(t.options[i], o)) continue;
    for (const byoc_string_t& s : {o.name, o.help, o.default_value}) add(to_text(s));
    add(std::to_string(o.type));
    for (const std::string& s : to_texts(o.choices, o.choice_count)) add(s);
  }
  for (std::uint32_t i = 0; i < t.pattern_count; ++i) {
    byoc_pattern_t p;
    if (!read_struct(t.patterns[i], p)) continue;
    add(to_text(p.name));
    for (std::uint32_t n = 0; n < p.node_count; ++n) {
      byoc_pattern_node_t node;
      if (!read_struct(p.nodes[n], node)) continue;
      add(to_text(node.domain) + "." + to_text(node.op) + " " + std::to_string(node.flags));
      for (std::uint32_t k = 0; k < node.input_count; ++k) add(std::to_string(node.inputs[k]));
    }
  }
  address(t.create);
  address(t.destroy);
  address(t.verdicts);
  address(t.compile);
  address(t.extension);
  address(t.update_constants);
  return out;
}

void check_query(Context& c) {
  const auto query = query_of(c);
  if (query == nullptr) return;
  const auto before = process_state();
  const byoc_query_t q = query_from(BYOC_ABI_MAJOR, BYOC_ABI_MINOR, 0, "byoc " BYOC_VERSION);
  const byoc_plugin_t* first = query(&q);
  if (first == nullptr) return c.add("E4", "the query function returns no table");
  const std::string text = described(*first);
  const auto again = [&](const std::string& when, const byoc_plugin_t* table) {
    if (table != first)
      c.add("E4", "the query function returns another table " + when);
    else if (described(*table) != text)
      c.add("E4", "the table of the query function is another " + when);
  };
  again("the second time", query(&q));
  for (int i = 0; i < 20; ++i) (void)query(&q);
  again("after many calls", query(&q));
  const byoc_plugin_t* from_thread = nullptr;
  std::thread([&] { from_thread = query(&q); }).join();
  again("in another thread", from_thread);
  for (std::uint32_t minor = 0; minor < 4; ++minor) {
    const byoc_query_t other = query_from(BYOC_ABI_MAJOR, minor, minor, "another host 9.9");
    again("for a host of ABI 1." + std::to_string(minor), query(&other));
  }
  const auto after = process_state_after(before);
  for (const auto& [what, is] : after) {
    const auto was = before.find(what);
    if (was == before.end() || was->second != is)
      c.add("E4", "the query function changes " + what, is, was == before.end() ? "nothing there" : was->second);
  }
  for (const auto& [what, was] : before)
    if (!after.contains(what)) c.add("E4", "the query function changes " + what, "gone", was);
}

void check_versions(Context& c) {
  const auto query = query_of(c);
  if (query == nullptr) return;
  const byoc_query_t q = query_from(BYOC_ABI_MAJOR, BYOC_ABI_MINOR, 0, "byoc " BYOC_VERSION);
  const byoc_plugin_t* table = query(&q);
  if (table == nullptr) return c.add("E5", "the query function returns no table");
  std::size_t asked = 0;
  const auto ask = [&](const plugin::HostVersion& host, bool fits) {
    ++asked;
    Diagnostics diags;
    const bool agreed = static_cast<bool>(plugin::negotiate(query, c.library, diags, host));
    if (agreed == fits) return;
    const std::string what = "a host that speaks ABI 1." + std::to_string(host.min_plugin_minor) + " to 1." +
                             std::to_string(host.minor) + " and the plug-in " +
                             (fits ? "do not agree on a version" : "agree on a version");
    c.add("E5", what, diags.all().empty() ? "agreement" : message_with_origin(diags.all()[0]),
          fits ? "agreement" : "a refusal");
  };
  const std::uint32_t speaks = table->abi_minor, needs = table->min_host_minor;
  for (std::uint32_t minor = 0; minor < speaks + 4; ++minor) ask({BYOC_ABI_MAJOR, minor, 0}, minor >= needs);
  ask({BYOC_ABI_MAJOR, speaks + 4, speaks}, true);
  ask({BYOC_ABI_MAJOR, speaks + 4, speaks + 1}, false);
  const byoc_query_t next = query_from(BYOC_ABI_MAJOR + 1, 0, 0, "byoc 99");
  if (const byoc_plugin_t* other = query(&next); other != nullptr && other->abi_major == BYOC_ABI_MAJOR + 1)
    c.add("E5", "it says that it speaks whatever ABI it is asked for", "ABI " + std::to_string(other->abi_major),
          "NULL, or its own");
  c.findings.note(c.check, std::to_string(asked) + " hosts");
}

void check_schema(Context& c, const plugin::Plugin& p) {
  for (std::uint32_t i = 0; i < p.table.option_count; ++i) {
    byoc_option_t o;
    if (!read_struct(p.table.options[i], o)) continue;  // negotiate() has refused that
    const std::string name = "option '" + to_text(o.name) + "'";
    const std::string help = to_text(o.help);
    if (help.empty()) c.add("O1", name + " has no help");
    if (help.find('\n') != std::string::npos)
      c.add("O1", "the help of " + name + " has several lines", "'" + help + "'");
    const std::vector<std::string> choices = to_texts(o.choices, o.choice_count);
    if (o.type != BYOC_OPTION_CHOICE && !choices.empty())
      c.add("O1", name + " has choices and is no choice", std::to_string(choices.size()), "none");
    if (std::set<std::string>(choices.begin(), choices.end()).size() != choices.size())
      c.add("O1", name + " has a choice twice");
    if (o.reserved0 != 0) c.add("O1", "a reserved member of " + name + " is set");
  }
}

void check_options(Context& c) {
  const auto p = c.load();
  if (!p) return;
  check_schema(c, *p);
  std::vector<plugin::OptionTexts> sets = {{}};
  for (std::uint32_t i = 0; i < p->table.option_count; ++i) {
    byoc_option_t o;
    if (!read_struct(p->table.options[i], o)) continue;
    std::vector<std::string> values = to_texts(o.choices, o.choice_count);
    if (o.type == BYOC_OPTION_BOOL) values = {"true", "false"};
    for (const std::string& value : values) sets.push_back({{to_text(o.name), value}});
  }
  for (const plugin::OptionTexts& set : sets) {
    const std::string what = set.empty() ? "its defaults" : set.begin()->first + "=" + set.begin()->second;
    Diagnostics diags;
    auto values = plugin::resolve_options(*p, set, diags);
    if (!values) {
      for (const Diagnostic& d : diags.all()) c.add("O1", message_with_origin(d) + ": " + d.node, d.found, d.expected);
      c.findings.blocks = true;
      return;
    }
    Probe probe(*p, c.options.target, std::move(*values), {}, c.stage, c.findings, c.check);
    probe.doing = "a codegen with " + what;
    if (probe.create() == BYOC_OK || !set.empty()) continue;  // it may refuse a value, if it says why
    if (!probe.errors.empty()) c.add("O2", "it creates no codegen with the defaults of its options", probe.errors[0]);
    c.findings.blocks = true;
  }
  c.findings.note(c.check,
                  std::to_string(p->table.option_count) + " options, " + std::to_string(sets.size()) + " codegens");
}

}  // namespace

std::vector<Unit> library_units() {
  using Gate = Unit::Gate;
  return {
      {{{"symbols", "library", "E1 E2", "it shows its query function, and nothing of LLVM"}},
       Gate::passes,
       false,
       check_symbols},
      {{{"load", "library", "E3", "it loads with all symbols resolved"}}, Gate::passes, false, check_load},
      {{{"table", "entry", "E5 E6 E7", "its table is whole and says who it is"}}, Gate::passes, false, check_table},
      {{{"manifest", "library", "E8", "its manifest says what its table says"}}, Gate::none, false, check_manifest},
      {{{"query", "entry", "E4", "the query function is pure: one table for everybody"}},
       Gate::none,
       false,
       check_query},
      {{{"versions", "entry", "E5", "it agrees with older and newer hosts, or is refused"}},
       Gate::none,
       false,
       check_versions},
      {{{"options", "entry", "O1 O2", "its options are declared in full, and each value works"}},
       Gate::none,
       false,
       check_options},
  };
}

}  // namespace byoc::check
