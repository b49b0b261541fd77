#include "sdk/app/cli/batch_matrix.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/export/load_model.hpp"

namespace byoc::cli {
namespace {

namespace fs = std::filesystem;
struct Named {
  std::string name;
  std::string path;
  std::vector<std::string> options;
};

class Reader {
 public:
  Reader(const std::string& file, Diagnostics& diags)
      : file_(file), folder_(fs::absolute(file).parent_path()), diags_(diags) {}

  Result<std::vector<BatchRow>> rows(const SortedJson& json, const std::string& base) {
    static const std::set<std::string> kFields{"models", "targets", "variants", "options", "pack", "output", "exclude"};
    if (!json.is_object()) return wrong("the file", "an object");
    for (const auto& [field, value] : json.items())
      if (!kFields.contains(field))
        return wrong("'" + field + "'", "one of models, targets, variants, options, pack, output, exclude");
    const auto models = read_models(json);
    const auto targets = models ? texts(json, "targets", /*needed=*/true) : failure;
    const auto common = targets ? texts(json, "options", false) : failure;
    const auto variants = common ? read_variants(json) : failure;
    if (!variants) return failure;
    const std::string pack = json.value("pack", SortedJson("a")).is_string() ? json.value("pack", "a") : "";
    if (pack != "a" && pack != "o" && pack != "so" && pack != "tar") return wrong("pack", "a, o, so or tar");
    if (json.contains("output") && !json["output"].is_string()) return wrong("output", "a folder");
    const fs::path output = fs::path(base) / json.value("output", "out");
    std::vector<BatchRow> out;
    std::set<std::string> places;
    for (const Named& model : *models)
      for (const std::string& target : *targets)
        for (const Named& variant : *variants) {
          const auto left_out = excluded(json, model, target, variant.name);
          if (!left_out) return failure;
          if (*left_out) continue;
          BatchRow row{model.path, model.name, resolved_target(target), variant.name, {}, *common};
          row.options.insert(row.options.end(), model.options.begin(), model.options.end());
          row.options.insert(row.options.end(), variant.options.begin(), variant.options.end());
          row.output = (output / fs::path(target).stem() / variant.name / (model.name + "." + pack)).lexically_normal();
          if (!places.insert(row.output).second)
            return diags_.error(file_, model.name, "two rows have this output", row.output,
                                "a name of its own for each model");
          out.push_back(std::move(row));
        }
    if (out.empty()) return diags_.error(file_, {}, "has no row");
    return out;
  }

 private:
  Failure wrong(const std::string& what, const std::string& expected) {
    return diags_.error(file_, {}, "cannot be read as a batch", what, expected);
  }

  [[nodiscard]] std::string resolved(const std::string& path) const {
    return (folder_ / path).lexically_normal().string();
  }
  [[nodiscard]] std::string resolved_target(const std::string& target) const {
    return target.ends_with(".json") ? resolved(target) : target;
  }

  Result<std::vector<std::string>> texts(const SortedJson& json, const std::string& field, bool needed) {
    std::vector<std::string> out;
    const auto found = json.find(field);
    if (found == json.end())
      return needed ? Result<std::vector<std::string>>(wrong("no '" + field + "'", "a list of texts")) : out;
    if (!found->is_array()) return wrong("'" + field + "'", "a list of texts");
    for (const SortedJson& t : *found) {
      if (!t.is_string()) return wrong("'" + field + "'", "a list of texts");
      out.push_back(t.get<std::string>());
    }
    return out;
  }

  Result<std::vector<Named>> read_models(const SortedJson& json) {
    std::vector<Named> out;
    const auto found = json.find("models");
    if (found == json.end() || !found->is_array()) return wrong("no list 'models'", "paths, or objects with 'model'");
    for (const SortedJson& m : *found) {
      const bool object = m.is_object() && m.contains("model") && m["model"].is_string();
      if (!m.is_string() && !object) return wrong("a model", "a path, or an object with 'model', 'name' and 'options'");
      const std::string path = resolved(m.is_string() ? m.get<std::string>() : m["model"].get<std::string>());
      Named model{default_name(path), path, {}};
      if (object && m.contains("name") && m["name"].is_string()) model.name = m["name"].get<std::string>();
      if (to_identifier(model.name) != model.name) return wrong("the name '" + model.name + "'", "a C identifier");
      if (object) {
        auto options = texts(m, "options", false);
        if (!options) return failure;
        model.options = std::move(*options);
      }
      out.push_back(std::move(model));
    }
    return out;
  }

  Result<std::vector<Named>> read_variants(const SortedJson& json) {
    const auto found = json.find("variants");
    if (found == json.end()) return std::vector<Named>{{}};
    if (!found->is_object() || found->empty()) return wrong("'variants'", "an object: a list of options for each name");
    std::vector<Named> out;
    for (const auto& [name, unused] : found->items()) {
      auto options = texts(*found, name, true);
      if (!options) return failure;
      if (to_identifier(name) != name) return wrong("the variant '" + name + "'", "a name of letters, digits and _");
      out.push_back({name, {}, std::move(*options)});
    }
    return out;
  }

  // A row that all fields of an object in 'exclude' are of.
  Result<bool> excluded(const SortedJson& json, const Named& model, const std::string& target,
                        const std::string& variant) {
    const auto found = json.find("exclude");
    if (found == json.end()) return false;
    if (!found->is_array()) return wrong("'exclude'", "a list of objects with 'model', 'target', 'variant'");
    for (const SortedJson& e : *found) {
      if (!e.is_object() || e.empty()) return wrong("'exclude'", "a list of objects with 'model', 'target', 'variant'");
      bool all = true;
      for (const auto& [field, value] : e.items()) {
        if (!value.is_string() || (field != "model" && field != "target" && field != "variant"))
          return wrong("'" + field + "' in 'exclude'", "'model', 'target' or 'variant'");
        const std::string text = value.get<std::string>();
        all = all && (field == "model" ? text == model.name : field == "target" ? text == target : text == variant);
      }
      if (all) return true;
    }
    return false;
  }

  const std::string& file_;
  fs::path folder_;
  Diagnostics& diags_;
};

}  // namespace

Result<std::vector<BatchRow>> read_batch(const std::string& file, const std::string& base, Diagnostics& diags) {
  const auto text = read_text(file, diags);
  if (!text) return failure;
  const SortedJson json = try_parse_json(*text);
  if (json.is_discarded()) return diags.error(file, {}, "is no JSON");
  return Reader(file, diags).rows(json, base);
}

std::vector<std::string> arguments_of(const BatchRow& row) {
  std::vector<std::string> out{"export", row.model, "--target", row.target, "--name", row.name};
  out.insert(out.end(), row.options.begin(), row.options.end());
  out.insert(out.end(), {"-o", row.output});
  return out;
}

}  // namespace byoc::cli
