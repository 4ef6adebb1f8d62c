/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin that computes dst = position of the element, for any problem, and misbehaves as its
 * configuration says: "STAGE:DEED", such as "execute:segv", or "every:tarry". An empty
 * configuration behaves; in open, any other does the deed that CONCORD_HOSTILE_UNKNOWN names.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugin/concord_plugin.h"

static char stage_of_deed[32], deed[64];
static volatile char sink;
static concord_tensor output_tensor;
static const concord_problem *kept_problem;
static int threads = 0, prepared_problems = 0, releases = 0;
static float last_weight = 0;
static jmp_buf long_gone;
static int *volatile nowhere = NULL;

static int is_deed(const char *stage, const char *name) {
  return strcmp(stage_of_deed, stage) == 0 && strcmp(deed, name) == 0;
}

static void ignore_signal(int number) { (void)number; }

static void *spin_forever(void *nothing) {
  volatile unsigned long turns = 0;
  while (turns + 1 != 0) ++turns;
  return nothing;
}

static void *crash_later(void *nothing) {
  usleep(50000);
  abort();
  return nothing;
}

static void start_thread(void *(*run)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
}

static void close_everything(void) {
  int fd;
  for (fd = 0; fd < 1024; ++fd) close(fd);
}

static void write_to_sockets(const char *text) {
  int fd;
  for (fd = 3; fd < 16; ++fd) {
    if (send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) continue;
  }
}

/* The memory that host and worker share is among them. */
static void cut_every_file_short(void) {
  int fd;
  for (fd = 3; fd < 16; ++fd) {
    if (ftruncate(fd, 0) != 0) continue;
  }
}

/* From now on nothing can be opened, and no file can grow. */
static void take_limits_away(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_NOFILE, &none);
  setrlimit(RLIMIT_FSIZE, &none);
}

/* Subnormal results become zero, and subnormal inputs count as zero. */
static void flush_subnormals(void) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);
#endif
}

static void overflow_stack(volatile char *below) {
  volatile char frame[4096];
  frame[0] = below[0];
  if (getpid() > 0) overflow_stack(frame); /* always; the compiler need not know */
  frame[1] = frame[0];
}

/* Twice what the tests allow, lest a limit that does not work costs the machine its memory. */
static void allocate_too_much(void) {
  int megabytes;
  for (megabytes = 0; megabytes < 1024; megabytes += 16) {
    char *block = malloc(16 << 20);
    if (block == NULL) {
      fprintf(stderr, "no memory is left\n");
      exit(9);
    }
    memset(block, 1, 16 << 20);
  }
}

static void fork_and_sleep(void) {
  if (fork() == 0) {
    sleep(1000);
    _exit(0);
  }
}

/* Each process of the chain begins a session of its own, starts the next one and exits; the last
   one stays. */
static void start_chain(int links) {
  if (fork() != 0) return;
  while (links-- > 0) {
    setsid();
    if (fork() != 0) _exit(0);
  }
  sleep(1000);
  _exit(0);
}

/* How often any process has asked, from 1; the environment names a file that remembers. 0 without.
 */
static int mark_and_count(void) {
  const char *mark = getenv("CONCORD_HOSTILE_MARK");
  const int file = mark == NULL ? -1 : open(mark, O_CREAT | O_APPEND | O_WRONLY, 0600);
  if (file < 0) return 0;
  const int count = write(file, "x", 1) == 1 ? (int)lseek(file, 0, SEEK_END) : 0;
  close(file);
  return count;
}

/* True the first `times` that any process asks. */
static int is_among_first(int times) {
  const int count = mark_and_count();
  return count > 0 && count <= times;
}

static void abort_then_be_killed(void) {
  const int count = mark_and_count();
  if (count == 1) abort();
  if (count == 2) raise(SIGKILL);
}

static int is_third_call(void) {
  static int calls = 0;
  return ++calls == 3;
}

static void flood(void) {
  int line;
  for (line = 0; line < 20000; ++line) printf("line %d of a flood of output\n", line);
}

static int is(const char *name) { return strcmp(deed, name) == 0; }

static void end_the_process(void) {
  if (is("segv")) raise(SIGSEGV);
  if (is("null")) *nowhere = 1;
  if (is("stack")) overflow_stack("");
  if (is("abort")) {
    fprintf(stderr, "the plugin gives up\n");
    abort();
  }
  if (is("kill")) raise(SIGKILL);
  if (is("kill_once") && is_among_first(1)) raise(SIGKILL);
  if (is("abort_once") && is_among_first(1)) abort();
  if (is("abort_then_kill")) abort_then_be_killed();
  if (is("abort_third") && is_third_call()) abort();
  if (is("kill_third") && is_third_call()) raise(SIGKILL);
  if (is("kill_third_twice") && is_third_call() && is_among_first(2)) raise(SIGKILL);
  if (is("exit")) exit(0);
  if (is("_exit")) _exit(7);
  if (is("ignore_signals")) {
    signal(SIGSEGV, ignore_signal);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    *nowhere = 1; /* again and again, as the handler returns */
  }
  if (is("longjmp")) longjmp(long_gone, 1);
}

/* A tenth of a second of processor time, however long that takes. */
static void toil(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  const double end = used.tv_sec + used.tv_nsec * 1e-9 + 0.1;
  while (used.tv_sec + used.tv_nsec * 1e-9 < end) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
}

static void take_time_and_memory(void) {
  if (is("toil")) toil();
  if (is("sleep")) sleep(1000);
  if (is("spin")) spin_forever(NULL);
  if (is("stop")) raise(SIGSTOP);
  if (is("end_thread")) pthread_exit(NULL);
  if (is("allocate")) allocate_too_much();
  if (is("limits")) take_limits_away();
  if (is("thread")) start_thread(spin_forever);
  if (is("crash_later")) start_thread(crash_later);
}

static void start_processes(void) {
  if (is("chain")) start_chain(350);
  if (is("fork")) fork_and_sleep();
  if (is("fork_setsid") && fork() == 0) {
    setsid(); /* and a child of the child's, which begins a session, too */
    if (fork() == 0) setsid();
    sleep(1000);
    _exit(0);
  }
  if (is("fork_exit")) {
    fork_and_sleep();
    _exit(3);
  }
  if (is("fork_return") && fork() < 0) abort();
  if (is("new_group")) {
    setsid();
    sleep(1000);
  }
}

static void spoil_files(void) {
  if (is("flood")) flood();
  if (is("flood_abort")) {
    flood();
    abort();
  }
  if (is("close_all")) close_everything();
  if (is("close_output")) {
    close(1);
    close(2);
  }
  if (is("garbage")) write_to_sockets("complete nonsense\n");
  if (is("endless")) {
    static char line[64 << 10];
    memset(line, 'x', sizeof line - 1);
    while (1) write_to_sockets(line);
  }
  if (is("forge_workspace")) {
    write_to_sockets(
        "{\"status\": 0, \"workspace_bytes\": 100, \"workspace_alignment\": 0}\n"
        "{\"status\": 0, \"seconds\": 1}\n");
  }
  if (is("empty_object")) write_to_sockets("{}\n");
  if (is("wrong_fields")) write_to_sockets("{\"thrown\": 5}\n");
  if (is("cut_short")) cut_every_file_short();
  if (is("umask")) umask(0);
}

static void change_float_environment(void) {
  if (is("round_up")) fesetround(FE_UPWARD);
  if (is("round_down")) fesetround(FE_DOWNWARD);
  if (is("round_to_zero")) fesetround(FE_TOWARDZERO);
  if (is("flush")) flush_subnormals();
}

/* What can be done in any call. */
static void misbehave(const char *stage) {
  if (is_deed("every", "tarry")) sleep(1);
  if (strcmp(stage_of_deed, stage) != 0) return;
  end_the_process();
  take_time_and_memory();
  start_processes();
  spoil_files();
  change_float_environment();
}

static void __attribute__((noinline)) remember_a_frame_that_ends(void) {
  if (setjmp(long_gone) != 0) abort();
}

static void misbehave_at_exit(void) { misbehave("exit"); }

static concord_status open_plugin(const char *config, void **backend, char *reason) {
  const char *colon = strchr(config, ':');
  const char *const unknown = getenv("CONCORD_HOSTILE_UNKNOWN");
  *backend = NULL;
  if (colon == NULL && *config != '\0' && unknown != NULL) {
    strcpy(stage_of_deed, "open");
    snprintf(deed, sizeof deed, "%s", unknown);
  }
  if (colon != NULL) {
    snprintf(stage_of_deed, sizeof stage_of_deed, "%.*s", (int)(colon - config), config);
    snprintf(deed, sizeof deed, "%s", colon + 1);
  }
  remember_a_frame_that_ends();
  atexit(misbehave_at_exit);
  misbehave("open");
  if (is_deed("open", "refuse")) {
    snprintf(reason, CONCORD_TEXT, "the licence has run out");
    return CONCORD_FAULT;
  }
  if (is_deed("open", "long_reason")) {
    memset(reason, 'x', CONCORD_TEXT);
    return CONCORD_INVALID;
  }
  return CONCORD_OK;
}

static void close_plugin(void *backend) {
  (void)backend;
  misbehave("close");
}

static concord_status query(void *backend, const concord_problem *problem, concord_answer *answer) {
  (void)backend;
  misbehave("query");
  answer->outputs[0].rank = 2;
  answer->outputs[0].dims[0] = problem->inputs[0].dims[0];
  answer->outputs[0].dims[1] = problem->num_inputs;
  answer->arithmetic.accumulator = CONCORD_ACCUMULATE_F64;
  answer->same_bits_any_threads = 1;
  strcpy(answer->implementation, "counts");
  if (is_deed("query", "rank")) answer->outputs[0].rank = 77;
  if (is_deed("query", "negative_rank")) answer->outputs[0].rank = -1;
  if (is_deed("query", "dims")) answer->outputs[0].dims[0] = INT64_MIN;
  if (is_deed("query", "status")) return 1234;
  if (is_deed("query", "text")) memset(answer->reason, 0xff, sizeof answer->reason - 1);
  if (is_deed("query", "unterminated")) memset(answer->adapter_part, 'y', CONCORD_TEXT);
  if (is_deed("query", "read_after_inputs")) {
    sink = *(const volatile char *)(problem->inputs + problem->num_inputs);
  }
  if (is_deed("query", "write_after_answer")) memset(answer->implementation, 'y', CONCORD_TEXT + 1);
  if (is_deed("query", "decline")) {
    strcpy(answer->reason, "only on Sundays");
    return CONCORD_UNSUPPORTED;
  }
  return CONCORD_OK;
}

static concord_status prepare(void *backend, const concord_problem *problem,
                              const concord_prepare_options *options, concord_prepared *prepared) {
  (void)backend;
  misbehave("prepare");
  if (options->threads == 7) misbehave("prepare_for_7");
  output_tensor = problem->outputs[0];
  threads = options->threads;
  if (options->data[1] != NULL) last_weight = *(const float *)options->data[1];
  prepared->handle = (void *)(uintptr_t)++prepared_problems;
  prepared->workspace_bytes = 100;
  prepared->workspace_alignment = 32;
  if (is_deed("prepare", "read_weights") && options->data[1] != NULL) {
    snprintf(prepared->reason, CONCORD_TEXT, "first weight %g", (double)*(float *)options->data[1]);
    return CONCORD_FAULT;
  }
  if (is_deed("prepare", "status")) return -5;
  if (is_deed("prepare", "unterminated")) memset(prepared->reason, 'x', CONCORD_TEXT);
  kept_problem = problem;
  if (is_deed("prepare", "umask_refuse")) {
    umask(0);
    return CONCORD_UNSUPPORTED;
  }
  if (is_deed("prepare", "huge")) prepared->workspace_bytes = SIZE_MAX;
  if (is_deed("prepare", "alignment")) prepared->workspace_alignment = 48;
  if (is_deed("prepare", "wide_alignment")) prepared->workspace_alignment = (size_t)1 << 40;
  if (is_deed("prepare", "page_alignment")) prepared->workspace_alignment = 1 << 20;
  if (is_deed("prepare", "no_workspace")) prepared->workspace_bytes = 0;
  return CONCORD_OK;
}

/* dst[i] = i, in the order of the indices. */
static void count_up(float *dst, int axis, float *next) {
  int64_t i;
  if (axis == output_tensor.rank) {
    *dst = *next;
    *next += 1;
    return;
  }
  for (i = 0; i < output_tensor.dims[axis]; ++i) {
    count_up(dst + i * output_tensor.strides[axis], axis + 1, next);
  }
}

static void access_wrongly(const concord_execution *e) {
  char *const src = e->inputs[0].data, *const weights = e->inputs[1].data;
  char *const dst = e->outputs[0].data, *const workspace = e->workspace;
  if (is_deed("execute", "read_after_src")) sink = src[e->inputs[0].bytes];
  if (is_deed("execute", "read_4_after_src")) sink = src[e->inputs[0].bytes + 4];
  if (is_deed("execute", "read_far_before_src")) sink = src[-100000];
  if (is_deed("execute", "read_before_src")) sink = src[-1];
  if (is_deed("execute", "write_before_dst")) dst[-1] = 1;
  if (is_deed("execute", "write_before_workspace")) workspace[-1] = 1;
  if (is_deed("execute", "write_src")) src[0] = 1;
  if (is_deed("execute", "write_weights")) weights[5] = 1;
  if (is_deed("execute", "write_after_dst")) dst[e->outputs[0].bytes] = 1;
  if (is_deed("execute", "write_after_workspace")) workspace[128] = 1; /* the end of its padding */
  if (is_deed("execute", "write_before_dst")) memset(dst - 3, 1, 3);
  if (is_deed("execute", "write_around_workspace")) {
    workspace[-1] = 1;
    workspace[100] = 1;
  }
  if (is_deed("execute", "read_after_inputs")) sink = *(const volatile char *)(e->inputs + 3);
  if (is_deed("execute", "read_kept_problem")) sink = (char)kept_problem->inputs[0].rank;
  if (is_deed("execute", "aligned_load")) {
    __asm__ volatile("movaps %0, %%xmm0" : : "m"(dst[4]) : "xmm0");
  }
}

static float *late;

static concord_status execute(void *backend, void *handle, const concord_execution *e) {
  static int calls = 0;
  float next = 0, *const dst = e->outputs[0].data;
  const float garbage = e->outputs[0].bytes > 0 ? dst[0] : 0;
  size_t i;
  (void)backend;
  ++calls;
  misbehave("execute");
  access_wrongly(e);
  if (e->workspace != NULL) memset(e->workspace, 0, e->workspace_bytes);
  if ((uintptr_t)e->workspace % 32 != 0) return CONCORD_FAULT;
  count_up(dst, 0, &next);
  if (is_deed("execute", "gaps")) {
    for (i = 0; i < e->outputs[0].bytes / sizeof(float); ++i) dst[i] = (float)i;
  }
  if (is_deed("execute", "varies")) dst[0] = (float)calls;
  if (is_deed("execute", "nan_varies")) dst[0] = calls % 2 == 0 ? -NAN : NAN;
  if (is_deed("execute", "show_threads")) dst[0] = (float)threads;
  if (is_deed("execute", "unwritten")) dst[0] = garbage;
  if (is_deed("execute", "late") || (is_deed("execute", "late_for_7") && threads == 7)) {
    dst[0] = garbage;
    late = dst;
  }
  if (is_deed("execute", "show_descriptor_limit")) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) dst[0] = (float)limit.rlim_cur;
  }
  if (is_deed("execute", "show_weight")) dst[0] = *(const float *)e->inputs[1].data;
  if (is_deed("execute", "show_last_prepared")) dst[0] = last_weight;
  if (is_deed("execute", "show_releases")) dst[0] = (float)releases;
  if (is_deed("execute", "show_handle")) dst[0] = (float)(uintptr_t)handle;
  if (is_deed("execute", "umask_fail_20th") && calls >= 20) {
    umask(0);
    return CONCORD_FAULT;
  }
  if (is_deed("execute", "silent")) return 99;
  if (is_deed("execute", "half_a_reason")) {
    e->reason[20] = '\0';
    return 99;
  }
  if (is_deed("execute", "unterminated")) {
    memset(e->reason, 'x', CONCORD_TEXT);
    return 99;
  }
  if (is_deed("execute", "status")) {
    strcpy(e->reason, "out of ideas");
    return 99;
  }
  return CONCORD_OK;
}

static void release(void *backend, void *handle) {
  (void)backend;
  (void)handle;
  ++releases;
  if (late != NULL) *late = 0; /* what execute should have written */
  late = NULL;
  misbehave("release");
}

static concord_status describe_plan(void *backend, const concord_problem *problem,
                                    const concord_prepare_options *options, char *text,
                                    size_t size) {
  (void)backend;
  misbehave("describe");
  if (is_deed("describe", "unterminated")) {
    memset(text, 'x', size);
    return CONCORD_OK;
  }
  snprintf(text, size, "counts %d elements\nby %d threads\n", (int)problem->outputs[0].dims[0],
           (int)options->threads);
  return is_deed("describe", "declined") ? CONCORD_UNSUPPORTED : CONCORD_OK;
}

static const concord_plugin kTable = {CONCORD_ABI,  sizeof(concord_plugin),
                                      "hostile",    "6.6.6",
                                      open_plugin,  close_plugin,
                                      query,        prepare,
                                      execute,      release,
                                      describe_plan};

static void __attribute__((constructor)) misbehave_in_constructor(void) {
  const char *variable = getenv("CONCORD_HOSTILE_CONSTRUCTOR");
  if (variable == NULL) return;
  if (strcmp(variable, "crash") == 0) raise(SIGSEGV);
  if (strcmp(variable, "sleep") == 0) sleep(1000);
  if (strcmp(variable, "exit") == 0) _exit(5);
  if (strcmp(variable, "want_passive_openmp") == 0) {
    const char *policy = getenv("OMP_WAIT_POLICY");
    if (policy == NULL || strcmp(policy, "passive") != 0) _exit(6);
  }
  if (strcmp(variable, "blame_the_machine") == 0) {
    write_to_sockets("{\"failure\": \"Cannot allocate memory\", \"ours\": true}\n");
  }
}

const concord_plugin *concord_plugin_v1(void) { return &kTable; }
