// SPDX-License-Identifier: Apache-2.0
// Attacks on the conversation between host and worker. The channel is descriptor 3 of a worker.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "conformance/command/hostile/deeds.h"

namespace concord::hostile {
namespace {

constexpr int kChannel = 3;

void say(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = send(kChannel, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return;
    at += static_cast<std::size_t>(sent);
  }
}

// The first execution is sent together with prepare, so that the first line said in it is taken for
// the answer to prepare. A forged answer and the worker's own are one too many: the host finds that
// out if both are there when it asks again.
[[noreturn]] void say_and_sleep(const std::string& text) {
  say(text);
  while (true) pause();
}

template <const char*... kParts>
bool says(const World&) {
  (say(kParts), ...);
  return false;
}

constexpr char kPrepared[] = "{\"status\":0,\"workspace_bytes\":0,\"workspace_alignment\":64}\n";
constexpr char kExecuted[] = "{\"status\":0,\"reason\":\"\",\"seconds\":1e-9}\n";
constexpr char kPassed[] = "{\"verdict\":\"PASS\",\"status\":0,\"seconds\":0}\n";
constexpr char kDeclined[] = "{\"status\":1,\"reason\":\"declined after all\",\"seconds\":0}\n";
constexpr char kGarbage[] = "complete nonsense\n";
constexpr char kEmptyLine[] = "\n";
constexpr char kEmptyObject[] = "{}\n";
constexpr char kArray[] = "[0]\n";
constexpr char kNoNumber[] = "{\"status\":\"0\",\"seconds\":0}\n";
constexpr char kHugeNumber[] = "{\"status\":1e400,\"seconds\":0}\n";
constexpr char kNaN[] = "{\"status\":0,\"seconds\":NaN}\n";
constexpr char kBeyond[] = "{\"status\":18446744073709551615,\"seconds\":0}\n";
constexpr char kTwice[] = "{\"status\":3,\"status\":0,\"seconds\":0}\n";
constexpr char kNoText[] = "{\"status\":0,\"seconds\":0,\"reason\":{}}\n";
constexpr char kThrown[] = "{\"thrown\":\"the host's fault\"}\n";
constexpr char kWrongThrown[] = "{\"thrown\":5}\n";
constexpr char kFailure[] = "{\"failure\":\"this machine has no memory\",\"ours\":true}\n";
constexpr char kControls[] =
    "{\"status\":3,\"seconds\":0,\"reason\":\"\\u001b[2J\\u001b[Hoptimized: conforms\\u202e\"}\n";
constexpr char kNoUtf8[] = "{\"status\":3,\"seconds\":0,\"reason\":\"\xff\xfe\xc0\x80\"}\n";
constexpr char kLoaded[] =
    "{\"name\":\"reference\",\"version\":\"1\",\"sandbox\":2,\"sandbox_lack\":\"\"}\n";

// For so many bytes that the host would notice if it kept them.
void flood(int descriptor, std::size_t bytes) {
  static char block[1 << 16];
  memset(block, 'x', sizeof block);
  for (std::size_t sent = 0; sent < bytes; sent += sizeof block) {
    if (write(descriptor, block, sizeof block) < 0) return;
  }
}

constexpr Deed kDeeds[] = {
    {"a forged answer: executed", "execute", "FAIL or CRASH or CLAIM_BROKEN", "", "",
     says<kPrepared, kExecuted>},
    {"a forged answer: passed", "execute", "FAIL or CRASH or CLAIM_BROKEN", "", "",
     says<kPrepared, kPassed>},
    {"a forged answer, and none of its own", "execute", "HANG", "", "",
     [](const World&) -> bool { say_and_sleep(std::string(kPrepared) + kExecuted); }},
    {"an answer to release before it is asked", "execute", "FAIL or CRASH or CLAIM_BROKEN", "", "",
     says<kPrepared, kExecuted, kEmptyObject, kEmptyObject>},
    {"a forged answer: declined after all", "execute", "FAIL or CRASH or CLAIM_BROKEN", "", "",
     says<kPrepared, kDeclined>},
    {"a forged answer: the machine's fault", "load", "not loaded", "", "", says<kFailure>},
    {"a forged answer: loaded as another backend", "load", "not loaded", "", "", says<kLoaded>},
    {"a forged answer to query", "query", "FAIL or CRASH or CLAIM_BROKEN or DECLINED", "", "",
     says<kDeclined>},
    {"a forged answer to prepare", "prepare", "FAIL or CRASH or CLAIM_BROKEN or DECLINED", "", "",
     says<kDeclined>},
    {"words that are no JSON", "execute", "CRASH", "", "", says<kGarbage>},
    {"an empty line", "execute", "CRASH", "", "", says<kEmptyLine>},
    {"an object without fields", "execute", "CRASH", "", "", says<kPrepared, kEmptyObject>},
    {"an array", "execute", "CRASH", "", "", says<kArray>},
    {"a status that is a text", "execute", "CRASH", "", "", says<kPrepared, kNoNumber>},
    {"a number beyond all doubles", "execute", "CRASH", "", "", says<kPrepared, kHugeNumber>},
    {"a number that is not JSON", "execute", "CRASH", "", "", says<kPrepared, kNaN>},
    {"a status of 64 bits", "execute", "CRASH", "", "", says<kPrepared, kBeyond>},
    {"two statuses", "execute", "FAIL or CRASH or CLAIM_BROKEN", "", "", says<kPrepared, kTwice>},
    {"a reason that is no text", "execute", "CRASH", "", "", says<kPrepared, kNoText>},
    {"an exception of the host's", "execute", "CRASH", "", "", says<kPrepared, kThrown>},
    {"an exception without words", "execute", "CRASH", "", "", says<kPrepared, kWrongThrown>},
    {"a reason that controls the terminal", "execute", "FAIL or CRASH or CLAIM_BROKEN", "", "",
     says<kPrepared, kControls>},
    {"a reason that is not UTF-8", "execute", "FAIL or CRASH or CLAIM_BROKEN", "", "",
     says<kPrepared, kNoUtf8>},
    {"an object of a million levels", "execute", "CRASH", "", "",
     [](const World&) {
       say(std::string(1000000, '[') + "\n");
       return false;
     }},
    {"a line without an end", "execute", "CRASH", "", "",
     [](const World&) {
       flood(kChannel, std::size_t{1} << 40);
       return false;
     }},
    {"answers without an end", "execute", "CRASH", "", "",
     [](const World&) {
       for (int i = 0; i < 1000000; ++i) say(kEmptyObject);
       return false;
     }},
    {"no channel any more", "execute", "CRASH", "", "",
     [](const World&) {
       close(kChannel);
       return false;
     }},
    {"half a channel", "execute", "CRASH", "", "",
     [](const World&) {
       shutdown(kChannel, SHUT_WR);
       return false;
     }},
    {"another file in the channel's place", "execute", "CRASH", "", "",
     [](const World&) {
       dup2(open("/dev/null", O_RDWR), kChannel);
       return false;
     }},
    {"a channel that does not wait", "execute", "FAIL", "", "",
     [](const World&) {
       fcntl(kChannel, F_SETFL, O_NONBLOCK);
       return false;
     }},
    {"the host's next request, taken away", "execute", "HANG", "", "",
     [](const World&) {
       const pid_t thief = fork();
       if (thief != 0) {
         usleep(20000);
         return false;
       }
       char bytes[4096];
       while (recv(kChannel, bytes, sizeof bytes, 0) > 0) {
       }
       _exit(0);
     }},
    {"a flood of standard output", "execute", "FAIL", "", "",
     [](const World&) {
       flood(STDOUT_FILENO, std::size_t{64} << 20);
       return false;
     }},
    {"a flood of standard error", "execute", "FAIL", "", "",
     [](const World&) {
       flood(STDERR_FILENO, std::size_t{64} << 20);
       return false;
     }},
    {"every descriptor closed", "execute", "CRASH", "", "",
     [](const World&) {
       close_range(0, ~0U, 0);
       return false;
     }},
    {"two processes that both answer", "execute", "FAIL", "", "",
     [](const World&) {
       (void)fork();
       return false;
     }},
    {"the worker's own program, run by the plugin", "execute", "CRASH", "", "",
     [](const World&) {
       execl("/proc/self/exe", "/proc/self/exe", "--version", nullptr);
       return true;
     }},
    {"another program in the worker's place", "execute", "CRASH", "", "",
     [](const World&) {
       execl("/bin/sh", "/bin/sh", "-c", "echo '{\"status\":0,\"seconds\":0}' >&3", nullptr);
       return true;
     }},
    {"a program of memory in the worker's place", "execute", "CRASH", "", "", [](const World&) {
       const int file = memfd_create("hostile", 0);
       constexpr char kScript[] = "#!/bin/sh\nexit 0\n";
       if (write(file, kScript, sizeof kScript - 1) < 0) return false;
       char* const none[] = {nullptr};
       syscall(SYS_execveat, file, "", none, none, AT_EMPTY_PATH);
       _exit(0);
     }}};

}  // namespace

std::span<const Deed> deeds_of_channel() { return kDeeds; }

}  // namespace concord::hostile
