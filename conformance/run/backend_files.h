// SPDX-License-Identifier: Apache-2.0
// The build of a backend that is judged: its files and their hashes.
#ifndef CONCORD_CONFORMANCE_RUN_BACKEND_FILES_H_
#define CONCORD_CONFORMANCE_RUN_BACKEND_FILES_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/worker/host.h"

namespace concord::conformance {

struct BackendFile {
  std::string path{};
  std::string sha256{};  ///< of its contents; empty if it could not be read
};

/// The plugin's file. Of a command: its program, as PATH finds it, and each file that the command
/// line names, also behind a '='. Libraries that these load are not among them.
std::vector<BackendFile> files_of(const BackendSpec& spec);

/// Looks files up by their contents, each once.
class LibraryDigests {
 public:
  /// `shipped`: the folder of the backends that come with Concord.
  explicit LibraryDigests(std::filesystem::path shipped) : shipped_(std::move(shipped)) {}
  /// The files of these paths, but for those named in `without`.
  std::vector<BackendFile> files(const std::set<std::string>& paths,
                                 const std::set<std::string>& without);
  /// The backends of Concord's, by name, whose plugin is among the files of another backend, or a
  /// copy of it. Concord's own backends are not told of what they share.
  std::vector<std::string> shipped_in(const std::vector<BackendFile>& own,
                                      const std::vector<BackendFile>& libraries);

 private:
  const std::string& sha256_of(const std::string& path);

  std::filesystem::path shipped_;
  std::map<std::string, std::string> digests_{};  ///< by path
};

/// The files among those that a shell command names: its program, and each word that is a file.
std::vector<std::string> files_named_by(const std::string& command);

/// "conv.so SHA-256 ab12..., ...": what differs between two builds; empty if there are no files.
std::string build_text(const std::vector<BackendFile>& files);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_BACKEND_FILES_H_
