#include "sdk/codegen/partition/report_drawing.hpp"

#include <algorithm>

#include "sdk/base/page/drawing.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/codegen/partition/report.hpp"
#include "sdk/codegen/partition/report_parts.hpp"
#include "sdk/model/ir/kind.hpp"

namespace byoc {
namespace {

// ", within 1 LSB"; nothing of what is exact.
std::string tolerance_text(evaluate::Closeness c) {
  return c.exactness == codegen::Exactness::exact ? "" : ", " + to_string(c);
}

std::string type_text(const ir::Graph& graph, ir::ValueId v) { return to_string(graph.values[v].type, graph); }

// The boxes of the graph's inputs, nodes and outputs, in this order, and the lines between them.
class Boxes {
 public:
  Boxes(const Reported& told, const ir::Graph& graph) : told_(told), graph_(graph), steps_(steps_by_node(told.model)) {
    if (told.model != nullptr)
      for (const StepInfo& s : told.model->steps) all_instructions_ += s.estimated_instructions;
  }

  void build(const std::vector<NodePlacement>& placed, std::size_t first) {
    std::vector<std::size_t> maker(graph_.values.size(), kNobody);
    for (const ir::ValueId v : graph_.inputs) add_end(v, "input", &maker[v]);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const ir::Node& node = graph_.nodes[n];
      for (const ir::ValueId v : node.inputs) connect(maker, v);
      for (const ir::ValueId v : node.outputs)
        if (v != ir::kNoValue) maker[v] = boxes.size();
      add_node(node, placed[n], first + n);
    }
    for (const ir::ValueId v : graph_.outputs) {
      connect(maker, v);
      add_end(v, "output", nullptr);
    }
  }

  std::vector<page::Box> boxes;
  std::vector<page::Edge> edges;

 private:
  static constexpr std::size_t kNobody = SIZE_MAX;

  // A line to the box that comes next; a second one from the same box shows nothing more.
  void connect(const std::vector<std::size_t>& maker, ir::ValueId v) {
    if (v == ir::kNoValue || maker[v] == kNobody) return;
    if (!edges.empty() && edges.back().to == boxes.size() && edges.back().from == maker[v]) return;
    edges.push_back({maker[v], boxes.size()});
  }

  void add_end(ir::ValueId v, const std::string& what, std::size_t* maker) {
    if (maker != nullptr) *maker = boxes.size();
    const std::string& name = graph_.values[v].name;
    page::Box box{what + " " + page::short_name(name, 18), type_text(graph_, v)};
    box.whole = what + " " + name + ": " + box.subtitle;
    boxes.push_back(std::move(box));
  }

  void add_node(const ir::Node& node, const NodePlacement& placed, std::size_t number) {
    page::Box box;
    box.title = ir::kind_of(graph_, node) + (node.name.empty() ? "" : " " + page::short_name(node.name, 24));
    for (const ir::ValueId v : node.outputs)
      if (v != ir::kNoValue) box.subtitle += (box.subtitle.empty() ? "" : ", ") + type_text(graph_, v);
    box.whole = ir::describe_kind(graph_, node) + " -> " + box.subtitle;
    box.link = "#n" + std::to_string(number);
    box.tone = placed.codegen == kExecutor ? page::Tone::executor : page::Tone::other;
    box.number = placed.codegen == kExecutor ? 0 : placed.codegen;
    if (const auto found = steps_.find(ir::describe_kind(graph_, node));
        found != steps_.end() && all_instructions_ != 0)
      for (const StepInfo* s : found->second)
        box.share += static_cast<double>(s->estimated_instructions) / static_cast<double>(all_instructions_);
    boxes.push_back(std::move(box));
  }

  const Reported& told_;
  const ir::Graph& graph_;
  StepsOf steps_;
  std::uint64_t all_instructions_ = 0;
};

void add_step(const StepInfo& s, page::Detail& detail) {
  const auto line = [&](const char* what, const std::string& text) {
    if (!text.empty()) detail.lines.emplace_back(what, text);
  };
  line("kernel", s.kernel);
  line("why this kernel", s.remark);
  if (s.nodes.size() > 1) line("computed in one step with", std::to_string(s.nodes.size() - 1) + " other nodes");
  if (s.macs != 0) line("multiply-accumulates", page::spaced(s.macs));
  if (s.estimated_instructions != 0) line("instructions, estimated", page::spaced(s.estimated_instructions));
  if (s.constant_bytes != 0) line("flash of constants", page::bytes_text(s.constant_bytes));
  if (s.workspace_bytes != 0) line("scratch", page::bytes_text(s.workspace_bytes));
  line("RAM in use meanwhile", page::bytes_text(s.live_bytes));
}

// The functions of the step; a node of several steps may have one of them already.
void add_code(const Reported& told, const StepInfo& step, page::Detail& detail) {
  for (std::size_t f = 0; f < told.code.size(); ++f) {
    const std::vector<std::string>& steps = told.code[f].steps;
    const std::string id = "f" + std::to_string(f);
    if (std::ranges::find(steps, step.symbol) != steps.end() && std::ranges::find(detail.code, id) == detail.code.end())
      detail.code.push_back(id);
  }
}

}  // namespace

std::string verdict_text(const NodePlacement& placed, std::size_t codegen) {
  const codegen::Verdict& v = placed.verdicts[codegen];
  if (placed.codegen == codegen) return "takes it" + tolerance_text(placed.closeness);
  return v.claimed ? "could take it" + tolerance_text(evaluate::closeness(v)) : v.text;
}

StepsOf steps_by_node(const ModelInterface* model) {
  StepsOf out;
  if (model != nullptr)
    for (const StepInfo& s : model->steps)
      for (const std::string& n : s.nodes) out[n].push_back(&s);
  return out;
}

std::string draw_placement(const Reported& told, const ir::Graph& graph, const std::vector<NodePlacement>& placed,
                           std::size_t first) {
  Boxes drawn(told, graph);
  drawn.build(placed, first);
  return page::draw_graph(drawn.boxes, drawn.edges, "graph of " + graph.name);
}

std::vector<page::Detail> placement_details(const Reported& told, const ir::Graph& graph,
                                            const std::vector<NodePlacement>& placed, std::size_t first) {
  const StepsOf steps = steps_by_node(told.model);
  std::vector<page::Detail> out;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const ir::Node& node = graph.nodes[n];
    page::Detail detail{"n" + std::to_string(first + n), ir::describe_kind(graph, node), {}};
    for (const ir::ValueId v : node.outputs)
      if (v != ir::kNoValue) detail.lines.emplace_back("gives " + graph.values[v].name, type_text(graph, v));
    detail.lines.emplace_back("decided by", std::string(to_string(placed[n].decision)));
    for (std::size_t c = 0; c < told.codegens.size(); ++c)
      detail.lines.emplace_back(std::string(told.codegens[c]->id()), verdict_text(placed[n], c));
    if (const auto found = steps.find(ir::describe_kind(graph, node)); found != steps.end())
      for (const StepInfo* s : found->second) {
        add_step(*s, detail);
        add_code(told, *s, detail);
      }
    out.push_back(std::move(detail));
  }
  return out;
}

std::vector<page::Code> step_code(const Reported& told) {
  std::vector<page::Code> out;
  for (std::size_t f = 0; f < told.code.size(); ++f) {
    const FunctionCode& code = told.code[f];
    const std::string steps = code.steps.size() > 1 ? ", of " + std::to_string(code.steps.size()) + " steps" : "";
    out.push_back({"f" + std::to_string(f), code.name + steps, code.c, code.assembly});
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> codegen_legend(const Reported& told) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t c = 0; c < told.codegens.size(); ++c)
    out.emplace_back(page::tone_class(page::Tone::other, c), std::string(told.codegens[c]->id()));
  bool controls = false;
  for_each_placed(told.graph, told.partition.nodes, told.partition,
                  [&](const ir::Graph&, const std::vector<NodePlacement>& placed) {
                    for (const NodePlacement& p : placed) controls |= p.codegen == kExecutor;
                  });
  if (controls) out.emplace_back(page::tone_class(page::Tone::executor), "executor (control flow)");
  out.emplace_back(page::tone_class(page::Tone::quiet), "inputs and outputs");
  return out;
}

std::string partition_svg(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                          const Partition& partition, const ModelInterface* model) {
  return draw_placement({graph, codegens, partition, model}, graph, partition.nodes, 0);
}

}  // namespace byoc
