// SPDX-License-Identifier: Apache-2.0
// Attacks on files, programs behind sockets, and shared memory.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

#include "conformance/command/hostile/deeds.h"

namespace concord::hostile {
namespace {

bool reads(const std::string& path) {
  char byte = 0;
  const int file = open(path.c_str(), O_RDONLY);
  const bool one = file >= 0 && read(file, &byte, 1) == 1;
  if (file >= 0) close(file);
  return one;
}

bool creates(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
  const bool there = file >= 0 && write(file, "x", 1) == 1;
  if (file >= 0) close(file);
  return there;
}

// Opening is enough to show it, and leaves the file as it is.
bool may_write(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY);
  if (file >= 0) close(file);
  return file >= 0;
}

bool any_disk_opens() {
  bool through = false;
  DIR* const folder = opendir("/dev");
  while (const dirent* each = folder == nullptr ? nullptr : readdir(folder)) {
    if (each->d_type == DT_BLK && may_write(std::string("/dev/") + each->d_name)) through = true;
  }
  if (folder != nullptr) closedir(folder);
  return through;
}

std::string journal(const World& w) { return w.results + ".journal"; }
std::string folder(const World& w) { return w.results.substr(0, w.results.rfind('/')); }
std::string beside(const World& w, const char* name) { return folder(w) + "/" + name; }

bool connects(int domain, const void* address, std::size_t size) {
  const int end = socket(domain, SOCK_STREAM, 0);
  const bool through = end >= 0 && connect(end, static_cast<const sockaddr*>(address),
                                           static_cast<socklen_t>(size)) == 0;
  if (end >= 0) close(end);
  return through;
}

bool connects_by_name(const std::string& name, bool is_abstract) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t first = is_abstract ? 1 : 0;
  name.copy(address.sun_path + first, sizeof address.sun_path - 1 - first);
  return connects(AF_UNIX, &address, offsetof(sockaddr_un, sun_path) + first + name.size());
}

sockaddr_in on_this_machine(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

constexpr Deed kDeeds[] = {
    {"write the results", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return creates(w.results); }},
    {"write into the journal", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       const int file = open(journal(w).c_str(), O_WRONLY | O_APPEND);
       return file >= 0 && write(file, "", 0) == 0 && lseek(file, 0, SEEK_END) > 0;
     }},
    {"empty the journal", "execute", "FAIL", "namespaces", "never",
     [](const World& w) { return truncate(journal(w).c_str(), 0) == 0; }},
    {"read the journal", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return reads(journal(w)); }},
    {"remove the journal", "execute", "FAIL", "namespaces", "never",
     [](const World& w) { return unlink(journal(w).c_str()) == 0; }},
    {"rename the journal", "execute", "FAIL", "namespaces", "never",
     [](const World& w) { return rename(journal(w).c_str(), w.results.c_str()) == 0; }},
    {"a link in the place of the results", "execute", "FAIL", "namespaces", "never",
     [](const World& w) { return symlink("/dev/null", w.results.c_str()) == 0; }},
    {"a second name of the journal", "execute", "FAIL", "namespaces", "never",
     [](const World& w) {
       return link(journal(w).c_str(), beside(w, "hostile_link").c_str()) == 0;
     }},
    {"lock the journal", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       const int file = open(journal(w).c_str(), O_RDONLY);
       char byte = 0;
       return file >= 0 && flock(file, LOCK_SH) == 0 && read(file, &byte, 1) == 1;
     }},
    {"the rights of the journal", "execute", "FAIL", "namespaces", "never",
     [](const World& w) { return chmod(journal(w).c_str(), 0666) == 0; }},
    {"the times of a file", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return utime(w.treasure.c_str(), nullptr) == 0; }},
    {"the attributes of a file", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return setxattr(w.treasure.c_str(), "user.hostile", "x", 1, 0) == 0; }},
    {"overwrite a file of the user's", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return may_write(w.treasure); }},
    {"remove a file of the user's", "execute", "FAIL", "namespaces", "never",
     [](const World& w) { return unlink(w.treasure.c_str()) == 0; }},
    {"a new file in the user's folder", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return creates(beside(w, "hostile_file")); }},
    {"a new folder in the user's folder", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return mkdir(beside(w, "hostile_folder").c_str(), 0700) == 0; }},
    {"a device of its own", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       return mknod(beside(w, "hostile_device").c_str(), S_IFCHR | 0600, (1 << 8) | 5) == 0;
     }},
    {"a pipe in the place of a file", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return mkfifo(beside(w, "hostile_pipe").c_str(), 0600) == 0; }},
    {"the folder by a descriptor of it", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       const int where = open(folder(w).c_str(), O_RDONLY | O_DIRECTORY);
       return where >= 0 && openat(where, "hostile_at", O_CREAT | O_WRONLY, 0600) >= 0;
     }},
    {"the folder by /proc/self/root", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return creates("/proc/self/root" + beside(w, "hostile_root")); }},
    {"the folder by /proc/1/root", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return creates("/proc/1/root" + beside(w, "hostile_root_1")); }},
    {"a nameless file in the user's folder", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return open(folder(w).c_str(), O_TMPFILE | O_WRONLY, 0600) >= 0; }},
    {"the program of Concord", "execute", "FAIL", "namespaces", "",
     [](const World&) {
       char path[4096];
       const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
       if (size <= 0) return false;
       const std::string program(path, static_cast<std::size_t>(size));
       return access(program.c_str(), W_OK) == 0;
     }},
    {"the system's libraries", "execute", "FAIL", "namespaces", "never",
     [](const World&) { return creates("/usr/lib/hostile"); }},
    {"what runs at the next login", "execute", "FAIL", "namespaces", "never",
     [](const World&) { return creates("/etc/profile.d/hostile.sh"); }},
    {"read the golden vectors", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return reads(w.vectors); }},
    {"a watch over the results by inotify", "execute", "FAIL", "", "",
     [](const World& w) {
       const int watch = inotify_init1(IN_NONBLOCK);
       char events[4096];
       if (watch < 0) return false;
       if (inotify_add_watch(watch, w.results.c_str(), IN_ALL_EVENTS) < 0) return false;
       usleep(20000);
       return read(watch, events, sizeof events) > 0;
     }},
    {"a file that stays in /tmp", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       return creates("/tmp/hostile_" + w.name) && access(folder(w).c_str(), W_OK) == 0;
     }},
    {"a file that stays in /dev/shm", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       return creates("/dev/shm/hostile_" + w.name) && access(folder(w).c_str(), W_OK) == 0;
     }},
    {"the memory of the machine by /dev/mem", "execute", "FAIL", "namespaces", "",
     [](const World&) { return may_write("/dev/mem"); }},
    {"the disks by their devices", "execute", "FAIL", "namespaces", "",
     [](const World&) { return any_disk_opens(); }},
    {"the kernel's log by /dev/kmsg", "execute", "FAIL", "namespaces", "",
     [](const World&) { return may_write("/dev/kmsg"); }},
    {"the terminal of the user", "execute", "FAIL", "", "",
     [](const World&) { return may_write("/dev/tty"); }},
    {"a program by its TCP port", "execute", "FAIL", "", "",
     [](const World& w) {
       const sockaddr_in address = on_this_machine(w.port);
       return connects(AF_INET, &address, sizeof address);
     }},
    {"a datagram to this machine", "execute", "FAIL", "", "",
     [](const World& w) {
       const sockaddr_in address = on_this_machine(w.port);
       const int end = socket(AF_INET, SOCK_DGRAM, 0);
       const auto* to = reinterpret_cast<const sockaddr*>(&address);
       return sendto(end, "x", 1, 0, to, sizeof address) == 1;
     }},
    {"a port of this machine for others to call", "execute", "FAIL", "", "",
     [](const World&) {
       const sockaddr_in address = on_this_machine(0);
       const int end = socket(AF_INET, SOCK_STREAM, 0);
       return bind(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
     }},
    {"a program by its abstract socket", "execute", "FAIL", "", "",
     [](const World& w) { return connects_by_name(w.name, true); }},
    {"a program by its socket's path", "execute", "FAIL", "", "",
     [](const World& w) { return connects_by_name(w.socket, false); }},
    {"a program by a datagram to its socket's path", "execute", "FAIL", "", "",
     [](const World& w) {
       int ends[2];
       sockaddr_un to{};
       to.sun_family = AF_UNIX;
       w.socket.copy(to.sun_path, sizeof to.sun_path - 1);
       if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return false;
       // A socket of another type that was reached answers so.
       return sendto(ends[0], "x", 1, 0, reinterpret_cast<sockaddr*>(&to), sizeof to) == 1 ||
              errno == EPROTOTYPE;
     }},
    {"System V shared memory of others", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return shmget(w.key, 0, 0) >= 0; }},
    {"System V messages of others", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return msgget(w.key, 0) >= 0; }},
    {"System V semaphores of others", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return semget(w.key, 0, 0) >= 0; }},
    {"a POSIX message queue of others", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return mq_open(("/" + w.name).c_str(), O_RDONLY) >= 0; }}};

}  // namespace

std::span<const Deed> deeds_of_files() { return kDeeds; }

}  // namespace concord::hostile
