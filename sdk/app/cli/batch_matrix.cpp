#include "sdk/app/cli/batch_matrix.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
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

// A row is left out if it has all of these; "" is any.
struct Excluded {
  std::string model, target, variant;
  [[nodiscard]] bool has(const BatchRow& row, const std::string& row_target) const {
    const auto is = [](const std::string& wanted, const std::string& own) { return wanted.empty() || wanted == own; };
    return is(model, row.name) && is(target, row_target) && is(variant, row.variant);
  }
};

class Reader {
 public:
  Reader(const std::string& file, Diagnostics& diags)
      : file_(file), folder_(fs::absolute(file).parent_path()), diags_(diags) {}

  Result<std::vector<BatchRow>> rows(const SortedJson& json, const std::string& base) {
    const std::size_t before = diags_.count();
    std::string pack = "a", output = "out";
    std::vector<std::string> targets, common;
    JsonFields f(json, "a batch", file_, diags_);
    read_models(f.list("models", Presence::needed));
    f.need("targets", targets);
    read_variants(f.object("variants"));
    f.read("options", common);
    f.read("pack", pack, {"a", "o", "so", "tar"});
    f.read("output", output);
    read_excluded(f.list("exclude"));
    f.finish();
    if (diags_.count() != before) return failure;
    std::vector<BatchRow> out;
    std::set<std::string> places;
    for (const Named& model : models_)
      for (const std::string& target : targets)
        for (const Named& variant : variants_) {
          BatchRow row{model.path, model.name, resolved_target(target), variant.name, {}, common};
          if (std::ranges::any_of(excluded_, [&](const Excluded& e) { return e.has(row, target); })) continue;
          row.options.insert(row.options.end(), model.options.begin(), model.options.end());
          row.options.insert(row.options.end(), variant.options.begin(), variant.options.end());
          row.output = (fs::path(base) / output / fs::path(target).stem() / variant.name / (model.name + "." + pack))
                           .lexically_normal();
          if (!places.insert(row.output).second)
            return diags_.error(file_, model.name, "two rows have this output", row.output,
                                "a name of its own for each model");
          out.push_back(std::move(row));
        }
    if (out.empty()) return diags_.error(file_, {}, "has no row");
    return out;
  }

 private:
  [[nodiscard]] std::string resolved(const std::string& path) const {
    return (folder_ / path).lexically_normal().string();
  }
  [[nodiscard]] std::string resolved_target(const std::string& target) const {
    return target.ends_with(".json") ? resolved(target) : target;
  }
  void check_name(const char* of, const std::string& name) {
    if (to_identifier(name) != name) diags_.error(file_, of, "has a name that is no C identifier", "'" + name + "'");
  }

  // A path, or an object.
  void read_models(const SortedJson* list) {
    for (const SortedJson& m : list == nullptr ? SortedJson::array() : *list) {
      Named model;
      if (m.is_string()) {
        model.path = m.get<std::string>();
      } else if (m.is_object()) {
        JsonFields f(m, "a model of a batch", file_, diags_);
        f.need("model", model.path);
        f.read("name", model.name);
        f.read("options", model.options);
        f.finish();
      } else {
        diags_.error(file_, "models", "has the wrong type", m.type_name(), "a path or an object for each model");
      }
      model.path = resolved(model.path);
      if (model.name.empty()) model.name = default_name(model.path);
      check_name("models", model.name);
      models_.push_back(std::move(model));
    }
  }

  void read_variants(const SortedJson* object) {
    if (object == nullptr) return void(variants_.emplace_back());
    JsonFields f(*object, "a variant", file_, diags_);
    for (const auto& [name, unused] : object->items()) {
      variants_.push_back({name, {}, {}});
      f.read(name.c_str(), variants_.back().options);
      check_name("variants", name);
    }
    if (variants_.empty()) diags_.error(file_, "variants", "is empty");
  }

  void read_excluded(const SortedJson* list) {
    for (const SortedJson& e : list == nullptr ? SortedJson::array() : *list) {
      if (!e.is_object() || e.empty()) {
        diags_.error(file_, "exclude", "has something that is no row", e.type_name(),
                     "an object with 'model', 'target' or 'variant'");
        continue;
      }
      JsonFields f(e, "a row in 'exclude'", file_, diags_);
      Excluded& out = excluded_.emplace_back();
      f.read("model", out.model);
      f.read("target", out.target);
      f.read("variant", out.variant);
      f.finish();
    }
  }

  const std::string& file_;
  fs::path folder_;
  Diagnostics& diags_;
  std::vector<Named> models_, variants_;
  std::vector<Excluded> excluded_;
};

}  // namespace

Result<std::vector<BatchRow>> read_batch(const std::string& file, const std::string& base, Diagnostics& diags) {
  const auto text = read_text(file, diags);
  if (!text) return failure;
  const SortedJson json = try_parse_json(*text);
  if (json.is_discarded()) return diags.error(file, {}, "is no JSON");
  if (!json.is_object()) return diags.error(file, {}, "is not a batch", json.type_name(), "an object");
  return Reader(file, diags).rows(json, base);
}

std::vector<std::string> arguments_of(const BatchRow& row) {
  std::vector<std::string> out{"export", row.model, "--target", row.target, "--name", row.name};
  out.insert(out.end(), row.options.begin(), row.options.end());
  out.insert(out.end(), {"-o", row.output});
  return out;
}

}  // namespace byoc::cli
