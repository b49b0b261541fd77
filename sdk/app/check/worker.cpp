#include "sdk/app/check/worker.hpp"

#include "sdk/base/support/message.hpp"
#include "sdk/base/support/target_message.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/codegen/plugin/abi/loader.hpp"

namespace byoc::check {
namespace {

constexpr const char* kServiceName = "check";

void put_options(MessageWriter& out, const CheckOptions& o) {
  out.put(o.plugin);
  out.list(o.folders);
  out.put(o.options);
  byoc::put(out, o.target);
  out.put(o.strict);
  out.put(o.size.seed);
  for (const std::size_t n : {o.size.any, o.size.shapes, o.size.graphs}) out.put<std::uint64_t>(n);
  out.list(o.size.models);
  out.put(o.reference != nullptr);
  out.list(o.link);
  out.put(o.limits.seconds);
  out.put(o.limits.memory);
}

CheckOptions get_options(MessageReader& in, byoc_plugin_query_fn reference) {
  CheckOptions o;
  o.plugin = in.text();
  o.folders = in.texts();
  o.options = in.text_map();
  o.target = get_target_spec(in);
  o.strict = in.flag();
  o.size.seed = in.get<std::uint64_t>();
  for (std::size_t* n : {&o.size.any, &o.size.shapes, &o.size.graphs}) *n = in.get<std::uint64_t>();
  o.size.models = in.texts();
  o.reference = in.flag() ? reference : nullptr;
  o.link = in.texts();
  o.limits.seconds = in.get<unsigned>();
  o.limits.memory = in.get<std::uint64_t>();
  return o;
}

std::string identify(const CheckOptions& options, const std::string& library) {
  Diagnostics own, wrong;
  auto loaded = plugin::load_plugin(library, {}, own);
  if (loaded && !options.options.empty()) (void)plugin::resolve_options(*loaded, options.options, wrong);
  Packer out;
  out.text(loaded ? loaded->id : "");
  out.text(loaded ? loaded->version : "");
  out.number(wrong.all().size());
  for (const Diagnostic& d : wrong.all())
    for (const std::string* s : {&d.file, &d.node, &d.message, &d.found, &d.expected, &d.codegen}) out.text(*s);
  return std::move(out.bytes);
}

std::string make_corpus_of(const CheckOptions& options, const std::string& library) {
  Diagnostics diags;
  auto loaded = plugin::load_plugin(library, {}, diags);
  if (!loaded) return {};
  auto codegen = plugin::create_codegen(*loaded, options.target, options.options, {}, diags);
  return codegen ? make_corpus(**codegen, options.target, options.size).encode() : std::string();
}

// The number of the first target that it takes; "" if there is none.
std::string choose(const CheckOptions& options, const std::string& library, const std::vector<TargetSpec>& targets) {
  Packer out;
  Diagnostics why;
  const auto loaded = plugin::load_plugin(library, {}, why);
  for (std::size_t i = 0; loaded && i < targets.size(); ++i) {
    if (!plugin::create_codegen(*loaded, targets[i], options.options, {}, why)) continue;
    out.number(i);
    break;
  }
  return std::move(out.bytes);
}

}  // namespace

void serve(Worker::Channel& channel, std::string_view arguments, byoc_plugin_query_fn reference) {
  MessageReader in(arguments);
  const Ask what = in.choice(Ask::choose);
  const CheckOptions options = get_options(in, reference);
  const std::string library = in.text(), manifest = in.text(), corpus_text = in.text();
  const auto number = in.get<std::uint64_t>();
  const std::string check = in.text();
  const std::vector<TargetSpec> targets = in.list([&] { return get_target_spec(in); });
  const bool staged = in.flag();
  Corpus corpus;
  if (!in.ended() || (!corpus_text.empty() && !corpus.decode(corpus_text))) return;
  Stage stage(staged ? kGivenDescriptor : -1);
  Findings findings;
  const auto answer = [&]() -> std::string {
    switch (what) {
      case Ask::identify: return identify(options, library);
      case Ask::corpus: return make_corpus_of(options, library);
      case Ask::choose: return choose(options, library, targets);
      case Ask::answers: {
        Context context{options, library, manifest, corpus, stage, findings, check};
        return answers(context, number);
      }
      case Ask::unit: {
        const std::vector<Unit> units = all_units();
        if (number >= units.size()) return {};
        Context context{options, library, manifest, corpus, stage, findings, units[number].checks[0].name};
        units[number].run(context);
        return findings.encode();
      }
    }
    return {};
  };
  channel.send(answer());
}

JobResult ask(Ask what, const Asked& asked, const Stage* stage) {
  MessageWriter out;
  out.put(what);
  put_options(out, asked.options);
  out.put(asked.library);
  out.put(asked.manifest);
  out.put(asked.corpus == nullptr ? std::string() : asked.corpus->encode());
  out.put(asked.number);
  out.put(asked.check);
  out.list(asked.targets, [&](const TargetSpec& t) { byoc::put(out, t); });
  out.put(stage != nullptr && stage->descriptor() >= 0);
  return run_job(kServiceName, out.bytes(), asked.options.limits, stage == nullptr ? -1 : stage->descriptor());
}

}  // namespace byoc::check
