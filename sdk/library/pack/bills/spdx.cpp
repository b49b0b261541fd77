// SPDX 2.3, https://spdx.github.io/spdx-spec/v2.3/
#include <algorithm>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/library/pack/bills/bill_parts.hpp"

namespace byoc::bills {
namespace {

constexpr const char* kNone = "NOASSERTION";

// Letters, digits, dots and hyphens.
std::string id_of(const std::string& kind, const std::string& name) {
  std::string out = "SPDXRef-" + kind + "-";
  for (const char c : to_identifier(name)) out += c == '_' ? '-' : c;
  return out;
}

std::string licence_of(const Origin& o) {
  if (!o.licence.empty()) return o.licence;
  return o.text.empty() ? kNone : "LicenseRef-" + id_of("licence", o.id).substr(8);
}

Json package(const std::string& id, const std::string& name, const std::string& version, const std::string& licence,
             const std::string& purpose) {
  Json out{{"SPDXID", id}, {"name", name}};
  if (!version.empty()) out["versionInfo"] = version;
  out["downloadLocation"] = kNone;
  out["filesAnalyzed"] = false;
  out["licenseConcluded"] = licence;
  out["licenseDeclared"] = licence;
  out["copyrightText"] = kNone;
  out["primaryPackagePurpose"] = purpose;
  return out;
}

Json checksums(const std::string& sha256) { return {{{"algorithm", "SHA256"}, {"checksumValue", sha256}}}; }

Json relation(const std::string& from, const std::string& type, const std::string& to) {
  return {{"spdxElementId", from}, {"relationshipType", type}, {"relatedSpdxElement", to}};
}

// Section 7.9: the SHA-1 of the files' SHA-1s, sorted and one behind the other.
std::string verification_code(const std::vector<File>& files) {
  std::vector<std::string> hashes;
  for (const File& f : files) hashes.push_back(f.hashes.sha1);
  std::sort(hashes.begin(), hashes.end());
  std::string all;
  for (const std::string& h : hashes) all += h;
  return sha1_of(all);
}

class Document {
 public:
  explicit Document(const Bill& bill) : bill_(bill), library_(id_of("library", bill.library)) {}

  Json write() {
    add_library();
    add_model();
    for (const Origin& o : bill_.origins) add_origin(o);
    for (const std::string& l : bill_.link_libraries) {
      packages_.push_back(package(id_of("link", l), l, "", kNone, "LIBRARY"));
      relations_.push_back(relation(library_, "DEPENDS_ON", id_of("link", l)));
    }
    add_tool("byoc", bill_.byoc, "Apache-2.0");
    if (!bill_.toolchain.empty()) add_tool(bill_.toolchain, "", kNone);
    return document();
  }

 private:
  void add_library() {
    Json p = package(library_, bill_.library, "", kNone, "LIBRARY");
    p["filesAnalyzed"] = true;
    p["packageVerificationCode"] = {{"packageVerificationCodeValue", verification_code(bill_.files)}};
    p["summary"] = "Neural network " + bill_.library + " for " + bill_.target;
    p["licenseInfoFromFiles"] = {kNone};
    packages_.push_back(std::move(p));
    relations_.push_back(relation("SPDXRef-DOCUMENT", "DESCRIBES", library_));
    for (std::size_t i = 0; i < bill_.files.size(); ++i) {
      const File& f = bill_.files[i];
      const std::string id = "SPDXRef-file-" + std::to_string(i);
      files_.push_back({{"SPDXID", id},
                        {"fileName", "./" + f.name},
                        {"checksums",
                         {{{"algorithm", "SHA1"}, {"checksumValue", f.hashes.sha1}},
                          {{"algorithm", "SHA256"}, {"checksumValue", f.hashes.sha256}}}},
                        {"licenseConcluded", kNone},
                        {"licenseInfoInFiles", {kNone}},
                        {"copyrightText", kNone}});
      relations_.push_back(relation(library_, "CONTAINS", id));
    }
  }

  void add_model() {
    Json p =
        package("SPDXRef-model", bill_.model, "", bill_.model_licence.empty() ? kNone : bill_.model_licence, "DATA");
    if (!bill_.model_sha256.empty()) p["checksums"] = checksums(bill_.model_sha256);
    packages_.push_back(std::move(p));
    relations_.push_back(relation(library_, "GENERATED_FROM", "SPDXRef-model"));
  }

  void add_origin(const Origin& o) {
    const std::string id = id_of("codegen", o.id);
    Json p = package(id, "codegen " + o.id, o.version, licence_of(o), "LIBRARY");
    if (!o.sha256.empty()) p["checksums"] = checksums(o.sha256);
    packages_.push_back(std::move(p));
    relations_.push_back(relation(library_, "STATIC_LINK", id));
    if (o.licence.empty() && !o.text.empty())
      licences_.push_back({{"licenseId", licence_of(o)}, {"extractedText", o.text}});
  }

  void add_tool(const std::string& name, const std::string& version, const std::string& licence) {
    packages_.push_back(package(id_of("tool", name), name, version, licence, "APPLICATION"));
    relations_.push_back(relation(id_of("tool", name), "BUILD_TOOL_OF", library_));
  }

  [[nodiscard]] Json document() const {
    const std::string uuid =
        uuid_of(json_text(packages_) + json_text(files_) + json_text(relations_) + json_text(licences_));
    Json out{{"spdxVersion", "SPDX-2.3"},
             {"dataLicense", "CC0-1.0"},
             {"SPDXID", "SPDXRef-DOCUMENT"},
             {"name", bill_.library},
             {"documentNamespace", "https://spdx.org/spdxdocs/" + bill_.library + "-" + uuid},
             {"creationInfo", {{"created", time_text(bill_.time)}, {"creators", {"Tool: byoc-" + bill_.byoc}}}},
             {"packages", packages_},
             {"files", files_},
             {"relationships", relations_}};
    if (!licences_.empty()) out["hasExtractedLicensingInfos"] = licences_;
    return out;
  }

  const Bill& bill_;
  std::string library_;
  Json packages_ = Json::array(), files_ = Json::array(), relations_ = Json::array(), licences_ = Json::array();
};

}  // namespace

Json spdx(const Bill& bill) { return Document(bill).write(); }

}  // namespace byoc::bills
