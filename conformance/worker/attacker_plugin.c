/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin that reaches for what is not its own while it is opened, as its configuration says:
 * "ATTACK:TARGET". It opens if it was refused, and not if it got through.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/concord_plugin.h"

/* Targets of "PID,ADDRESS" and the like. */
static int pid_of(const char *target) { return atoi(target); }
static void *address_in(const char *target) {
  const char *comma = strchr(target, ',');
  return comma == NULL ? NULL : (void *)(uintptr_t)strtoull(comma + 1, NULL, 10);
}

static int patch_memory(const char *target) {
  const int changed = 666;
  char path[64];
  int file, done;
  snprintf(path, sizeof path, "/proc/%d/mem", pid_of(target));
  file = open(path, O_RDWR);
  if (file < 0) return 0;
  done = pwrite(file, &changed, sizeof changed, (off_t)(uintptr_t)address_in(target)) > 0;
  close(file);
  return done;
}

static int read_memory(const char *target) {
  int copy = 0;
  struct iovec here = {&copy, sizeof copy}, there = {address_in(target), sizeof copy};
  return process_vm_readv(pid_of(target), &here, 1, &there, 1, 0) > 0;
}

static int trace(const char *target) {
  return ptrace(PTRACE_SEIZE, pid_of(target), NULL, NULL) == 0;
}

static int take_descriptors(const char *target) {
  const int process = (int)syscall(SYS_pidfd_open, pid_of(target), 0);
  return process >= 0 && syscall(SYS_pidfd_getfd, process, 0, 0) >= 0;
}

static int limit_host(const char *target) {
  struct rlimit limit;
  return prlimit(pid_of(target), RLIMIT_NOFILE, NULL, &limit) == 0;
}

static int overwrite(const char *target) {
  const int file = open(target, O_WRONLY | O_TRUNC);
  return file >= 0 && write(file, "forged", 6) == 6;
}

static int read_file(const char *target) {
  char byte;
  const int file = open(target, O_RDONLY);
  return file >= 0 && read(file, &byte, 1) == 1;
}

static int create(const char *target) {
  const int file = open(target, O_CREAT | O_WRONLY, 0600);
  return file >= 0 && write(file, "here", 4) == 4;
}

static int connect_to_port(const char *target) {
  struct sockaddr_in address = {0};
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_port = htons((uint16_t)atoi(target));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return s >= 0 && connect(s, (struct sockaddr *)&address, sizeof address) == 0;
}

/* A socket with a name that is not a file's. */
static int connect_to_name(const char *target) {
  struct sockaddr_un address = {0};
  const int s = socket(AF_UNIX, SOCK_STREAM, 0);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path + 1, target, strlen(target));
  return s >= 0 &&
         connect(s, (struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(target))) == 0;
}

static int share_memory(const char *target) { return shmget((key_t)atoi(target), 4096, 0) >= 0; }

static int mount_something(const char *target) {
  return mount("tmpfs", target, "tmpfs", 0, NULL) == 0;
}

static int make_writable(const char *target) {
  return mount(NULL, target, NULL, MS_REMOUNT | MS_BIND, NULL) == 0 && create("/usr/attacked");
}

static int new_namespaces(const char *target) {
  (void)target;
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
}

static int new_session(const char *target) {
  (void)target;
  return fork() == 0 && setsid() > 0;
}

static int gain_rights(const char *target) {
  (void)target;
  return setresuid(12345, 12345, 12345) == 0;
}

/* So many processes at once. */
static int start_processes(const char *target) {
  int i;
  for (i = 0; i < atoi(target); ++i) {
    const pid_t child = fork();
    if (child < 0) return 0;
    if (child == 0) {
      while (1) pause();
    }
  }
  return 1;
}

/* "PROCESSES,MEBIBYTES": so much in each of so many processes at once. */
static int fill_memory(const char *target) {
  const size_t bytes = (size_t)(uintptr_t)address_in(target) << 20;
  int ready = 0, i, told[2];
  char byte = 0;
  if (pipe2(told, O_NONBLOCK) != 0) return 0;
  for (i = 0; i < atoi(target); ++i) {
    const pid_t child = fork();
    if (child < 0) return 0;
    if (child == 0) {
      char *const block = malloc(bytes);
      if (block == NULL) _exit(1);
      memset(block, 1, bytes);
      if (write(told[1], block, 1) != 1) _exit(1);
      while (1) pause();
    }
  }
  while (ready < atoi(target)) {
    if (waitpid(-1, NULL, WNOHANG) > 0) return 0;
    if (read(told[0], &byte, 1) == 1) ++ready;
    usleep(1000);
  }
  return 1;
}

static const struct {
  const char *name;
  int (*run)(const char *target);
} kAttacks[] = {{"patch_memory", patch_memory},
                {"read_memory", read_memory},
                {"trace", trace},
                {"take_descriptors", take_descriptors},
                {"limit_host", limit_host},
                {"overwrite", overwrite},
                {"read_file", read_file},
                {"create", create},
                {"connect_to_port", connect_to_port},
                {"connect_to_name", connect_to_name},
                {"share_memory", share_memory},
                {"mount", mount_something},
                {"make_writable", make_writable},
                {"new_namespaces", new_namespaces},
                {"new_session", new_session},
                {"gain_rights", gain_rights},
                {"start_processes", start_processes},
                {"fill_memory", fill_memory}};

static concord_status open_plugin(const char *config, void **backend, char *reason) {
  const char *colon = strchr(config, ':');
  size_t i;
  *backend = NULL;
  if (colon != NULL && strncmp(config, "kill:", 5) == 0) {
    /* Nobody but itself may end: if it survives, that was refused, or nobody was there. */
    kill(atoi(colon + 1), SIGKILL);
    kill(getppid(), SIGKILL);
    kill(1, SIGSTOP);
    return CONCORD_OK;
  }
  for (i = 0; colon != NULL && i < sizeof kAttacks / sizeof kAttacks[0]; ++i) {
    const char *name = kAttacks[i].name;
    if (strlen(name) != (size_t)(colon - config) || strncmp(config, name, strlen(name)) != 0) {
      continue;
    }
    if (!kAttacks[i].run(colon + 1)) return CONCORD_OK;
    snprintf(reason, CONCORD_TEXT, "got through");
    return CONCORD_FAULT;
  }
  snprintf(reason, CONCORD_TEXT, "there is no such attack");
  return CONCORD_FAULT;
}

static void close_plugin(void *backend) { (void)backend; }

static concord_status query(void *backend, const concord_problem *problem, concord_answer *answer) {
  (void)backend;
  (void)problem;
  snprintf(answer->reason, CONCORD_TEXT, "it computes nothing");
  return CONCORD_UNSUPPORTED;
}

static concord_status prepare(void *backend, const concord_problem *problem,
                              const concord_prepare_options *options, concord_prepared *prepared) {
  (void)backend;
  (void)problem;
  (void)options;
  (void)prepared;
  return CONCORD_FAULT;
}

static concord_status execute(void *backend, void *handle, const concord_execution *execution) {
  (void)backend;
  (void)handle;
  (void)execution;
  return CONCORD_FAULT;
}

static void release(void *backend, void *handle) {
  (void)backend;
  (void)handle;
}

static const concord_plugin kTable = {CONCORD_ABI, sizeof(concord_plugin),
                                      "attacker",  "1",
                                      open_plugin, close_plugin,
                                      query,       prepare,
                                      execute,     release,
                                      NULL};

const concord_plugin *concord_plugin_v1(void) { return &kTable; }
