// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG: images, points and lines in frames, text.
#ifndef CONCORD_EXPERIMENTS_PICTURE_H_
#define CONCORD_EXPERIMENTS_PICTURE_H_

#include <string>
#include <utility>
#include <vector>

#include "experiments/image.h"

namespace concord::experiments {

/// Colours of an image from `low` to `high`: black to white, or blue over white to red.
enum class Colours { kGrey, kDiverging };
struct Shades {
  Colours colours = Colours::kGrey;
  double low = 0, high = 1;
};
/// From -m to m, m the largest magnitude of the image.
Shades symmetric_shades(const Image& image);

/// A rectangle of pixels of the picture.
struct Frame {
  double x = 0, y = 0, width = 0, height = 0;
};
/// The numbers that a frame covers, y perhaps by decades.
struct Axes {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  bool log_y = false;
  std::string x_name{}, y_name{};
};
using Points = std::vector<std::pair<double, double>>;

class Picture {
 public:
  Picture(int width, int height);

  void text(double x, double y, const std::string& said, const std::string& style = "");
  void image(const Frame& frame, const Image& image, const Shades& shades);
  /// Where points and lines that follow lie.
  void place_lines(const Frame& frame, const Axes& axes);
  /// Draws the frame with its ticks; points and lines that follow lie in it.
  void axes(const Frame& frame, const Axes& axes);
  void points(const Points& points, const std::string& colour);
  void line(const Points& points, const std::string& colour, bool dashed = false);

  std::string svg() const;

 private:
  std::pair<double, double> place(double x, double y) const;

  int width_, height_;
  Frame frame_{};
  Axes axes_{};
  std::string body_{};
};

/// The image as a PNG file with a palette, its pixels stored without compression.
std::string png(const Image& image, const Shades& shades);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_PICTURE_H_
