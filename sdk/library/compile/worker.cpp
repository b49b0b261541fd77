#include "sdk/library/compile/worker.hpp"

#include "sdk/library/compile/check/source_check.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc::compile {

std::string encode_outcome(const Result<ObjectBytes>& object, const Diagnostics& diags) {
  MessageWriter out;
  out.put(diags);
  out.put<std::uint8_t>(object ? 1 : 0);
  if (object) out.put(std::string_view(reinterpret_cast<const char*>(object->data()), object->size()));
  return out.take();
}

Result<ObjectBytes> decode_outcome(const std::string& what, std::string_view answer, Diagnostics& diags) {
  MessageReader in(answer);
  for (Diagnostic& d : in.list([&] { return in.diagnostic(); })) diags.add(std::move(d));
  const bool compiled = in.flag();
  ObjectBytes object = compiled ? in.blob() : ObjectBytes();
  if (!in.ended())
    return diags.error(what, {}, "the compiler was damaged by it", "an answer that is none", "an object");
  if (compiled) return object;
  if (!diags.has_errors()) return diags.error(what, {}, "cannot be compiled");
  return failure;
}

Failure report_death(const std::string& what, const WorkerEnd& end, Diagnostics& diags) {
  return diags.error(what, {}, "the compiler did not survive it", end.text(), "an object");
}

Result<ObjectBytes> run_in_worker(const std::string& what, const Job& job, Diagnostics& diags,
                                  const WorkerLimits& limits) {
  const JobResult result = run_job(
      [&] {
        Diagnostics own;
        const auto object = job(own);
        return encode_outcome(object, own);
      },
      limits);
  return result.bytes ? decode_outcome(what, *result.bytes, diags) : report_death(what, result.end, diags);
}

void put(MessageWriter& out, const SourceFinding& f) {
  out.put(f.kind);
  for (const std::string* text : {&f.place, &f.symbol, &f.message, &f.found, &f.expected}) out.put(*text);
  out.put(f.in_header);
}

SourceFinding get_finding(MessageReader& in) {
  SourceFinding f;
  f.kind = in.choice(SourceFinding::Kind::external);
  for (std::string* text : {&f.place, &f.symbol, &f.message, &f.found, &f.expected}) *text = in.text();
  f.in_header = in.flag();
  return f;
}

}  // namespace byoc::compile
