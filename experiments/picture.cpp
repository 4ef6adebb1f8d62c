// SPDX-License-Identifier: Apache-2.0
#include "experiments/picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace concord::experiments {
namespace {

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned word = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const char byte = at + i < bytes.size() ? bytes[at + i] : '\0';
      word = word << 8U | static_cast<unsigned char>(byte);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const bool present = at + i <= bytes.size();
      text.push_back(present ? kDigits[word >> (18 - 6 * i) & 63U] : '=');
    }
  }
  return text;
}

std::string escaped(const std::string& said) {
  std::string text;
  for (const char letter : said) {
    if (letter == '<') {
      text += "&lt;";
    } else if (letter == '&') {
      text += "&amp;";
    } else {
      text.push_back(letter);
    }
  }
  return text;
}

// Three to eleven round numbers from low to high.
std::vector<double> ticks(double low, double high) {
  double step = std::pow(10, std::floor(std::log10((high - low) / 2)));
  while ((high - low) / step > 6) step *= 2;
  std::vector<double> at;
  for (double tick = std::ceil(low / step) * step; tick <= high + 1e-9 * step; tick += step) {
    at.push_back(std::abs(tick) < 1e-9 * step ? 0 : tick);
  }
  return at;
}

std::vector<double> decades(double low, double high) {
  std::vector<double> at;
  for (double power = std::ceil(std::log10(low)); power <= std::log10(high); power += 1) {
    at.push_back(std::pow(10, power));
  }
  return at;
}

}  // namespace

Shades symmetric_shades(const Image& image) {
  double most = 0;
  for (const double value : image.at) most = std::max(most, std::abs(value));
  return {Colours::kDiverging, -most, most};
}

Picture::Picture(int width, int height) : width_(width), height_(height) {}

void Picture::text(double x, double y, const std::string& said, const std::string& style) {
  body_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escaped(said));
}

void Picture::image(const Frame& frame, const Image& image, const Shades& shades) {
  body_ += fmt::format(
      "<image x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n"
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#888\"/>\n",
      frame.x, frame.y, frame.width, frame.height, base64(png(image, shades)), frame.x, frame.y,
      frame.width, frame.height);
}

std::pair<double, double> Picture::place(double x, double y) const {
  const auto part = [](double value, double low, double high) {
    return std::clamp((value - low) / (high - low), 0.0, 1.0);
  };
  const double up = axes_.log_y
                        ? part(std::log10(y), std::log10(axes_.y_low), std::log10(axes_.y_high))
                        : part(y, axes_.y_low, axes_.y_high);
  return {frame_.x + part(x, axes_.x_low, axes_.x_high) * frame_.width,
          frame_.y + (1 - up) * frame_.height};
}

void Picture::place_lines(const Frame& frame, const Axes& axes) {
  frame_ = frame;
  axes_ = axes;
}

void Picture::axes(const Frame& frame, const Axes& axes) {
  place_lines(frame, axes);
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#333\"/>\n",
      frame.x, frame.y, frame.width, frame.height);
  for (const double x : ticks(axes.x_low, axes.x_high)) {
    text(place(x, axes.y_low).first, frame.y + frame.height + 13, fmt::format("{:g}", x),
         "text-anchor=\"middle\"");
  }
  const auto marks = axes.log_y ? decades(axes.y_low, axes.y_high) : ticks(axes.y_low, axes.y_high);
  for (const double y : marks) {
    const double at = place(axes.x_low, y).second;
    text(frame.x - 4, at + 4, fmt::format("{:g}", y), "text-anchor=\"end\"");
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
        frame.x, at, frame.x + frame.width, at);
  }
  text(frame.x + frame.width / 2, frame.y + frame.height + 28, axes.x_name,
       "text-anchor=\"middle\"");
  text(frame.x, frame.y - 6, axes.y_name);
}

void Picture::points(const Points& points, const std::string& colour) {
  for (const auto& [x, y] : points) {
    const auto [right, down] = place(x, y);
    body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\"/>\n", right, down,
                         colour);
  }
}

void Picture::line(const Points& points, const std::string& colour, bool dashed) {
  std::string at;
  for (const auto& [x, y] : points) {
    const auto [right, down] = place(x, y);
    at += fmt::format("{:.1f},{:.1f} ", right, down);
  }
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"{}/>\n", at, colour,
                       dashed ? " stroke-dasharray=\"5 3\"" : "");
}

std::string Picture::svg() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
      width_, height_, body_);
}

}  // namespace concord::experiments
