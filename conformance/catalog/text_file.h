// SPDX-License-Identifier: Apache-2.0
// The text files of this folder, embedded in the program.
#ifndef CONCORD_CONFORMANCE_CATALOG_TEXT_FILE_H_
#define CONCORD_CONFORMANCE_CATALOG_TEXT_FILE_H_

#include <span>
#include <string_view>

namespace concord::conformance {

struct TextFile {
  std::string_view name;  ///< its path in this folder without the ending: "layers/resnet50"
  std::string_view text;
};

/// All of them, in the order of CMakeLists.txt.
std::span<const TextFile> text_files();
/// The one of that name, which there is.
const TextFile& text_file(std::string_view name);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_TEXT_FILE_H_
