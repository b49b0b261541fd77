#include "sdk/pack/bills/bill.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "sdk/pack/bills/bill_parts.hpp"
#include "sdk/pack/companions.hpp"
#include "sdk/pack/licence.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/pack/pack_format.hpp"
#include "sdk/pack/source_date.hpp"
#include "sdk/support/json.hpp"
#include "sdk/support/valid_text.hpp"

namespace byoc {
namespace bills {

std::string time_text(std::uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string uuid_of(std::string_view text) {
  std::string digits = sha256_of(text).substr(0, 32);
  digits[12] = '8';
  digits[16] = "89ab"[(digits[16] <= '9' ? digits[16] - '0' : digits[16] - 'a' + 10) & 3];
  for (const std::size_t at : {20, 16, 12, 8}) digits.insert(at, "-");
  return digits;
}

}  // namespace bills

namespace {

namespace fs = std::filesystem;
using bills::Bill;

struct BillForm {
  std::string_view name;
  std::string_view suffix;
  Json (*write)(const Bill&);
};
constexpr BillForm kForms[] = {{"spdx", ".spdx.json", bills::spdx},
                               {"cyclonedx", ".cdx.json", bills::cyclonedx},
                               {"slsa", ".intoto.json", bills::slsa}};

// The licence of byoc's own parts.
constexpr const char* kOwnLicence = "Apache-2.0";

// The text after the '=' of "slsa=https://...".
std::string builder_of(const std::string& form) {
  const std::size_t equals = form.find('=');
  return equals == std::string::npos ? std::string() : form.substr(equals + 1);
}

const BillForm* find(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  const auto* form =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const BillForm& f) { return f.name == name; });
  return form == std::end(kForms) ? nullptr : form;
}

std::string type_text(const Json& tensor) {
  std::string dims;
  for (const Json& d : tensor.at("dims")) dims += (dims.empty() ? "" : ",") + json_text(d);
  return tensor.at("dtype").get<std::string>() + "[" + dims + "]";
}

// Made from the manifest, which write_manifest() has just written.
Bill bill_of(const Package& package) {
  const Json m = parse_ordered_json(package.manifest);
  Bill out;
  out.library = package.prefix;
  out.model = m.at("model");
  out.model_sha256 = m.value("model_sha256", "");
  out.target = m.at("target").at("name");
  out.toolchain = m.value("toolchain", "");
  out.executor = m.value("executor", "aot");
  out.byoc = m.at("byoc");
  for (const Json& t : m.at("inputs")) out.inputs.push_back(type_text(t));
  for (const Json& t : m.at("outputs")) out.outputs.push_back(type_text(t));
  for (const Json& c : m.value("codegens", Json::array())) {
    bills::Origin origin{
        c.at("id"), c.at("version"), c.value("sha256", ""), {}, {}, c.value("options", Json::object())};
    // The licence that it declares for all its output, unless a file states more.
    const std::string declared = c.value("licence", "");
    if (origin.sha256.empty())
      origin.licence = kOwnLicence;
    else if (is_licence(declared))
      origin.licence = "(" + declared + ")";
    for (const Json& l : m.value("licences", Json::array()))
      if (l.at("codegen") == origin.id) {
        const std::string name = l.value("spdx", "");
        if (is_licence(name))
          origin.licence += (origin.licence.empty() ? "" : " AND ") + ("(" + name + ")");
        else
          origin.text += l.value("text", "");
      }
    out.origins.push_back(std::move(origin));
  }
  out.link_libraries = m.value("link_libraries", std::vector<std::string>());
  return out;
}

// The path of `name` relative to the folder that `out` is in, or that it is.
std::string name_from(const std::string& out, bool folder, const std::string& name) {
  const fs::path base = folder ? fs::path(out) : fs::path(out).parent_path();
  return fs::path(name)
      .lexically_normal()
      .lexically_relative((base.empty() ? fs::path(".") : base).lexically_normal())
      .generic_string();
}

}  // namespace

std::vector<std::string> bill_forms() {
  std::vector<std::string> names;
  for (const BillForm& f : kForms) names.emplace_back(f.name);
  return names;
}

Result<std::string> bill_path(const std::string& form, const std::string& out, const std::string& prefix,
                              Diagnostics& diags) {
  const BillForm* known = find(form);
  if (known == nullptr)
    return diags.error({}, "--sbom", "there is no such form", "'" + form + "'", "spdx, cyclonedx, slsa=URI");
  const auto format = pack_format(out, diags);
  if (!format) return failure;
  const std::string suffix(known->suffix);
  return *format == PackFormat::folder ? (fs::path(out) / (prefix + suffix)).string() : companion(out, suffix);
}

Result<void> check_bills(const BillRequest& request, Diagnostics& diags) {
  for (const std::string& text : request.forms) {
    const BillForm* form = find(text);
    const std::string builder = builder_of(text);
    if (form == nullptr || (form->name != "slsa" && text != form->name))
      return diags.error({}, "--sbom", "there is no such form", "'" + text + "'", "spdx, cyclonedx, slsa=URI");
    if (form->name == "slsa" &&
        (builder.find(':') == std::string::npos || builder.find(' ') != std::string::npos || !is_one_line(builder)))
      return diags.error({}, "--sbom", "provenance says on which platform code was built, and only you know that",
                         "'" + text + "'", "slsa=URI, as in slsa=https://ci.example.com/release");
  }
  if (!request.model_licence.empty() && !check_text(request.model_licence, kLicence, {}, "--model-licence", diags))
    return failure;
  return {};
}

Result<std::vector<std::pair<std::string, std::string>>> make_bills(const Package& package,
                                                                    std::span<const BilledFile> files,
                                                                    const BillRequest& request, Diagnostics& diags) {
  const auto time = source_date(diags);
  if (!check_bills(request, diags) || !time) return failure;
  Bill bill = bill_of(package);
  bill.model_licence = request.model_licence;
  bill.time = *time;
  bill.dated = *time != 0;
  for (const BilledFile& f : files) {
    bill.files.push_back({f.name, hashes_of_file(f.path)});
    if (bill.files.back().hashes.sha1.empty()) return diags.error(f.name, {}, "cannot be read again for its bill");
  }
  std::sort(bill.files.begin(), bill.files.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& form : request.forms) {
    bill.builder = builder_of(form);
    out.emplace_back(find(form)->suffix, json_text(find(form)->write(bill), 2) + "\n");
  }
  return out;
}

Result<void> add_bills(const Package& package, const std::string& out, const BillRequest& request, OutputSet& files,
                       Diagnostics& diags) {
  if (request.forms.empty()) return {};
  const auto format = pack_format(out, diags);
  if (!format) return failure;
  std::vector<BilledFile> billed;
  for (const OutputSet::Written& w : files.written())
    billed.push_back({name_from(out, *format == PackFormat::folder, w.name), w.content});
  const auto bills = make_bills(package, billed, request, diags);
  if (!bills) return failure;
  for (std::size_t i = 0; i < bills->size(); ++i) {
    const auto path = bill_path(request.forms[i], out, package.prefix, diags);
    if (!path || !files.add(*path, (*bills)[i].second)) return failure;
  }
  return {};
}

}  // namespace byoc
