// SPDX-License-Identifier: Apache-2.0
#include "vectors/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "vectors/sha256.h"

namespace concord::vectors {
namespace {

using testing::HasSubstr;

const std::string kGood = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

std::string file(const std::string& header, std::size_t data_bytes,
                 const std::string& version = std::string("\x01\x00", 2)) {
  std::string text = "\x93NUMPY" + version;
  const std::size_t digits = version[0] == 1 ? 2 : 4;
  for (std::size_t i = 0; i < digits; ++i) {
    text += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  }
  return text + header + std::string(data_bytes, '\x07');
}

Result<Npy> read(const std::string& text) { return parse_npy(std::as_bytes(std::span(text))); }

std::string why(const std::string& text) {
  const auto npy = read(text);
  return npy ? "was read" : npy.why().detail;
}

std::string why_header(const std::string& header) { return why(file(header, 24)); }

TEST(Npy, ShapeTypeAndElementsAreRead) {
  const std::string text = file(kGood, 24);
  const auto npy = read(text);
  ASSERT_TRUE(npy) << npy.why().detail;
  EXPECT_EQ(npy->type, NpyType::kF32);
  EXPECT_EQ(npy->shape, (Extents{2, 3}));
  EXPECT_EQ(npy->elements.size(), 24U);
  EXPECT_EQ(static_cast<const void*>(npy->elements.data()), text.data() + text.size() - 24);
}

TEST(Npy, Version2AndScalarsAndEmptyArraysAreRead) {
  EXPECT_TRUE(read(file(kGood, 24, std::string("\x02\x00", 2))));
  EXPECT_TRUE(read(file("{'shape':(),'descr':'<u2','fortran_order':False}", 2)));
  EXPECT_TRUE(read(file("{'descr': '<f2', 'fortran_order': False, 'shape': (0,)}", 0)));
}

TEST(Npy, EveryCutFileIsRefused) {
  const std::string whole = file(kGood, 24);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of just that size, so that a sanitizer sees a read beyond it.
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse_npy(std::as_bytes(std::span(cut)))) << size;
  }
  EXPECT_THAT(why(whole + "x"), HasSubstr("does not fit the 25 bytes"));
}

TEST(Npy, OtherTypesOrdersAndVersionsAreRefusedByName) {
  EXPECT_THAT(why_header("{'descr': '>f4', 'fortran_order': False, 'shape': (6,)}"),
              HasSubstr("'>f4'"));
  EXPECT_THAT(why_header("{'descr': '|O', 'fortran_order': False, 'shape': (6,)}"),
              HasSubstr("'|O'"));
  EXPECT_THAT(why_header("{'descr': '<f4', 'fortran_order': True, 'shape': (6,)}"),
              HasSubstr("fortran_order"));
  EXPECT_THAT(why(file(kGood, 24, std::string("\x03\x00", 2))), HasSubstr("3.0"));
}

TEST(Npy, ShapesThatLieAreRefused) {
  const auto shaped = [](const std::string& shape) {
    return why_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}");
  };
  EXPECT_THAT(shaped("(4611686018427387904, 4611686018427387904)"), HasSubstr("does not fit"));
  EXPECT_THAT(shaped("(4611686018427387905,)"), HasSubstr("does not fit"));  // times 4 wraps to 4
  EXPECT_THAT(shaped("(99999999999999999999,)"), HasSubstr("not a size"));
  EXPECT_THAT(shaped("(-6,)"), HasSubstr("not a size"));
  EXPECT_THAT(shaped("(1,1,1,1,1,1,1,1,6)"), HasSubstr("more than 8 axes"));
  EXPECT_THAT(shaped("(6 1)"), HasSubstr("no comma"));
  EXPECT_THAT(shaped("[6]"), HasSubstr("not a tuple"));
  EXPECT_THAT(shaped("(6,"), HasSubstr("not a size"));
  EXPECT_THAT(shaped("(5,)"), HasSubstr("does not fit"));
}

TEST(Npy, HeadersThatAreNoDictionaryOfTheThreeAreRefused) {
  EXPECT_THAT(why_header(""), HasSubstr("not a dictionary"));
  EXPECT_THAT(why_header("{}"), HasSubstr("lacks"));
  EXPECT_THAT(why_header("{'descr': '<f4', 'shape': (6,)}"), HasSubstr("lacks"));
  EXPECT_THAT(why_header("{'descr': '<f4', 'descr': '<f4'}"), HasSubstr("occurs twice"));
  EXPECT_THAT(why_header("{'evil': __import__('os')}"), HasSubstr("'evil'"));
  EXPECT_THAT(why_header("{descr}"), HasSubstr("not a string"));
  EXPECT_THAT(why_header("{'descr"), HasSubstr("not a string"));
  EXPECT_THAT(why_header("{'descr': 4}"), HasSubstr("descr is not a string"));
  EXPECT_THAT(why_header("{'fortran_order': Maybe}"), HasSubstr("neither"));
  EXPECT_THAT(why_header("{'descr': '<f4' 'shape': (6,)}"), HasSubstr("no comma"));
  EXPECT_THAT(why_header(kGood + "more"), HasSubstr("continues"));
}

// FIPS 180-4's examples, "abc" and the empty message.
TEST(Sha256, IsThatOfTheStandardsExamples) {
  EXPECT_EQ(sha256(std::as_bytes(std::span("abc", 3))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(NpyHeader, IsReadAgainWithItsShape) {
  for (const Extents& shape :
       {Extents{}, Extents{3}, Extents{2, 3}, Extents{1, 1, 1, 1, 1, 1, 1}}) {
    std::string file = npy_header(NpyType::kF16, shape);
    EXPECT_EQ(file.size() % 64, 0U);
    file.append(static_cast<std::size_t>(*element_count(shape)) * 2, 'x');
    const auto npy = parse_npy(std::as_bytes(std::span(file)));
    ASSERT_TRUE(npy) << npy.why().detail;
    EXPECT_EQ(npy->shape, shape);
    EXPECT_EQ(npy->type, NpyType::kF16);
  }
}

}  // namespace
}  // namespace concord::vectors
