#include "sdk/library/pack/forms/form.hpp"

#include <algorithm>

#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/nearest.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/base/support/visible.hpp"
#include "sdk/library/pack/forms/form_parts.hpp"
#include "sdk/library/pack/forms/target_facts.hpp"
#include "sdk/library/pack/licence.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/target/target/source_target.hpp"

namespace byoc::forms {
namespace {

// A row is all that is known of a form here; the rest is in its templates.
constexpr Form kForms[] = {
    {"arduino", ".zip", "", "@name@/", "arduino",
     "put OUT into the folder libraries of the sketchbook; of a .zip: Sketch, Include Library, Add .ZIP Library", false,
     false, true},
    {"bazel", "", "", "", "target",
     "bazel_dep() and local_path_override() of OUT in MODULE.bazel, or local_repository() in WORKSPACE", false, false},
    {"cargo", "", "", "", "rust", "cargo add --path OUT", false, false},
    {"cmake", "", "", "", "condition", "cmake -DCMAKE_PREFIX_PATH=OUT, then find_package() in CMakeLists.txt", false,
     false},
    {"cmsis-pack", ".pack", "@vendor@.@name@.@version@.pack", "", "cmsis", "cpackget add OUT", false, false},
    {"esp-idf", "", "", "", "idf", "put OUT into the folder components of the project", false, false, true},
    {"npm", ".tgz", "", "package/", "node", "npm install OUT", true, false},
    {"pkgconfig", "", "", "", "target", "PKG_CONFIG_PATH=OUT/lib/TARGET/pkgconfig for the target that you compile for",
     false, false},
    {"platformio", "", "", "", "condition",
     "put OUT into the folder lib of the project, or name it in lib_deps of platformio.ini", false, false},
    {"wheel", ".whl", "@module@-@version@-py3-none-@wheel@.whl", "", "wheel", "pip install OUT", true, true},
    {"zephyr", "", "", "", "zephyr", "west build ... -- -DZEPHYR_EXTRA_MODULES=OUT", false, false},
};

bool is_package_name(std::string_view text) {
  return is_plain_name(text) && text.find_first_of(".+_") == std::string_view::npos ? is_symbol_name(text.substr(0, 1))
                                                                                    : is_identifier(text);
}

// "1.0.0", as every world takes it.
bool is_version(std::string_view text) {
  int parts = 1;
  bool digit = false, zero = false;  // in this part; it is a lone 0
  for (const char c : text) {
    if (c == '.') {
      if (!digit) return false;
      ++parts;
      digit = zero = false;
    } else if (c < '0' || c > '9' || zero) {
      return false;
    } else {
      zero = !digit && c == '0';
      digit = true;
    }
  }
  return parts == 3 && digit && text.size() <= 20;
}

// Bills of materials of what is in the package; how it was built is the export's to say.
bool is_bills(std::string_view text) { return text == "spdx" || text == "cyclonedx" || text == "spdx,cyclonedx"; }

bool is_vendor(std::string_view text) { return is_plain_name(text) && text.find_first_of(".+") == text.npos; }

bool is_url(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) && visible_text(text) == text &&
         text.find_first_of(" \"'<>\\$@#;") == text.npos;
}

// True if the text can be a field of library.properties or of a .pc file: without characters that have a meaning there.
bool is_sentence(std::string_view text) {
  // Some languages end a line, and with it a comment, at U+2028.
  return visible_text(text) == text && !text.empty() && text.size() <= 128 &&
         text.find_first_of("$#\\\"") == text.npos && text.find("*/") == text.npos;
}

struct AboutField {
  const char* name;
  const char* initial;  // null: it follows from the models
  TextRule rule;
};
constexpr AboutField kAbout[] = {
    {"name", nullptr, {is_package_name, "a letter, then letters, digits and _, or letters, digits and -"}},
    {"version", "1.0.0", {is_version, "three numbers, as in 1.0.0"}},
    {"vendor", "local", {is_vendor, "letters, digits, _ and -"}},
    {"description", nullptr, {is_sentence, "at most 128 characters in one line, without $ # \\ \" and */"}},
    {"author", "unknown", {is_sentence, "at most 128 characters in one line, without $ # \\ \" and */"}},
    {"url", "https://example.invalid/", {is_url, "https://..., without quotes and spaces"}},
    {"licence", "", kLicence},
    {"sbom", "", {is_bills, "spdx, cyclonedx or spdx,cyclonedx"}},
    {"model_licence", "", kLicence},
};

std::vector<std::string> prefixes_of(std::span<const Variant> variants) {
  std::vector<std::string> out;
  for (const Package& p : variants.front().models) out.push_back(p.prefix);
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

Result<void> check_about(const FormRequest& request, std::span<const Variant> variants, Diagnostics& diags) {
  const std::size_t before = diags.count();
  for (const auto& [name, value] : request.about) {
    const auto* field =
        std::find_if(std::begin(kAbout), std::end(kAbout), [&, &n = name](const AboutField& f) { return n == f.name; });
    if (field == std::end(kAbout))
      diags.error({}, "--set", "there is no such field of a package", name, about_fields());
    else
      (void)bool(check_text(value, field->rule, {}, "--set " + name, diags));
  }
  if (!request.about.contains("name") && variants.front().models.size() > 1)
    diags.error(request.out, {}, "a package of several models wants a name", joined(prefixes_of(variants)),
                "--set name=NAME");
  return diags.count() == before ? Result<void>() : failure;
}

// Inputs and outputs as code that calls the model sees them.
bool is_called_alike(const Package& a, const Package& b) {
  const auto alike = [](const std::vector<IoTensor>& s, const std::vector<IoTensor>& t) {
    return std::equal(s.begin(), s.end(), t.begin(), t.end(), [](const IoTensor& u, const IoTensor& v) {
      return u.field == v.field && u.dtype == v.dtype && u.dims == v.dims;
    });
  };
  const ModelInterface &x = a.description->interface, &y = b.description->interface;
  return alike(x.inputs, y.inputs) && alike(x.outputs, y.outputs);
}

Result<void> check_models(const std::vector<Variant>& variants, Diagnostics& diags) {
  const std::size_t before = diags.count();
  const Variant& first = variants.front();
  for (const Variant& v : variants) {
    for (std::size_t i = 0; i < v.models.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (v.models[i].prefix == v.models[k].prefix)
          diags.error({}, v.models[i].prefix, "two folders have this model for target '" + v.target().name + "'");
    for (const Package& p : first.models) {
      const auto same =
          std::find_if(v.models.begin(), v.models.end(), [&](const Package& o) { return o.prefix == p.prefix; });
      if (same == v.models.end())
        diags.error({}, p.prefix, "the model is not there for target '" + v.target().name + "'",
                    joined(prefixes_of({&v, 1})), joined(prefixes_of({&first, 1})));
      else if (!is_called_alike(p, *same))
        diags.error({}, p.prefix, "the model has other inputs or outputs for target '" + v.target().name + "'", {},
                    "those for '" + first.target().name + "'");
    }
    if (v.models.size() > first.models.size() && diags.count() == before)
      diags.error({}, {}, "there are more models for target '" + v.target().name + "'", joined(prefixes_of({&v, 1})),
                  joined(prefixes_of({&first, 1})));
  }
  return diags.count() == before ? Result<void>() : failure;
}

}  // namespace

std::span<const Form> all_forms() { return kForms; }

std::string how_to_install(const Form& form, const std::string& out) {
  constexpr std::string_view kOut = "OUT";
  std::string text(form.install);
  return text.replace(text.find(kOut), kOut.size(), out);
}

Result<const Form*> find_form(const std::string& name, Diagnostics& diags) {
  std::vector<std::string> names;
  for (const Form& f : kForms) {
    if (f.name == name) return &f;
    names.emplace_back(f.name);
  }
  return diags.error({}, "--as", "there is no such form of a package" + did_you_mean(name, names), "'" + name + "'",
                     joined(names));
}

std::string about_fields() {
  std::vector<std::string> names;
  for (const AboutField& f : kAbout) names.emplace_back(f.name);
  return joined(names);
}

Result<std::vector<Variant>> variants_of(std::vector<Package> packages, Diagnostics& diags) {
  std::vector<Variant> out;
  bool ok = true;
  for (Package& p : packages) {
    if (p.prefix.empty() || !p.description) {
      const std::string name = p.prefix.empty() ? p.tree.modules.front().name : p.prefix;
      diags.error(name, {}, "a package of this form is of models; this library is of none", {},
                  "what byoc export wrote");
      ok = false;
      continue;
    }
    auto same =
        std::find_if(out.begin(), out.end(), [&](const Variant& v) { return v.target().name == p.target.name; });
    if (same == out.end()) same = out.insert(out.end(), Variant());
    same->models.push_back(std::move(p));
  }
  std::ranges::stable_partition(out, [](const Variant& v) { return !makes_sources(v.target()); });
  if (!ok || out.empty() || !check_models(out, diags)) return failure;
  return out;
}

Result<void> check_form(const FormRequest& request, std::span<const Variant> variants, Diagnostics& diags) {
  const std::size_t before = diags.count();
  const Form& form = request.form;
  const std::string as = "--as " + std::string(form.name);
  std::map<std::string, std::string> seen, by_compiler;  // key -> target, condition -> target
  if (makes_sources(variants.front().target()))
    diags.error(variants.front().target().name, as, "sources alone are no package of this form", {},
                "a target with a machine besides");
  for (const Variant& v : variants) {
    const TargetSpec& t = v.target();
    if (makes_sources(t) && form.sources) continue;
    const auto facts = facts_of(t);
    const auto key = facts.find(std::string(form.key));
    if (key == facts.end() || key->second.empty() || !facts.contains("condition") || (form.hosted && !t.hosted)) {
      diags.error(t.name, as, "this form has no word for the target", t.triple + " " + t.cpu + t.march,
                  form.hosted ? "a target with an operating system" : std::string());
      continue;
    }
    const auto [other, is_new] = seen.emplace(key->second, t.name);
    if (!is_new)
      diags.error(t.name, as, "this form cannot tell the target from '" + other->second + "'", key->second,
                  "a package for each");
    // Headers are chosen by what the compiler says of itself.
    const auto [alike, differs] = by_compiler.emplace(facts.at("condition"), t.name);
    if (is_new && !differs)
      diags.error(t.name, as, "a compiler cannot tell the target from '" + alike->second + "'", alike->first,
                  "a package for each");
  }
  if (form.one_target && variants.size() > 1)
    diags.error(request.out, as, "a package of this form is for one target", std::to_string(variants.size()), "1");
  if (!check_about(request, variants, diags)) return failure;
  return diags.count() == before ? Result<void>() : failure;
}

About complete(const About& about, std::span<const Variant> variants) {
  About out = about;
  const auto prefixes = prefixes_of(variants);
  out.emplace("name", prefixes.front());
  std::vector<std::string> targets;
  for (const Variant& v : variants)
    if (!makes_sources(v.target())) targets.push_back(v.target().name);
  std::string description = "Neural network " + joined(prefixes) + " for " + joined(targets);
  if (description.size() > 128) description = "Neural networks, compiled";
  out.emplace("description", description);
  for (const AboutField& f : kAbout)
    if (f.initial != nullptr) out.emplace(f.name, f.initial);
  const std::string& url = out["url"];
  out["folder_url"] = url.ends_with('/') ? url : url + "/";
  out["module"] = to_identifier(out["name"]);
  out["NAME"] = upper_case(out["module"]);
  out["npm_name"] = lower_case(out["name"]);
  if (const auto wheel = facts_of(variants.front().target()); wheel.contains("wheel")) out["wheel"] = wheel.at("wheel");
  return out;
}

bool is_archive(const FormRequest& request) {
  return !request.form.archive.empty() && request.out.ends_with(request.form.archive);
}

std::string archive_name(const FormRequest& request, std::span<const Variant> variants) {
  std::string out(request.form.file);
  for (const auto& [name, value] : complete(request.about, variants))
    if (const std::size_t at = out.find("@" + name + "@"); at != std::string::npos)
      out.replace(at, name.size() + 2, value);
  return out;
}

}  // namespace byoc::forms
