#include "sdk/app/api/codegens.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <set>

#include "backends/reference.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"
#include "sdk/codegen/plugin/abi/loader.hpp"
#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"
#include "sdk/codegen/plugin/record/recording_codegen.hpp"

namespace byoc::api {
namespace {

constexpr const char *kBuiltIn = "built in", *kLinkedIn = "linked in";

// Makes the codegens of a command one by one, each with its own part of the options.
class Maker {
 public:
  Maker(const PluginChoice& choice, std::map<std::string, plugin::OptionTexts> options, const TargetSpec& target,
        Diagnostics& diags)
      : choice_(choice), options_(std::move(options)), target_(target), diags_(diags) {}

  Result<std::shared_ptr<const CodegenSet>> run() {
    const std::vector<std::string> folders = plugin_folders();
    if (!choice_.record.empty() && choice_.plugins.size() != 1)
      return diags_.error(choice_.record, "--record", "is of one plug-in", std::to_string(choice_.plugins.size()),
                          "--plugin, once");
    for (const std::string& name : choice_.plugins) {
      if (choice_.isolate || !choice_.record.empty())
        add_isolated({name, folders});
      else
        add(plugin::load_plugin(name, folders, diags_));
    }
    for (const byoc_plugin_query_fn query : choice_.linked) add(plugin::negotiate(query, kLinkedIn, diags_));
    // The reference backends are registered here, explicitly, after the user's plug-ins.
    for (const auto& plugin : reference_plugins(diags_)) add(plugin);
    for (const auto& [id, unused] : options_) {
      ok_ = false;
      diags_.error({}, "--plugin-option", "an option is for a plug-in that is not used", "'" + id + "'");
    }
    if (!ok_) return failure;
    return std::shared_ptr<const CodegenSet>(std::move(out_));
  }

 private:
  void add(const Result<plugin::Plugin>& loaded) {
    ok_ = loaded && ok_;
    if (!loaded || !is_new(loaded->id, loaded->where)) return;
    const plugin::OptionTexts options = take_options(loaded->id);
    keep(plugin::create_codegen(*loaded, target_, options, services(), diags_), loaded->where, options,
         plugin::to_text(loaded->table.license));
  }

  void add_isolated(const plugin::PluginFile& file) {
    auto loaded = plugin::IsolatedPlugin::load(file, target_, {choice_.seconds, choice_.memory}, diags_);
    ok_ = loaded && ok_;
    if (!loaded || !is_new((*loaded)->id(), (*loaded)->where())) return;
    const plugin::OptionTexts options = take_options((*loaded)->id());
    const std::string where = (*loaded)->where(), licence = (*loaded)->licence();
    auto created = (*loaded)->create_codegen(options, services());  // which takes the plug-in along
    if (created && !choice_.record.empty())
      created = std::unique_ptr<codegen::Codegen>(plugin::record_codegen(
          std::move(*created), target_, options, choice_.record_constants, write_to(choice_.record)));
    keep(std::move(created), where, options, licence);
  }

  // Whatever became of the export.
  [[nodiscard]] plugin::TakeRecord write_to(const std::string& file) const {
    return [file, &diags = diags_](const plugin::SessionRecord& record) {
      OutputSet files(diags);
      if (files.add(file, plugin::write_record(record))) (void)files.commit();
    };
  }

  [[nodiscard]] plugin::Services services() const { return {choice_.log, choice_.progress, choice_.cancelled}; }

  bool is_new(const std::string& id, const std::string& where) {
    if (ids_.insert(id).second) return true;
    diags_.error(where, id, "two plug-ins have this id");
    return ok_ = false;
  }

  plugin::OptionTexts take_options(const std::string& id) {
    auto own = options_.extract(id);
    return own ? std::move(own.mapped()) : plugin::OptionTexts();
  }

  void keep(Result<std::unique_ptr<codegen::Codegen>> created, const std::string& where,
            const plugin::OptionTexts& options, std::string licence) {
    ok_ = created && ok_;
    if (!created) return;
    out_->origins.push_back({std::string((*created)->id()), std::string((*created)->version()),
                             where == kBuiltIn || where == kLinkedIn ? std::string() : where, options,
                             std::move(licence)});
    out_->order.push_back(created->get());
    out_->owned.push_back(std::move(*created));
  }

  const PluginChoice& choice_;
  std::map<std::string, plugin::OptionTexts> options_;
  const TargetSpec& target_;
  Diagnostics& diags_;
  std::shared_ptr<CodegenSet> out_ = std::make_shared<CodegenSet>();
  std::set<std::string> ids_;
  bool ok_ = true;
};

}  // namespace

std::vector<std::string> plugin_folders() {
  // <prefix>/lib/byoc/plugins, whether this is <prefix>/bin/byoc or <prefix>/lib/libbyoc.so.
  Dl_info self{};
  std::error_code error;
  std::filesystem::path file;
  if (::dladdr(reinterpret_cast<const void*>(&plugin_folders), &self) != 0 && self.dli_fname != nullptr)
    file = self.dli_fname;
  if (!file.filename().string().starts_with("lib")) file = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string system = error ? "" : (file.parent_path().parent_path() / "lib/byoc/plugins").string();
  return plugin::search_path(system);
}

std::vector<Result<plugin::Plugin>> reference_plugins(Diagnostics& diags) {
  std::vector<Result<plugin::Plugin>> out;
  for (const reference::Backend& backend : reference::backends()) {
    out.push_back(plugin::negotiate(backend.query, kBuiltIn, diags));
    if (out.back()) out.back()->built_in = true;
  }
  return out;
}

byoc_plugin_query_fn reference_query() { return reference::backends().front().query; }

Result<std::shared_ptr<const CodegenSet>> make_codegens(const PluginChoice& choice, const TargetSpec& target,
                                                        Diagnostics& diags) {
  auto options = plugin::parse_options(choice.options, diags);
  if (!options) return failure;
  return Maker(choice, std::move(*options), target, diags).run();
}

}  // namespace byoc::api
