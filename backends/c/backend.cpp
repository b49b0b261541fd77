#include "backends/c/backend.hpp"

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {
namespace {

class Backend final : public codegen::Codegen {
 public:
  std::string_view id() const override { return "c"; }
  std::string_view version() const override { return "1"; }

  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec& target) override {
    std::vector<codegen::Verdict> out;
    for (const codegen::Node& node : model.nodes) {
      const Lowering* lowering = find_lowering(node.domain, node.op);
      out.push_back(lowering ? lowering->accepts(model, node, target)
                             : refuse(codegen::Reason::unsupported_op,
                                      "the c backend has no operator " +
                                          (node.domain.empty() ? "" : node.domain + ".") + node.op));
    }
    return out;
  }

  bool compile(const codegen::Request& request, codegen::Host& host) override {
    bool ok = true;
    for (const codegen::Region& region : request.regions) {
      Emitter emitter(request, host, region);
      for (const codegen::Node& node : region.nodes) {
        const Lowering* lowering = find_lowering(node.domain, node.op);
        ok = (lowering ? lowering->lower(emitter, node) : emitter.error(node, "was not claimed")) && ok;
      }
      emitter.finish();
    }
    return ok;
  }
};

}  // namespace

std::unique_ptr<codegen::Codegen> create_backend() { return std::make_unique<Backend>(); }

}  // namespace byoc::c
