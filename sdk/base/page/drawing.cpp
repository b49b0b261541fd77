#include "sdk/base/page/drawing.hpp"

#include <algorithm>

#include "sdk/base/page/files.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/markup.hpp"

namespace byoc::page {
namespace {

constexpr std::size_t kTones = 6;  // drawing.css has t0 to t5
constexpr BoxSize kBox{214, 44, 14, 26};
constexpr double kMargin = 8;
constexpr double kCharacter = 7, kLine = 13;  // of labels, with room around them

std::string text_of(double value) {
  std::string out = percent(value);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + text_of(value) + "\"";
}

std::string rectangle(const std::string& kind, Point at, double width, double height, double radius) {
  return "<rect class=\"" + kind + "\"" + attribute("x", at.x) + attribute("y", at.y) + attribute("width", width) +
         attribute("height", height) + (radius > 0 ? attribute("rx", radius) : "") + "/>";
}

std::string words(const std::string& kind, Point at, const std::string& text) {
  return "<text class=\"" + kind + "\"" + attribute("x", at.x) + attribute("y", at.y) + ">" + markup_text(text) +
         "</text>";
}

std::string draw_box(const Box& box, Point at) {
  constexpr std::size_t kTitle = 26, kSubtitle = 36;  // characters that the width has room for
  std::string out = box.link.empty() ? "<g>" : "<a href=\"" + markup_text(box.link) + "\">";
  out += "<title>" + markup_text(utf8(box.whole)) + "</title>" +
         rectangle("box " + tone_class(box.tone, box.number), at, kBox.width, kBox.height, 6);
  if (box.share > 0)
    out += rectangle("share", {at.x + 4, at.y + kBox.height - 6}, box.share * (kBox.width - 8), 3, 1.5);
  out += words("name", {at.x + 8, at.y + 18}, cut(utf8(box.title), kTitle)) +
         words("type", {at.x + 8, at.y + 33}, cut(utf8(box.subtitle), kSubtitle));
  return out + (box.link.empty() ? "</g>\n" : "</a>\n");
}

// A line that leaves and enters every row upright.
std::string draw_route(const std::vector<Point>& route) {
  const auto point = [](Point p) { return text_of(p.x + kMargin) + " " + text_of(p.y + kMargin); };
  std::string out = "<path class=\"edge\" d=\"M" + point(route.front());
  for (std::size_t i = 1; i < route.size(); ++i) {
    const Point &a = route[i - 1], &b = route[i];
    const double middle = (a.y + b.y) / 2;
    out += a.x == b.x ? "L" + point(b) : "C" + point({a.x, middle}) + " " + point({b.x, middle}) + " " + point(b);
  }
  return out + "\"/>\n";
}

// The places of labels that were drawn: one that would touch another is left out, for a title says the same on demand.
class Labels {
 public:
  // False where there is a label already.
  bool take(Point at, double width, double height) {
    const auto touches = [&](const Place& p) {
      return at.x < p.at.x + p.width && p.at.x < at.x + width && at.y < p.at.y + p.height && p.at.y < at.y + height;
    };
    if (std::any_of(taken_.begin(), taken_.end(), touches)) return false;
    taken_.push_back({at, width, height});
    return true;
  }

 private:
  struct Place {
    Point at;
    double width, height;
  };
  std::vector<Place> taken_;
};

std::size_t utf8_length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string begin(double width, double height, const std::string& title) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + text_of(width) + " " +
         text_of(height) + "\"" + attribute("width", width) + attribute("height", height) + ">\n<title>" +
         markup_text(utf8(title)) + "</title>\n<style>" + std::string(file_text("drawing.css")) + "</style>\n";
}

// One use of memory. It is named where it has room for a name.
std::string draw_span(const Span& span, std::size_t number, Point at, double width, double height, Labels& labels) {
  constexpr std::size_t kFewest = 4;  // characters that tell anything
  std::string out = "<g><title>" + markup_text(utf8(span.name)) + ": " + spaced(span.bytes) + " bytes at " +
                    spaced(span.offset) + ", steps " + std::to_string(span.first) + " to " + std::to_string(span.last) +
                    "</title>" + rectangle("span " + tone_class(Tone::other, number), at, width, height, 0);
  const auto room = static_cast<std::size_t>(std::max(0.0, (width - 8) / kCharacter));
  const std::string name = short_name(utf8(span.name), std::max(room, kFewest));
  const Point middle{at.x + 4, at.y + height / 2};
  // Most characters are narrower than the widest: a name that has room does not reach the next box.
  const double taken = std::min(kCharacter * static_cast<double>(utf8_length(name)), width - 4);
  if (height >= kLine && room >= kFewest && labels.take({middle.x, middle.y - kLine / 2}, taken, kLine))
    out += words("type", {middle.x, middle.y + 4}, name);
  return out + "</g>\n";
}

}  // namespace

std::string tone_class(Tone tone, std::size_t number) {
  if (tone == Tone::quiet) return "quiet";
  return tone == Tone::executor ? "executor" : "t" + std::to_string(number % kTones);
}

std::string draw_graph(std::span<const Box> boxes, std::span<const Edge> edges, const std::string& title) {
  if (boxes.size() > kMostBoxes) return {};
  const Layout layout = layered_layout(boxes.size(), edges, kBox);
  std::string out = begin(layout.width + 2 * kMargin, layout.height + 2 * kMargin, title);
  for (const auto& route : layout.routes) out += draw_route(route);
  for (std::size_t b = 0; b < boxes.size(); ++b)
    out += draw_box(boxes[b], {layout.boxes[b].x + kMargin, layout.boxes[b].y + kMargin});
  return out + "</svg>\n";
}

std::string draw_memory(std::span<const Span> spans, std::span<const std::uint64_t> live, std::uint64_t bytes,
                        const std::string& title) {
  constexpr double kLeft = 70, kTop = 10, kWidth = 900, kHeight = 300, kBottom = 34;
  const double step = kWidth / static_cast<double>(std::max<std::size_t>(live.size(), 1));
  const double byte = kHeight / static_cast<double>(std::max<std::uint64_t>(bytes, 1));
  const auto y = [&](std::uint64_t at) { return kTop + kHeight - byte * static_cast<double>(at); };
  std::string out = begin(kLeft + kWidth + kMargin, kTop + kHeight + kBottom, title);
  for (int line = 0; line <= 4; ++line) {
    const std::uint64_t at = bytes * static_cast<std::uint64_t>(line) / 4;
    out += "<path class=\"grid\" d=\"M" + text_of(kLeft) + " " + text_of(y(at)) + "H" + text_of(kLeft + kWidth) +
           "\"/>" + words("axis end", {kLeft - 6, y(at) + 4}, bytes_text(at)) + "\n";
  }
  Labels labels;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& s = spans[i];
    const double width = step * (s.last - s.first + 1);
    const double height = std::max(byte * static_cast<double>(s.bytes), 0.5);
    out += draw_span(s, i, {kLeft + step * s.first, y(s.offset + s.bytes)}, width, height, labels);
  }
  std::string path;
  for (std::size_t s = 0; s < live.size(); ++s)
    path += (s == 0 ? "M" : "L") + text_of(kLeft + step * static_cast<double>(s)) + " " + text_of(y(live[s])) + "h" +
            text_of(step);
  if (!path.empty()) out += "<path class=\"live\" d=\"" + path + "\"/>\n";
  const std::size_t every = std::max<std::size_t>(1, (live.size() + 19) / 20);
  for (std::size_t s = 0; s < live.size(); s += every)
    out +=
        words("axis middle", {kLeft + step * (static_cast<double>(s) + 0.5), kTop + kHeight + 15}, std::to_string(s));
  return out + words("axis middle", {kLeft + kWidth / 2, kTop + kHeight + 30}, "step") + "</svg>\n";
}

namespace {

// The step between about four ticks: 1, 2 or 5 times a power of ten.
std::uint64_t tick_step(std::uint64_t range) {
  std::uint64_t ten = 1;
  while (ten <= range / 40) ten *= 10;
  for (const std::uint64_t factor : {1, 2, 5})
    if (ten * factor * 4 >= range) return ten * factor;
  return ten * 10;
}

// Where a chart is, and what it shows.
struct Chart {
  double left = 0, top = 0, width = 0, height = 0;
  Axis x, y;

  [[nodiscard]] Point at(std::uint64_t x_value, std::uint64_t y_value) const {
    return {left + width * place(x, x_value), top + height - height * place(y, y_value)};
  }

 private:
  static double place(const Axis& axis, std::uint64_t value) {
    return static_cast<double>(value - axis.ticks.front()) /
           static_cast<double>(axis.ticks.back() - axis.ticks.front());
  }
};

std::string draw_axes(const Chart& chart) {
  std::string out;
  for (const std::uint64_t tick : chart.y.ticks) {
    const Point across = chart.at(chart.x.ticks.front(), tick);
    out += "<path class=\"grid\" d=\"M" + text_of(chart.left) + " " + text_of(across.y) + "h" + text_of(chart.width) +
           "\"/>" + words("axis end", {chart.left - 6, across.y + 4}, spaced(tick)) + "\n";
  }
  for (const std::uint64_t tick : chart.x.ticks) {
    const Point up = chart.at(tick, chart.y.ticks.front());
    out += "<path class=\"grid\" d=\"M" + text_of(up.x) + " " + text_of(chart.top) + "v" + text_of(chart.height) +
           "\"/>" + words("axis middle", {up.x, up.y + 15}, spaced(tick)) + "\n";
  }
  return out;
}

// "cycles, from 4 600 000 on"
std::string axis_title(const std::string& what, const Axis& axis) {
  return axis.ticks.front() == 0 ? what : what + ", from " + spaced(axis.ticks.front()) + " on";
}

// A point's label, above it and inside of the chart; "" where another one is.
std::string draw_label(const Chart& chart, Point at, const std::string& label, Labels& labels) {
  const double width = kCharacter * static_cast<double>(utf8_length(label));
  const bool left = at.x + width > chart.left + chart.width;
  const Point text{at.x + (left ? -7 : 7), at.y - 6};
  if (label.empty() || !labels.take({left ? text.x - width : text.x, text.y - kLine}, width, kLine)) return {};
  return words(left ? "type end" : "type", text, label);
}

}  // namespace

Axis axis_of(std::uint64_t least, std::uint64_t most) {
  most = std::max<std::uint64_t>(most, 1);
  const std::uint64_t from = least < most && least >= most / 2 ? least : 0, step = tick_step(most - from);
  Axis out;
  for (std::uint64_t tick = from / step * step;; tick += step) {
    out.ticks.push_back(tick);
    if (tick >= most) return out;
  }
}

std::string draw_curve(std::span<const CurvePoint> points, const std::string& x, const std::string& y,
                       const std::string& title) {
  constexpr double kBottom = 40, kRight = 5 * kMargin;
  const auto axis = [&](std::uint64_t CurvePoint::* value) {
    const auto [least, most] = std::ranges::minmax_element(points, {}, value);
    return points.empty() ? axis_of(0, 1) : axis_of(*least.*value, *most.*value);
  };
  const Chart chart{100, 24, 700, 300, axis(&CurvePoint::x), axis(&CurvePoint::y)};
  std::string out = begin(chart.left + chart.width + kRight, chart.top + chart.height + kBottom, title), path;
  out += draw_axes(chart);
  for (const CurvePoint& p : points) {
    const Point at = chart.at(p.x, p.y);
    path += (path.empty() ? "M" : "L") + text_of(at.x) + " " + text_of(at.y);
  }
  if (!path.empty()) out += "<path class=\"live\" d=\"" + path + "\"/>\n";
  Labels labels;
  for (const CurvePoint& p : points) {
    const Point at = chart.at(p.x, p.y);
    out += "<g><title>" + markup_text(utf8(p.whole)) + "</title>" + rectangle("share", {at.x - 4, at.y - 4}, 8, 8, 4) +
           draw_label(chart, at, p.label, labels) + "</g>\n";
  }
  return out +
         words("axis middle", {chart.left + chart.width / 2, chart.top + chart.height + 32}, axis_title(x, chart.x)) +
         words("axis", {kMargin, chart.top - 10}, axis_title(y, chart.y)) + "</svg>\n";
}

}  // namespace byoc::page
