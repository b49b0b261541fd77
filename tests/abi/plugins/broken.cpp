// Plug-ins that break one requirement of docs/plugin-abi.md each, chosen by the name of the file, and a sound one: Relu
// and Add on floats, written against the C headers alone. check_plugin_test.py says which check of `byoc check-plugin`
// has to find which.
#include <byoc/abi/abi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// What this one breaks: the name of its file. "sound" breaks nothing.
static std::string find_name() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&find_name), &info) == 0) return "";
  std::string name = info.dli_fname;
  name.erase(0, name.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}
static bool breaks(const char* what) {
  static const std::string name = find_name();
  return name == what;
}

struct byoc_codegen {
  const byoc_host_t* host;
  const byoc_region_t* kept;
  void* lost;
};

static int alive = 0;    // codegens
static int counted = 0;  // calls of whatever counts

static byoc_string_t text(const std::string& s) { return {s.data(), s.size()}; }
static std::string string(const byoc_string_t& s) { return s.size == 0 ? "" : std::string(s.data, s.size); }

template <class T>
static T make() {
  T out{};
  out.struct_size = sizeof(T);
  return out;
}

static byoc_status_t fail(const byoc_host_t* host, const char* message) {
  auto d = make<byoc_diagnostic_t>();
  d.severity = BYOC_ERROR;
  d.node = BYOC_NONE;
  const std::string said = message;
  d.message = text(said);
  host->diag(host, &d);
  return BYOC_FAILED;
}

static byoc_status_t create(const byoc_create_info_t* info, byoc_codegen_t** codegen) {
  if (breaks("create-fails")) return fail(info->host, "it does not want to");
  if (breaks("create-silent")) return BYOC_FAILED;
  if (breaks("exact-size") && info->struct_size != sizeof *info) return fail(info->host, "the struct has another size");
  *codegen = new byoc_codegen{info->host, nullptr, nullptr};
  ++alive;
  return BYOC_OK;
}

static void destroy(byoc_codegen_t* codegen) {
  --alive;
  delete codegen;
}

static bool is_float(const byoc_region_t* r, uint32_t v) { return r->values[v]->dtype == BYOC_F32; }
static bool is_constant(const byoc_region_t* r, uint32_t v) { return (r->values[v]->flags & BYOC_VALUE_CONSTANT) != 0; }
// A dim that only a run knows is a symbol.
static bool is_open(const byoc_value_t* v) {
  for (uint32_t i = 0; i < v->rank; ++i)
    if (v->dims[i] < 0) return true;
  return false;
}
static uint64_t count(const byoc_value_t* v) {
  uint64_t n = 1;
  for (uint32_t i = 0; i < v->rank; ++i) n *= static_cast<uint64_t>(v->dims[i]);
  return n;
}
static bool same_shape(const byoc_value_t* a, const byoc_value_t* b) {
  return a->rank == b->rank && (a->rank == 0 || std::memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

// "" if it is claimed.
static std::string refusal(const byoc_region_t* r, const byoc_node_t* n, uint32_t* reason) {
  *reason = BYOC_REASON_OP;
  const std::string op = string(n->op);
  if (n->domain.size != 0 || (op != "Relu" && op != "Add")) return "it knows Relu and Add, not " + op;
  *reason = BYOC_REASON_ATTRIBUTE;
  if (n->attribute_count != 0) return "it knows no attributes";
  const byoc_value_t* out = r->values[n->outputs[0]];
  for (uint32_t i = 0; i < n->input_count; ++i) {
    *reason = BYOC_REASON_DTYPE;
    if (!is_float(r, n->inputs[i])) return "it knows f32 only";
    *reason = BYOC_REASON_SHAPE;
    if (!same_shape(r->values[n->inputs[i]], out)) return "it does not broadcast";
  }
  if (op == "Add" && is_open(out)) return "it adds what it knows the length of";
  *reason = BYOC_REASON_NOT_CONSTANT;
  if (is_constant(r, n->inputs[0])) return "its first operand is no constant";
  *reason = BYOC_REASON_SHAPE;
  if (count(out) == 0) return "it has nothing to do with empty tensors";
  *reason = BYOC_REASON_NONE;
  return "";
}

static byoc_status_t verdicts(byoc_codegen_t* self, const byoc_verdict_request_t* request) {
  const byoc_region_t* model = request->model;
  const std::string triple = string(request->target->triple);
  if (breaks("target-crash") && triple.compare(0, 5, "thumb") == 0) std::abort();
  if (breaks("keeps")) self->kept = model;
  if (breaks("writes") && model->value_count > 0) const_cast<byoc_value_t*>(model->values[0])->source_index = 7;
  if (breaks("environment")) setenv("BROKEN_PLUGIN", "was here", 1);
  for (uint32_t n = 0; n < model->node_count; ++n) {
    auto v = make<byoc_verdict_t>();
    const byoc_node_t* node = model->nodes[n];
    const std::string op = string(node->op);
    if (breaks("verdict-crash") && op == "Conv") *static_cast<volatile int*>(nullptr) = 1;
    if (breaks("verdict-hangs") && op == "Conv")
      while (true) pause();
    const std::string why = refusal(model, node, &v.reason);
    v.node = n;
    v.claimed = why.empty() ? 1 : 0;
    v.text = text(why);
    if (breaks("claims-unknown") && string(node->domain) == "com.future") v.claimed = 1, v.reason = 0;
    if (breaks("verdict-missing") && n == 0) continue;
    if (breaks("verdict-no-text") && !v.claimed) v.text = {};
    if (breaks("verdict-no-reason") && !v.claimed) v.reason = BYOC_REASON_NONE;
    if (breaks("verdict-tolerance")) v.tolerance = -1;
    if (breaks("verdict-changes")) v.cost = ++counted;
    if (breaks("ulp")) v.exactness = BYOC_ULP, v.tolerance = 1;
    if (const byoc_status_t s = request->claims->node(request->claims, &v); s != BYOC_OK) return s;
    if (breaks("verdict-twice") && n == 0)
      if (const byoc_status_t s = request->claims->node(request->claims, &v); s != BYOC_OK) return s;
  }
  if (breaks("group-order") && model->node_count > 1) {
    auto v = make<byoc_verdict_t>();
    v.node = BYOC_NONE;
    v.claimed = 1;
    const uint32_t nodes[] = {1, 0};
    return request->claims->group(request->claims, nodes, 2, BYOC_NONE, &v);
  }
  return BYOC_OK;
}

static void* call_log(void* host) {
  const auto* h = static_cast<const byoc_host_t*>(host);
  const std::string said = "from a thread";
  const byoc_string_t line = text(said);
  h->log(h, BYOC_LOG_DEBUG, &line);
  return nullptr;
}
static void* sleep_on(void*) {
  while (true) pause();
}

// What is wrong with the process from here on.
static void disturb(byoc_codegen_t* self) {
  pthread_t thread;
  if (breaks("exit")) std::exit(3);
  if (breaks("abort")) std::abort();
  if (breaks("throws")) throw 1;
  if (breaks("thread") && pthread_create(&thread, nullptr, call_log, const_cast<byoc_host_t*>(self->host)) == 0)
    pthread_join(thread, nullptr);
  if (breaks("prints")) std::printf("hello\n");
  if (breaks("prints-errors")) std::fprintf(stderr, "hello\n");
  if (breaks("locale")) std::setlocale(LC_ALL, "C.UTF-8");
  if (breaks("folder") && chdir("/") != 0) std::abort();
  if (breaks("signal")) std::signal(SIGUSR1, SIG_IGN);
  if (breaks("rounding")) std::fesetround(FE_DOWNWARD);
  if (breaks("leak")) self->lost = std::malloc(100);
  if (breaks("leak-file")) (void)!open("/dev/null", O_RDONLY);
  if (breaks("leak-thread") && pthread_create(&thread, nullptr, sleep_on, nullptr) == 0) pthread_detach(thread);
  if (breaks("memory")) {
    while (void* more = std::malloc(1 << 24)) std::memset(more, 1, 1 << 24);
    std::abort();
  }
}

class Build {
 public:
  Build(byoc_codegen_t* self, const byoc_compile_request_t* request)
      : self_(self), request_(request), b_(request->build) {}

  byoc_status_t run() {
    for (uint32_t r = 0; r < (breaks("first-region") ? 1 : request_->region_count); ++r)
      for (uint32_t n = 0; n < request_->regions[r]->node_count; ++n)
        if (const byoc_status_t s = node(r, n); s != BYOC_OK) return s;
    return source();
  }

 private:
  byoc_status_t claim(const std::string& stem, std::string& symbol) {
    const byoc_string_t s = text(stem);
    byoc_string_t out{};
    const byoc_status_t status = b_->claim(b_, &s, &out);
    if (breaks("failure-crash") && *static_cast<const volatile char*>(out.data) == 0) return BYOC_FAILED;
    symbol = string(out);
    return status;
  }

  byoc_status_t artifact(const byoc_artifact_t& a, const void* bytes, uint64_t size) {
    uint32_t handle = 0;
    if (const byoc_status_t s = b_->artifact_begin(b_, &a, &handle); s != BYOC_OK) return s;
    const byoc_status_t s = b_->artifact_write(b_, handle, bytes, size);
    if (breaks("ignores-failure")) return b_->artifact_end(b_, handle), BYOC_OK;
    if (s != BYOC_OK) return s;
    return breaks("unended") ? BYOC_OK : b_->artifact_end(b_, handle);
  }

  // The zero that Relu compares with, as a constant of four bytes.
  byoc_status_t zero(std::string& symbol) {
    if (const byoc_status_t s = claim("zero", symbol); s != BYOC_OK) return s;
    auto a = make<byoc_artifact_t>();
    a.kind = BYOC_ARTIFACT_CONSTANT;
    const std::string region = "moon";
    if (breaks("region")) a.region = text(region);
    a.symbol = text(symbol);
    a.element = BYOC_F32;
    a.size = 4;
    const float nothing = 0;
    return artifact(a, &nothing, 4);
  }

  byoc_status_t operand(uint32_t r, const byoc_region_t* region, uint32_t v, std::string& name, uint32_t& inputs) {
    if (!is_constant(region, v)) return name = "in" + std::to_string(inputs++), BYOC_OK;
    if (breaks("prints-constants")) {
      if (const byoc_status_t s = claim("printed", name); s != BYOC_OK) return s;
      uint32_t bits = 0;
      code_ += "static const union { uint32_t bits[" + std::to_string(count(region->values[v])) +
               "]; float reals[1]; } " + name + " = {{";
      for (uint64_t i = 0; i < count(region->values[v]); ++i) {
        std::memcpy(&bits, static_cast<const char*>(region->values[v]->data) + 4 * i, 4);
        code_ += std::to_string(bits) + "u,";
      }
      code_ += "}};\n";
      name += ".reals";
      return BYOC_OK;
    }
    if (const byoc_status_t s = claim("constant", name); s != BYOC_OK) return s;
    auto a = make<byoc_artifact_t>();
    a.kind = BYOC_ARTIFACT_CONSTANT;
    a.flags = BYOC_ARTIFACT_MODEL_DATA;
    a.symbol = text(name);
    a.element = BYOC_F32;
    return b_->artifact_from_constant(b_, &a, r, v, 0, region->values[v]->data_size);
  }

  byoc_status_t node(uint32_t r, uint32_t n) {
    const byoc_region_t* region = request_->regions[r];
    const byoc_node_t* node = region->nodes[n];
    const bool add = string(node->op) == "Add";
    std::string symbol, a, b;
    if (const byoc_status_t s = claim(breaks("counts") ? "step" + std::to_string(++counted) : "step", symbol);
        s != BYOC_OK)
      return s;
    if (breaks("unclaimed")) symbol = "unclaimed_" + std::to_string(n);
    uint32_t inputs = 0;
    if (const byoc_status_t s = operand(r, region, node->inputs[0], a, inputs); s != BYOC_OK) return s;
    if (add) {
      if (const byoc_status_t s = operand(r, region, node->inputs[1], b, inputs); s != BYOC_OK) return s;
    } else if (const byoc_status_t s = zero(b); s != BYOC_OK) {
      return s;
    }
    if (is_open(region->values[node->outputs[0]])) return open_node(r, n, symbol, a, b);
    const uint64_t size = count(region->values[node->outputs[0]]);
    write(symbol, add, a, b, inputs, size);
    if (breaks("output-missing")) return BYOC_OK;
    return step(r, n, symbol, add && !is_constant(region, node->inputs[1]) ? 2 : 1, size);
  }

  void write(const std::string& symbol, bool add, const std::string& a, const std::string& b, uint32_t inputs,
             uint64_t size) {
    const std::string n = std::to_string(size) + "u";
    code_ += std::string("int32_t ") + symbol + "(const float *in0, " + (inputs == 2 ? "const float *in1, " : "") +
             (breaks("prototype") ? "double" : "float") + " *out0, void *ws0) {\n  float *t = (float *)ws0;\n" +
             "  uint32_t i;\n";
    const std::string value = add ? a + "[i] + " + b + "[i]" : a + "[i] < " + b + "[0] ? " + b + "[0] : " + a + "[i]";
    if (breaks("static-data")) code_ += "  static int32_t calls;\n  ++calls;\n  if (calls < 0) return 1;\n";
    if (breaks("calls-malloc")) code_ += "  t = (float *)malloc(" + n + " * sizeof *t);\n";
    if (breaks("writes-input")) code_ += "  ((float *)(uintptr_t)in0)[0] = 1.0f;\n";
    if (breaks("step-fails")) code_ += "  if (i = 0, i == 0) return 5;\n";
    if (breaks("step-crashes")) code_ += "  *(volatile int32_t *)(uintptr_t)(in0 - in0) = 1;\n";
    const std::string loop = "  for (i = 0; i < " + n + "; ++i) ";
    if (breaks("overlay")) code_ += loop + "out0[i] = 0.0f;\n";
    if (breaks("reads-workspace")) code_ += "  if (t[0] > 0.0f) {\n  " + loop + "out0[i] = 1.0f;\n    return 0;\n  }\n";
    code_ += loop + "t[i] = " + value + ";\n";
    if (breaks("corner")) code_ += loop + "if (in0[i] > 3e38f) t[i] = 0.0f;\n";
    code_ += (breaks("skips-output") ? "  for (i = 1; i < " + n + "; ++i) " : loop) + "out0[i] = t[i];\n";
    if (breaks("overrun")) code_ += "  out0[" + n + "] = 0.0f;\n";
    if (breaks("workspace-overrun")) code_ += "  t[" + n + "] = 0.0f;\n";
    if (breaks("wrong")) code_ += "  out0[0] += 0.001f;\n";
    if (breaks("ulp"))
      code_ += loop + "{ union { float f; uint32_t u; } x; x.f = out0[i]; if (x.f > 0.1f) x.u += 3; out0[i] = x.f; }\n";
    code_ += "  return 0;\n}\n";
  }

  // A Relu.
  byoc_status_t open_node(uint32_t r, uint32_t n, const std::string& symbol, const std::string& a,
                          const std::string& b) {
    const byoc_value_t* out = request_->regions[r]->values[request_->regions[r]->nodes[n]->outputs[0]];
    std::string length = "1";
    for (uint32_t i = 0; i < out->rank; ++i)
      length +=
          " * " + (out->dims[i] < 0 ? "dims[" + std::to_string(-1 - out->dims[i]) + "]" : std::to_string(out->dims[i]));
    if (breaks("open-wrong")) length = "(dims[0] > 2 ? 2 : dims[0])" + length.substr(length.find(']') + 1);
    code_ += "int32_t " + symbol + "(const float *in0, float *out0, const int32_t *dims) {\n  int32_t i;\n" +
             "  for (i = 0; i < " + length + "; ++i) out0[i] = " + a + "[i] < " + b + "[0] ? " + b + "[0] : " + a +
             "[i];\n  return " +
             (breaks("open-fails")     ? "dims[0] > 1 ? 5 : 0"
              : breaks("open-crashes") ? "*(volatile int32_t *)(uintptr_t)(dims - dims)"
              : breaks("open-driver")  ? "acme_open()"
                                       : "0") +
             ";\n}\n";
    if (breaks("open-twice"))
      if (const byoc_status_t s = step(r, n, symbol, 1, 0); s != BYOC_OK) return s;
    return step(r, n, symbol, 1, 0);
  }

  byoc_status_t step(uint32_t r, uint32_t n, const std::string& symbol, uint32_t inputs, uint64_t size) {
    const byoc_node_t* node = request_->regions[r]->nodes[n];
    byoc_operand_t operands[3];
    for (uint32_t i = 0; i < 3; ++i) {
      operands[i] = make<byoc_operand_t>();
      operands[i].kind = BYOC_OPERAND_VALUE;
      operands[i].id = i < inputs ? node->inputs[i] : node->outputs[0];
    }
    const byoc_operand_t* list[] = {&operands[0], &operands[1], &operands[2]};
    auto w = make<byoc_workspace_t>();
    w.align = 4;
    w.bytes = size * 4;
    const byoc_workspace_t* workspaces[] = {&w};
    const byoc_overlay_t overlays[] = {{0, 0}, {0, 1}};
    const std::string kernel = "broken";
    auto s = make<byoc_step_t>();
    s.symbol = text(symbol);
    s.kernel = text(kernel);
    s.inputs = list;
    s.input_count = inputs;
    s.outputs = list + inputs;
    s.output_count = 1;
    s.workspaces = workspaces;
    s.workspace_count = size == 0 ? 0 : 1;
    s.overlays = overlays;
    s.overlay_count = breaks("skips-output") ? 0 : inputs;
    s.nodes = &n;
    s.node_count = 1;
    return b_->step(b_, r, &s);
  }

  byoc_status_t source() {
    std::string name;
    if (const byoc_status_t s = claim("code", name); s != BYOC_OK) return s;
    if (breaks("file-name")) name = "../code";
    std::string all = "#include <stdint.h>\n#include \"" + string(request_->internal_header) + "\"\n";
    if (breaks("calls-malloc")) all += "void *malloc(__SIZE_TYPE__);\n";
    if (breaks("open-driver")) all += "int acme_open(void);\n";
    if (breaks("address")) {
      char address[40];
      std::snprintf(address, sizeof address, "/* %p */\n", static_cast<void*>(self_));
      all += address;
    }
    if (breaks("not-reentrant")) {
      usleep(1000);
      if (alive > 1) all += "/* not alone */\n";
    }
    all += code_;
    auto a = make<byoc_artifact_t>();
    a.kind = BYOC_ARTIFACT_C_SOURCE;
    a.name = text(name);
    a.size = all.size();
    return artifact(a, all.data(), all.size());
  }

  byoc_codegen_t* self_;
  const byoc_compile_request_t* request_;
  const byoc_build_t* b_;
  std::string code_;
};

// Puts copies of the constants that it adds in their places.
static byoc_status_t update_constants(byoc_codegen_t* self, const byoc_update_request_t* request) {
  (void)self;
  if (breaks("update-silent")) return BYOC_FAILED;
  for (uint32_t r = 0; r < request->region_count; ++r) {
    const byoc_region_t* region = request->regions[r];
    for (uint32_t v = 0; v < region->value_count; ++v) {
      const byoc_value_t* value = region->values[v];
      if (!is_constant(region, v) != breaks("update-unbound")) continue;
      std::string bytes(static_cast<const char*>(value->data), static_cast<std::size_t>(value->data_size));
      if (breaks("update-unbound")) bytes.resize(count(value) * 4);
      if (breaks("update-size")) bytes.resize(bytes.size() + 4);
      if (breaks("update-wrong")) bytes.assign(bytes.size(), 0);
      if (breaks("update-changes")) bytes.assign(bytes.size(), static_cast<char>(++counted));
      auto c = make<byoc_constant_t>();
      c.dtype = value->dtype;
      c.dims = value->dims;
      c.rank = value->rank;
      c.data = bytes.data();
      c.data_size = bytes.size();
      const byoc_status_t s = request->updates->replace(request->updates, r, v, &c);
      if (breaks("update-ignores-failure")) return BYOC_OK;
      if (s != BYOC_OK) return s;
    }
  }
  return BYOC_OK;
}

static byoc_status_t write_nothing(void* size, const void*, uint64_t n) {
  *static_cast<uint64_t*>(size) += n;
  return BYOC_OK;
}

static byoc_status_t compile(byoc_codegen_t* self, const byoc_compile_request_t* request) {
  disturb(self);
  if (breaks("asks-for-onnx"))  // sound as well
    for (uint32_t r = 0; r < request->region_count; ++r) {
      uint64_t size = 0;
      const byoc_status_t s = self->host->region_as_onnx(self->host, request->regions[r], write_nothing, &size);
      if (s != BYOC_OK) return s;
      if (size < 50) return fail(self->host, "the host's ONNX model is empty");
    }
  if (breaks("keeps") && self->kept != nullptr && self->kept->struct_size == 1) return BYOC_FAILED;
  if (breaks("fails-silently")) return BYOC_FAILED;
  if (breaks("not-cancelled")) self->host->cancelled(self->host);
  const byoc_status_t status = Build(self, request).run();
  return breaks("other-status") && status != BYOC_OK ? fail(self->host, "the host failed") : status;
}

extern "C" const byoc_plugin_t* byoc_plugin_query_v1(const byoc_query_t* query) {
  static const byoc_string_t no_text{};
  static byoc_option_t option;
  static const byoc_option_t* const options[] = {&option};
  static std::string name = "Broken";
  static byoc_plugin_t table;
  option = make<byoc_option_t>();
  option.type = BYOC_OPTION_BOOL;
  option.name = BYOC_STRING("fast");
  option.help = breaks("option-help") ? no_text : byoc_string_t BYOC_STRING("whether it hurries");
  option.default_value =
      breaks("option-default") ? byoc_string_t BYOC_STRING("perhaps") : byoc_string_t BYOC_STRING("true");
  if (breaks("query-changes")) name += "!";
  if (breaks("query-environment")) setenv("BROKEN_PLUGIN", "was asked", 1);
  table = make<byoc_plugin_t>();
  if (breaks("table-size")) table.struct_size -= 8;
  table.abi_major = breaks("any-major") ? query->abi_major : BYOC_ABI_MAJOR;
  table.abi_minor = BYOC_ABI_MINOR;
  table.id = breaks("id")          ? byoc_string_t BYOC_STRING("Test Broken")
             : breaks("no-domain") ? byoc_string_t BYOC_STRING("broken")
                                   : byoc_string_t BYOC_STRING("test.broken");
  table.name = text(name);
  table.vendor = BYOC_STRING("byoc");
  table.version = BYOC_STRING("1.0");
  table.license = BYOC_STRING("Apache-2.0");
  table.caps = BYOC_CAP_DETERMINISTIC;
  if (breaks("caps")) table.caps |= uint64_t{1} << 40;
  if (breaks("not-cancelled") || breaks("never-asks")) table.caps |= BYOC_CAP_CANCELLABLE;
  if (breaks("not-reentrant")) table.caps |= BYOC_CAP_REENTRANT;
  for (const char* name : {"open", "open-driver", "open-wrong", "open-fails", "open-crashes", "open-twice"})
    if (breaks(name)) table.caps |= BYOC_CAP_OPEN_DIMS;  // the first two are sound as well
  table.options = options;
  table.option_count = 1;
  table.operators_version = BYOC_OPERATORS_VERSION;
  table.create = create;
  table.destroy = destroy;
  table.verdicts = verdicts;
  table.compile = compile;
  table.update_constants = update_constants;
  return query->abi_major == BYOC_ABI_MAJOR || breaks("any-major") ? &table : nullptr;
}
