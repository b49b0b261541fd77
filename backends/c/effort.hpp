// Says of each kernel what it is worth, once all steps are known: light where all that call it are pools or
// normalisations, which follow the layers where a model's time goes and whose code is half as large again for speed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "byoc/forwarding_host.hpp"

namespace byoc::c {

// A host in front of the real one, which knows the region of the graph. finish() hands the sources over.
class EffortHost final : public codegen::ForwardingHost {
 public:
  using ForwardingHost::ForwardingHost;
  void source(const codegen::SourceDecl& decl, std::string_view text) override;
  void step(const codegen::Region& region, const codegen::Step& step) override;
  void finish();

 private:
  struct Source {
    codegen::SourceDecl decl;
    std::string text;
  };
  std::vector<Source> sources_;
  std::map<std::string, std::size_t> kernels_;      // index of the first source by symbol
  std::map<std::string, codegen::Effort> efforts_;  // by kernel; of one that no step calls nothing is said
};

}  // namespace byoc::c
