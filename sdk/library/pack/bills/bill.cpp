#include "sdk/library/pack/bills/bill.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/pack/bills/bill_parts.hpp"
#include "sdk/library/pack/companions.hpp"
#include "sdk/library/pack/licence.hpp"
#include "sdk/library/pack/pack_format.hpp"
#include "sdk/library/pack/source_date.hpp"

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

std::string type_text(const IoTensor& tensor) {
  std::string dims;
  for (const std::int64_t d : tensor.dims) dims += (dims.empty() ? "" : ",") + std::to_string(d);
  return std::string(to_string(tensor.dtype)) + "[" + dims + "]";
}

bills::Origin origin_of(const CodegenOrigin& codegen, const std::vector<Licence>& licences) {
  bills::Origin out{codegen.id, codegen.version, codegen.sha256, {}, {}, Json::object()};
  for (const auto& [name, value] : codegen.options) out.options[name] = utf8(value);
  // A codegen may state one licence for all that it emits, and more in files.
  if (codegen.sha256.empty())
    out.licence = kOwnLicence;
  else if (is_licence(codegen.licence))
    out.licence = "(" + codegen.licence + ")";
  for (const Licence& l : licences) {
    if (l.codegen != codegen.id) continue;
    if (is_licence(l.spdx))
      out.licence += (out.licence.empty() ? "" : " AND ") + ("(" + l.spdx + ")");
    else
      out.text += utf8(l.text);
  }
  return out;
}

Bill bill_of(const std::string& prefix, const LibraryDescription& d) {
  Bill out;
  out.library = prefix;
  out.model = utf8(d.interface.name);
  out.model_sha256 = d.model_sha256;
  out.target = d.target.name;
  out.toolchain = d.toolchain;
  out.executor = d.executor;
  out.byoc = d.byoc.empty() ? BYOC_VERSION : d.byoc;
  for (const IoTensor& t : d.interface.inputs) out.inputs.push_back(type_text(t));
  for (const IoTensor& t : d.interface.outputs) out.outputs.push_back(type_text(t));
  for (const CodegenOrigin& o : d.origins) out.origins.push_back(origin_of(o, d.licences));
  out.link_libraries = d.link_libraries;
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
  if (!package.description)
    return diags.error({}, "--sbom", "a bill is of a library with a model, and this is one without");
  Bill bill = bill_of(package.prefix, *package.description);
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
