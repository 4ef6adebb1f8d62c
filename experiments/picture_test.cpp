// SPDX-License-Identifier: Apache-2.0
#include "experiments/picture.h"

#include <gmock/gmock.h>

#include <cstdint>

namespace concord::experiments {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::uint32_t u32_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

TEST(Picture, PngHoldsThePixelsWithItsChecksums) {
  Image image(1, 3);
  image(0, 1) = 0.5;
  image(0, 2) = 2;  // beyond the shades
  const std::string bytes = png(image, {Colours::kGrey, 0, 1});
  EXPECT_THAT(bytes, StartsWith("\x89PNG\r\n\x1A\n"));
  const std::size_t data = bytes.find("IDAT");
  ASSERT_NE(data, std::string::npos);
  EXPECT_EQ(u32_at(bytes, data - 4), 15U);  // header, one block of 4, checksum
  EXPECT_EQ(bytes.substr(data + 4, 11),
            std::string("\x78\x01\x01\x04\x00\xFB\xFF\x00\x00\x80\xFF", 11));
  // Adler-32 of 00 00 80 ff: a = 1 + 0x17f, b = 1 + 1 + 0x81 + 0x180.
  EXPECT_EQ(u32_at(bytes, data + 15), 0x02030180U);
  EXPECT_EQ(u32_at(bytes, bytes.size() - 4), 0xAE426082U) << "the CRC of an empty IEND";
}

TEST(Picture, DrawsInsideItsFrame) {
  Picture picture(100, 100);
  picture.axes({10, 10, 80, 80}, {0, 10, 1e-4, 1, true, "step", "error"});
  picture.points({{5, 1e-2}, {20, 1e-9}}, "#c33");
  const std::string svg = picture.svg();
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"50.0\" cy=\"50.0\""));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"90.0\" cy=\"90.0\""));
}

TEST(Picture, TextCannotEndItsElement) {
  Picture picture(10, 10);
  picture.text(1, 1, "a<b & c");
  EXPECT_THAT(picture.svg(), HasSubstr("a&lt;b &amp; c"));
}

}  // namespace
}  // namespace concord::experiments
