// SPDX-License-Identifier: Apache-2.0
// Of a stand-alone program in C99 and POSIX: what a plugin leaves changed in its process, and what
// it never gives back.
#include "conformance/shrink/program_body.h"

namespace concord::conformance {

const char* const kProgramConduct = R"concord(
extern char **environ;

/* What the process must be left with: all but handlers as one text. */
typedef struct state {
  char text[32768];
  struct sigaction handlers[65];
} state;

static void add_text(state *s, const char *text) {
  strncat(s->text, text, sizeof s->text - strlen(s->text) - 1);
  strncat(s->text, "\n", sizeof s->text - strlen(s->text) - 1);
}

static void take_state(state *s) {
  char text[4096];
  const char *locale = setlocale(LC_ALL, NULL);
  const mode_t mask = umask(077);
  char **variable;
  sigset_t blocked;
  int i;
  umask(mask);
  memset(s, 0, sizeof *s);
  add_text(s, getcwd(text, sizeof text) != NULL ? text : "no current directory");
  add_text(s, locale != NULL ? locale : "");
  sprintf(text, "umask %lo", (unsigned long)mask);
  add_text(s, text);
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (i = 1; i < 65; ++i) {
    if (sigaction(i, NULL, &s->handlers[i]) != 0 || sigismember(&blocked, i) != 1) continue;
    sprintf(text, "signal %d is blocked", i);
    add_text(s, text);
  }
  for (i = 0; i < 16; ++i) {
    struct rlimit limit;
    if (getrlimit(i, &limit) != 0) continue;
    sprintf(text, "limit %d: %lu of %lu", i, (unsigned long)limit.rlim_cur,
            (unsigned long)limit.rlim_max);
    add_text(s, text);
  }
  for (variable = environ; variable != NULL && *variable != NULL; ++variable) {
    add_text(s, *variable);
  }
}

static state left_by_open;

static void check_state(void) {
  static state now;
  int i;
  take_state(&now);
  for (i = 1; i < 65; ++i) {
    if (now.handlers[i].sa_handler != left_by_open.handlers[i].sa_handler) {
      printf("signal %d has another handler\n", i);
      fail("the process is left changed");
    }
  }
  if (strcmp(now.text, left_by_open.text) == 0) return;
  printf("before:\n%s\nafterwards:\n%s\n", left_by_open.text, now.text);
  fail("the process is left changed");
}

static long entries_of(const char *folder) {
  DIR *entries = opendir(folder);
  long count = 0;
  if (entries == NULL) return 0;
  while (readdir(entries) != NULL) ++count;
  closedir(entries);
  return count;
}

enum { HELD = 4, HANDLES = 2, WINDOWS = 4, FEW = 16, MANY = 1024 };
static const char *const held_names[HELD] = {"descriptors", "threads", "KiB of address space",
                                             "bytes of malloc"};
/* How much more a round is no accident. */
static const double least[HELD] = {0.25, 0.25, 1, 16};

static void measure(long held[HELD]) {
  FILE *file = fopen("/proc/self/statm", "r");
  long pages = 0;
  if (file != NULL && fscanf(file, "%ld", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  held[0] = entries_of("/proc/self/fd");
  held[1] = entries_of("/proc/self/task");
  held[2] = pages * (sysconf(_SC_PAGESIZE) / 1024);
  held[3] = 0;
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  {
    const struct mallinfo2 heap = mallinfo2();
    held[3] = (long)(heap.uordblks + heap.hblkhd);
  }
#endif
}

/* Of what was held after each window of so many rounds, from one of them to another. Returns what
 * grows in each window, or HELD. */
static int find_growth(long held[WINDOWS][HELD], int window, int from, int to) {
  int i;
  for (i = from; i < to; ++i) {
    int grows = 1, w;
    for (w = 1; w < WINDOWS; ++w) {
      if ((double)(held[w][i] - held[w - 1][i]) < least[i] * window) grows = 0;
    }
    if (grows) return i;
  }
  return HELD;
}

static void check_held(long held[WINDOWS][HELD], int window, int from, int to) {
  const int i = find_growth(held, window, from, to);
  if (i == HELD) return;
  printf("%ld more %s in %d rounds\n", held[WINDOWS - 1][i] - held[0][i], held_names[i],
         window * (WINDOWS - 1));
  fail("what the process holds grows");
}
)concord";

}  // namespace concord::conformance
