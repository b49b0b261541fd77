// SLSA provenance v1 in an in-toto Statement v1, https://slsa.dev/spec/v1.0/provenance
#include "sdk/library/pack/bills/bill_parts.hpp"

namespace byoc::bills {

Json slsa(const Bill& bill) {
  Json subject = Json::array(), dependencies = Json::array(), codegens = Json::array();
  for (const File& f : bill.files) subject.push_back({{"name", f.name}, {"digest", {{"sha256", f.hashes.sha256}}}});
  if (!bill.model_sha256.empty())
    dependencies.push_back({{"name", bill.model}, {"digest", {{"sha256", bill.model_sha256}}}});
  for (const Origin& o : bill.origins) {
    codegens.push_back({{"id", o.id}, {"version", o.version}, {"options", o.options}});
    if (!o.sha256.empty()) dependencies.push_back({{"name", "plug-in " + o.id}, {"digest", {{"sha256", o.sha256}}}});
  }
  const Json definition{{"buildType", "https://byoc.invalid/export/v1"},
                        {"externalParameters",
                         {{"model", bill.model},
                          {"name", bill.library},
                          {"target", bill.target},
                          {"executor", bill.executor},
                          {"codegens", codegens}}},
                        {"internalParameters", {{"byoc", bill.byoc}, {"toolchain", bill.toolchain}}},
                        {"resolvedDependencies", dependencies}};
  const Json details{{"builder", {{"id", bill.builder}}}};
  return {{"_type", "https://in-toto.io/Statement/v1"},
          {"subject", subject},
          {"predicateType", "https://slsa.dev/provenance/v1"},
          {"predicate", {{"buildDefinition", definition}, {"runDetails", details}}}};
}

}  // namespace byoc::bills
