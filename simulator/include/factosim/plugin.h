/*
 * The interface between factosim and plug-ins: shared libraries with a policy, a distribution, or both, which a
 * scenario names by their path. It is C, so that a plug-in may be built by any compiler and outlives versions of
 * factosim: a struct only grows at its end, and `size` says which members it has. C++: see plugin.hpp.
 *
 * Functions must not throw, must not write to standard output, and must return the same for the same sequence of
 * calls: results would not be reproducible otherwise. All calls for one run come from one thread.
 */
#ifndef FACTOSIM_PLUGIN_H
#define FACTOSIM_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FACTOSIM_EXPORT __attribute__((visibility("default")))

/* ---- keys that a plug-in adds to its object in the scenario ---- */

typedef enum factosim_kind {
  FACTOSIM_BOOLEAN = 0, /* 0 or 1 in `number` */
  FACTOSIM_INTEGER = 1, /* in `number` */
  FACTOSIM_NUMBER = 2,
  FACTOSIM_TEXT = 3,
  FACTOSIM_NUMBERS = 4 /* an array; without a default it is empty */
} factosim_kind;

typedef struct factosim_key {
  char const* name; /* carries its unit: "window_s" */
  char const* meaning;
  factosim_kind kind;
  double default_number;
  double minimum, maximum;  /* of an integer, a number, or each of an array; both 0: any */
  char const* default_text; /* of a text; NULL: empty */
} factosim_key;

/* The value of one key. */
typedef struct factosim_value {
  double number;
  char const* text;
  double const* numbers;
  size_t count; /* of `numbers` */
} factosim_value;

/* Where a plug-in says what is wrong. */
typedef struct factosim_problem {
  int32_t key;    /* number of the key in its table; -1: none */
  char text[500]; /* "problem (why). what to do", with its final 0 */
} factosim_problem;

/* ---- policies ---- */

typedef struct factosim_worker {
  uint32_t memory;     /* its memory node; 0 is the RAM */
  int32_t is_gpu;      /* GPUs come first */
  double busy_power_W; /* above idle while a kernel runs; 0: unknown */
} factosim_worker;

/* Data of a task that is missing on a memory node, in bytes. */
typedef struct factosim_readiness {
  int64_t missing;       /* read by the task and not valid there */
  int64_t not_loading;   /* the part of `missing` that no transfer brings */
  int64_t not_allocated; /* without memory there */
} factosim_readiness;

/* The task graph of the whole run, for policies that plan ahead. */
typedef struct factosim_graph {
  size_t size;
  uint32_t tasks, kernels, handles;
  char const* const* kernel_name;  /* [kernels] */
  uint16_t const* kernel;          /* [tasks] */
  int32_t const* priority;         /* [tasks] higher is more urgent */
  uint32_t const* successor_begin; /* [tasks + 1] into successor */
  uint32_t const* successor;
  uint32_t const* predecessors; /* [tasks] number of incoming edges */
  uint32_t const* access_begin; /* [tasks + 1] into access */
  uint32_t const* access;       /* handle * 4 + (1: read) + (2: write) */
  int64_t const* handle_bytes;  /* [handles] */
} factosim_graph;

/* A node as a policy sees it. Pointers stay valid until the policy is destroyed, durations until the next call. */
typedef struct factosim_node {
  size_t size;
  void* self; /* the first argument of all functions */
  uint32_t worker_count, memory_count;
  factosim_worker const* workers;
  double (*now_s)(void* self);
  int32_t (*priority)(void* self, uint32_t task);
  /* [workers] mean duration of the task in seconds; infinity where it cannot run. */
  double const* (*durations_s)(void* self, uint32_t task);
  /* Fills [memories] with the predicted time to bring all data that the task reads there. */
  void (*predict_transfers_s)(void* self, uint32_t task, double* seconds);
  factosim_readiness (*readiness)(void* self, uint32_t task, uint32_t memory);
  /* Whether the task runs on this node. */
  int32_t (*runs_here)(void* self, uint32_t task);
  /* Predicted time of a copy between two memory nodes that is alone on the bus. */
  double (*copy_time_s)(void* self, uint32_t from, uint32_t to, int64_t bytes);
  factosim_graph const* (*graph)(void* self);
  /* Replicas are the data of the node, its own and received ones. */
  uint32_t (*replica_count)(void* self);
  /* The replica that the task accesses by a parameter, from 0. */
  uint32_t (*replica)(void* self, uint32_t task, uint32_t parameter);
  /* Whether a valid copy is in that memory node or was requested. */
  int32_t (*is_present)(void* self, uint32_t replica, uint32_t memory);
  /* Predicted time to bring a copy there; 0 if it is present. */
  double (*transfer_s)(void* self, uint32_t replica, uint32_t memory);
} factosim_node;

/* Results of `push` besides the number of the worker that will run the task. */
#define FACTOSIM_FIRST_IDLE (-1) /* wakes the first idle worker that can run it */
#define FACTOSIM_ALL_IDLE (-2)   /* wakes all idle workers */
#define FACTOSIM_NO_TASK (-1)    /* result of `pop` */

/* What a policy does; a sum. */
#define FACTOSIM_PREFETCHES 1       /* operands of a task are brought to its worker before that pops it */
#define FACTOSIM_SHARES_TASKS 2     /* a worker may pop a task that was not assigned to it */
#define FACTOSIM_KNOWS_PRIORITIES 4 /* without it all tasks and transfers have one priority */

/* A policy. A library offers it as `factosim_policy_1`. */
typedef struct factosim_policy {
  size_t size;
  char const* description; /* one line */
  factosim_key const* keys;
  size_t key_count;
  /* Checks the values [keys]: returns 0 if they fit together, else fills `problem`. May be NULL. */
  int32_t (*check)(factosim_value const* values, factosim_problem* problem);
  /* Makes the policy of one node. Returns NULL and fills `problem` if it cannot. */
  void* (*create)(factosim_node const* node, factosim_value const* values, factosim_problem* problem);
  void (*destroy)(void* policy);
  uint32_t (*traits)(void* policy); /* the sum of what it does; asked once */
  /* A task became ready; `pusher` is the worker that made it ready, -1: none. Returns the worker that will run it,
     or FACTOSIM_FIRST_IDLE, or FACTOSIM_ALL_IDLE. */
  int32_t (*push)(void* policy, uint32_t task, int32_t pusher);
  /* Removes and returns the next task of a worker; FACTOSIM_NO_TASK if there is none for it. */
  int64_t (*pop)(void* policy, uint32_t worker);
  /* The kernel of a popped task starts, or ends, on its worker. May be NULL. */
  void (*started)(void* policy, uint32_t worker, uint32_t task);
  void (*finished)(void* policy, uint32_t worker, uint32_t task);
} factosim_policy;

/* ---- distributions ---- */

typedef struct factosim_matrix {
  size_t size;
  int32_t rows, columns; /* tiles */
  int32_t lower_only;    /* only the lower triangle is stored */
  int32_t nodes;
  double const* speeds; /* [nodes] tile updates per second of all workers of the node; NULL: not known */
} factosim_matrix;

/* A distribution. A library offers it as `factosim_distribution_1`. */
typedef struct factosim_distribution {
  size_t size;
  char const* description; /* one line */
  factosim_key const* keys;
  size_t key_count;
  int32_t (*check)(factosim_value const* values, factosim_problem* problem); /* as of a policy */
  /* Fills owner [rows][columns] with node numbers from 0. Returns 0, or fills `problem`. */
  int32_t (*owners)(factosim_matrix const* matrix, factosim_value const* values, int32_t* owner,
                    factosim_problem* problem);
} factosim_distribution;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
