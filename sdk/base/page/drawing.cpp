#include "sdk/base/page/drawing.hpp"

#include <algorithm>

#include "sdk/base/page/files.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/markup.hpp"

namespace byoc::page {
namespace {

constexpr std::size_t kTones = 6;  // drawing.css has t0 to t5
constexpr BoxSize kBox{190, 44, 14, 26};
constexpr double kMargin = 8;

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
  constexpr std::size_t kTitle = 23, kSubtitle = 32;  // characters that the width has room for
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

std::string begin(double width, double height, const std::string& title) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + text_of(width) + " " +
         text_of(height) + "\"" + attribute("width", width) + attribute("height", height) + ">\n<title>" +
         markup_text(utf8(title)) + "</title>\n<style>" + std::string(file_text("drawing.css")) + "</style>\n";
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
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& s = spans[i];
    const double x = kLeft + step * s.first, width = step * (s.last - s.first + 1);
    const double height = std::max(byte * static_cast<double>(s.bytes), 0.5);
    out += "<g><title>" + markup_text(utf8(s.name)) + ": " + grouped(s.bytes) + " bytes at " + grouped(s.offset) +
           ", steps " + std::to_string(s.first) + " to " + std::to_string(s.last) + "</title>" +
           rectangle("span " + tone_class(Tone::other, i), {x, y(s.offset + s.bytes)}, width, height, 0);
    constexpr double kCharacter = 7, kLine = 13;
    if (height >= kLine && width >= 8 * kCharacter)
      out += words("type", {x + 4, y(s.offset + s.bytes) + height / 2 + 4},
                   short_name(utf8(s.name), static_cast<std::size_t>((width - 8) / kCharacter)));
    out += "</g>\n";
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

std::string draw_curve(std::span<const CurvePoint> points, const std::string& x, const std::string& y,
                       const std::string& title) {
  constexpr double kLeft = 100, kTop = 24, kWidth = 700, kHeight = 300, kBottom = 40;
  std::uint64_t right = 1, top = 1;
  for (const CurvePoint& p : points) {
    right = std::max(right, p.x);
    top = std::max(top, p.y);
  }
  const auto at = [&](const CurvePoint& p) {
    return Point{kLeft + kWidth * static_cast<double>(p.x) / static_cast<double>(right),
                 kTop + kHeight - kHeight * static_cast<double>(p.y) / static_cast<double>(top)};
  };
  std::string out = begin(kLeft + kWidth + 5 * kMargin, kTop + kHeight + kBottom, title), path;
  for (std::uint64_t line = 0; line <= 4; ++line) {
    const Point across = at({0, top * line / 4, {}}), up = at({right * line / 4, 0, {}});
    out += "<path class=\"grid\" d=\"M" + text_of(kLeft) + " " + text_of(across.y) + "h" + text_of(kWidth) + "M" +
           text_of(up.x) + " " + text_of(kTop) + "v" + text_of(kHeight) + "\"/>" +
           words("axis end", {kLeft - 6, across.y + 4}, grouped(top * line / 4)) +
           words("axis middle", {up.x, kTop + kHeight + 15}, grouped(right * line / 4)) + "\n";
  }
  for (const CurvePoint& p : points) path += (path.empty() ? "M" : "L") + text_of(at(p).x) + " " + text_of(at(p).y);
  if (!path.empty()) out += "<path class=\"live\" d=\"" + path + "\"/>\n";
  for (const CurvePoint& p : points)
    out += "<g><title>" + markup_text(utf8(p.whole)) + "</title>" +
           rectangle("share", {at(p).x - 4, at(p).y - 4}, 8, 8, 4) + "</g>\n";
  return out + words("axis middle", {kLeft + kWidth / 2, kTop + kHeight + 32}, x) +
         words("axis", {kMargin, kTop - 10}, y) + "</svg>\n";
}

}  // namespace byoc::page
