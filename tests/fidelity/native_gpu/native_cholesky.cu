// Tile Cholesky with a precision for each tile on one GPU, for real: what `native_gpu.py` compares simulations with.
//
// One host thread gives ready tasks by priority to W workers, a stream each, with at most two tasks in each pipeline. A
// tile is copied from page-locked RAM when a task that needs it enters a pipeline; it stays on the GPU. Conversions are
// tasks, once for each precision that readers need. The matrix is the exponential covariance of n jittered grid points in Morton order.
//
// nvcc -O2 -std=c++17 -arch=native native_cholesky.cu -o native_cholesky -lcublas -lcusolver
// native_cholesky kernels NB...                      durations of kernels in a full pipeline, as CSV
// native_cholesky run NT NB WORKERS REPEATS RANGE [FORMAT...]   makespans and errors of the likelihood, as CSV
//   FORMAT: bands from the diagonal, "3:double,9:single,half"; the first one is the reference of the errors.
// With FACTOSIM_NATIVE_TASKS=FILE, `run` writes the tasks of the last run: kernel, k, m, n, worker, start and end in s.

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cusolverDn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <queue>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    int const status_ = static_cast<int>(call);                                           \
    if (status_ != 0) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s: status %d\n", __FILE__, __LINE__, #call, status_); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (false)

enum Precision { double_, single_, tf32, half_ };
char const* const precision_names[] = {"double", "single", "tf32", "half"};
std::size_t bytes_of(Precision p) { return p == double_ ? 8 : p == half_ ? 2 : 4; }

// ---- kernels -------------------------------------------------------------------------------------------------------

template <class To, class From>
__global__ void convert(To* to, From const* from, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
    to[i] = static_cast<To>(static_cast<float>(from[i]));
}
template <>
__global__ void convert(double* to, float const* from, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
    to[i] = from[i];
}

void convert_tile(void* to, Precision t, void const* from, Precision f, std::size_t n, cudaStream_t stream) {
  dim3 const grid(1056), block(256);
  auto const by = [&](auto* a, auto const* b) { convert<<<grid, block, 0, stream>>>(a, b, n); };
  auto const to_type = [&](auto const* b) {
    if (t == double_) by(static_cast<double*>(to), b);
    if (t == single_ || t == tf32) by(static_cast<float*>(to), b);
    if (t == half_) by(static_cast<__half*>(to), b);
  };
  if (f == double_) to_type(static_cast<double const*>(from));
  if (f == single_ || f == tf32) to_type(static_cast<float const*>(from));
  if (f == half_) to_type(static_cast<__half const*>(from));
}

__global__ void covariance(double* tile, double const* x, double const* y, int m, int n, int nb, double range) {
  for (std::size_t e = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; e < std::size_t(nb) * nb; e += std::size_t{gridDim.x} * blockDim.x) {
    int const i = m * nb + static_cast<int>(e % nb), j = n * nb + static_cast<int>(e / nb);
    tile[e] = exp(-hypot(x[i] - x[j], y[i] - y[j]) / range);
  }
}

/// A stream, its libraries and their work space.
struct Worker {
  cudaStream_t stream;
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  void *potrf_work, *scratch, *blas_work;
  int potrf_size, *info;

  explicit Worker(int nb) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cublasCreate(&blas));
    CHECK(cublasSetStream(blas, stream));
    CHECK(cudaMalloc(&blas_work, 32 << 20));
    CHECK(cublasSetWorkspace(blas, blas_work, 32 << 20));
    CHECK(cusolverDnCreate(&solver));
    CHECK(cusolverDnSetStream(solver, stream));
    CHECK(cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, nb, nullptr, nb, &potrf_size));
    CHECK(cudaMalloc(&potrf_work, 8 * std::size_t(potrf_size)));
    CHECK(cudaMalloc(&scratch, 4 * std::size_t(nb) * nb));
    CHECK(cudaMalloc(&info, sizeof(int)));
    CHECK(cudaMemset(info, 0, sizeof(int)));
  }
  void potrf(Precision p, void* a, int n) {
    if (p == double_)
      CHECK(cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, n, static_cast<double*>(a), n, static_cast<double*>(potrf_work), potrf_size, info));
    else
      CHECK(cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, n, static_cast<float*>(a), n, static_cast<float*>(potrf_work), 2 * potrf_size, info));
  }
  /// b = b a^-T; a is in single precision if b is in half.
  void trsm(Precision p, void const* a, void* b, int n) {
    double const one = 1;
    float const one_s = 1;
    if (p == double_)
      CHECK(cublasDtrsm(blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n, n, &one, static_cast<double const*>(a), n, static_cast<double*>(b), n));
    void* const solved = p == half_ ? scratch : b;
    if (p == half_) convert_tile(scratch, single_, b, half_, std::size_t(n) * n, stream);
    if (p != double_)
      CHECK(cublasStrsm(blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n, n, &one_s, static_cast<float const*>(a), n, static_cast<float*>(solved), n));
    if (p == half_) convert_tile(b, half_, scratch, single_, std::size_t(n) * n, stream);
  }
  void syrk(Precision p, void const* a, void* c, int n) {
    double const one = 1, minus = -1;
    float const one_s = 1, minus_s = -1;
    if (p == double_)
      CHECK(cublasDsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &minus, static_cast<double const*>(a), n, &one, static_cast<double*>(c), n));
    else
      CHECK(cublasSsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &minus_s, static_cast<float const*>(a), n, &one_s, static_cast<float*>(c), n));
  }
  void gemm(Precision p, void const* a, void const* b, void* c, int n) {
    double const one = 1, minus = -1;
    float const one_s = 1, minus_s = -1;
    if (p == double_)
      CHECK(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &minus, static_cast<double const*>(a), n, static_cast<double const*>(b), n, &one, static_cast<double*>(c), n));
    else if (p == single_)
      CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &minus_s, static_cast<float const*>(a), n, static_cast<float const*>(b), n, &one_s, static_cast<float*>(c), n));
    else {
      auto const type = p == half_ ? CUDA_R_16F : CUDA_R_32F;
      auto const arithmetic = p == half_ ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32;
      CHECK(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &minus_s, a, type, n, b, type, n, &one_s, c, type, n, arithmetic, CUBLAS_GEMM_DEFAULT));
    }
  }
};

// ---- the matrix and its tasks --------------------------------------------------------------------------------------

struct Data {
  Precision precision;
  void *ram = nullptr, *gpu = nullptr;
  bool present = false;
  cudaEvent_t arrived = nullptr;
};
struct Task {
  char kernel;  // p, t, s, g, c
  int k, m, n, priority;
  int reads[2], writes;
  int missing = 0;
  std::vector<int> next;
  int worker = 0;
  cudaEvent_t start = nullptr, end = nullptr;
};

struct Bands {
  std::vector<std::pair<int, Precision>> bands;
  explicit Bands(std::string const& text) {
    std::stringstream in(text);
    for (std::string part; std::getline(in, part, ',');) {
      auto const colon = part.find(':');
      std::string const name = colon == std::string::npos ? part : part.substr(colon + 1);
      int p = 0;
      while (p < 4 && name != precision_names[p]) ++p;
      if (p == 4) CHECK(1);
      bands.push_back({colon == std::string::npos ? 1 << 30 : std::stoi(part), Precision(p)});
    }
  }
  Precision at(int m, int n) const {
    for (auto const& [below, p] : bands)
      if (m - n < below) return p;
    return bands.back().second;
  }
};

struct Graph {
  std::vector<Data> data;
  std::vector<Task> tasks;
  std::map<std::tuple<int, int, int>, int> at;  // m, n, precision (-1: the tile)
  std::vector<int> last_write;

  int datum(int m, int n, int variant, Precision p) {
    auto const [it, is_new] = at.try_emplace({m, n, variant}, static_cast<int>(data.size()));
    if (is_new) {
      data.push_back({p});
      last_write.push_back(-1);
    }
    return it->second;
  }
  void add(char kernel, int k, int m, int n, int priority, int read0, int read1, int writes) {
    int const id = static_cast<int>(tasks.size());
    Task t{kernel, k, m, n, priority, {read0, read1}, writes};
    for (int const d : {read0, read1, writes}) {  // all readers of a tile come after its last write
      if (d < 0 || last_write[d] < 0) continue;
      tasks[last_write[d]].next.push_back(id);
      ++t.missing;
    }
    last_write[writes] = id;
    tasks.push_back(t);
  }
  /// The tile (m, n) for a reader in that precision: itself, or the copy that a conversion has made.
  int read(int m, int n, Precision p, Precision stored) const {
    return p == stored ? at.at({m, n, -1}) : at.at({m, n, p});
  }

  Graph(int nt, Bands const& f) {
    for (int n = 0; n < nt; ++n)
      for (int m = n; m < nt; ++m) datum(m, n, -1, f.at(m, n));
    auto const triangle = [&](Precision p) { return p == half_ ? single_ : p; };
    auto const conversions = [&](int k, int m, std::vector<Precision> const& wanted, int priority) {
      bool made[4] = {};
      for (Precision const p : wanted) {
        if (p == f.at(m, k) || made[p]) continue;
        made[p] = true;
        add('c', k, m, p, priority, at.at({m, k, -1}), -1, datum(m, k, p, p));
      }
    };
    for (int k = 0; k < nt; ++k) {
      int const base = 2 * (nt - k);
      add('p', k, k, k, base, -1, -1, at.at({k, k, -1}));
      std::vector<Precision> wanted;
      for (int m = k + 1; m < nt; ++m) wanted.push_back(triangle(f.at(m, k)));
      conversions(k, k, wanted, base);
      for (int m = k + 1; m < nt; ++m) {
        add('t', k, m, k, base - m, read(k, k, triangle(f.at(m, k)), f.at(k, k)), -1, at.at({m, k, -1}));
        wanted = {f.at(m, m)};
        for (int n = k + 1; n < m; ++n) wanted.push_back(f.at(m, n));
        for (int i = m + 1; i < nt; ++i) wanted.push_back(f.at(i, m));
        conversions(k, m, wanted, base - m);
      }
      for (int m = k + 1; m < nt; ++m) {
        add('s', k, m, m, base - m, read(m, k, f.at(m, m), f.at(m, k)), -1, at.at({m, m, -1}));
        for (int n = k + 1; n < m; ++n)
          add('g', k, m, n, base - m - n, read(m, k, f.at(m, n), f.at(m, k)), read(n, k, f.at(m, n), f.at(n, k)), at.at({m, n, -1}));
      }
    }
  }
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Executes the graph; returns the seconds from the first submission to the end of the last task.
double execute(Graph& g, std::vector<Worker>& workers, cudaStream_t copies, int nb) {
  struct Less {
    Graph const* g;
    bool operator()(int a, int b) const {
      return std::pair(g->tasks[a].priority, -a) < std::pair(g->tasks[b].priority, -b);
    }
  };
  std::priority_queue<int, std::vector<int>, Less> ready(Less{&g});
  for (int t = 0; t < static_cast<int>(g.tasks.size()); ++t)
    if (g.tasks[t].missing == 0) ready.push(t);
  std::size_t const elements = std::size_t(nb) * nb;
  std::vector<std::deque<int>> pipeline(workers.size());
  auto const launch = [&](int id, int w) {
    Task& t = g.tasks[id];
    Worker& on = workers[w];
    t.worker = w;
    for (int const d : {t.reads[0], t.reads[1], t.writes}) {
      if (d < 0) continue;
      Data& datum = g.data[d];
      if (!datum.present) {
        datum.present = true;
        if (datum.ram != nullptr) {
          CHECK(cudaMemcpyAsync(datum.gpu, datum.ram, bytes_of(datum.precision) * elements, cudaMemcpyHostToDevice, copies));
          CHECK(cudaEventRecord(datum.arrived, copies));
        }
      }
      if (datum.ram != nullptr) CHECK(cudaStreamWaitEvent(on.stream, datum.arrived, 0));
    }
    CHECK(cudaEventRecord(t.start, on.stream));
    Data &out = g.data[t.writes], *const a = t.reads[0] < 0 ? nullptr : &g.data[t.reads[0]],
         *const b = t.reads[1] < 0 ? nullptr : &g.data[t.reads[1]];
    if (t.kernel == 'p') on.potrf(out.precision, out.gpu, nb);
    if (t.kernel == 't') on.trsm(out.precision, a->gpu, out.gpu, nb);
    if (t.kernel == 's') on.syrk(out.precision, a->gpu, out.gpu, nb);
    if (t.kernel == 'g') on.gemm(out.precision, a->gpu, b->gpu, out.gpu, nb);
    if (t.kernel == 'c') convert_tile(out.gpu, out.precision, a->gpu, a->precision, elements, on.stream);
    CHECK(cudaEventRecord(t.end, on.stream));
    pipeline[w].push_back(id);
  };
  double const begin = now();
  std::size_t done = 0;
  while (done < g.tasks.size()) {
    for (std::size_t depth = 0; depth < 2; ++depth)
      for (std::size_t w = 0; w < workers.size(); ++w)
        if (pipeline[w].size() <= depth && !ready.empty()) {
          int const id = ready.top();
          ready.pop();
          launch(id, static_cast<int>(w));
        }
    for (auto& running : pipeline) {
      if (running.empty() || cudaEventQuery(g.tasks[running.front()].end) != cudaSuccess) continue;
      for (int const next : g.tasks[running.front()].next)
        if (--g.tasks[next].missing == 0) ready.push(next);
      running.pop_front();
      ++done;
    }
  }
  return now() - begin;
}

// ---- the likelihood ------------------------------------------------------------------------------------------------

std::uint64_t spread(std::uint64_t v) {
  std::uint64_t out = 0;
  for (int b = 0; b < 16; ++b) out |= ((v >> b) & 1) << (2 * b);
  return out;
}
void locations(int n, std::vector<double>& x, std::vector<double>& y) {
  int const side = static_cast<int>(std::ceil(std::sqrt(n)));
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> jitter(-0.4, 0.4);
  std::vector<std::tuple<std::uint64_t, double, double>> points;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      double const a = (i + 0.5 + jitter(random)) / side, b = (j + 0.5 + jitter(random)) / side;
      points.emplace_back(spread(std::uint64_t(a * 65536)) | spread(std::uint64_t(b * 65536)) << 1, a, b);
    }
  std::sort(points.begin(), points.end());
  for (int i = 0; i < n; ++i) {
    x.push_back(std::get<1>(points[i]));
    y.push_back(std::get<2>(points[i]));
  }
}

struct Likelihood {
  double log_determinant = 0, quadratic = 0;
};

/// Of the factor on the GPU; z is on the host. With `make`, z becomes L times itself first, data of the model itself.
Likelihood likelihood(Graph const& g, Worker& w, int nt, int nb, std::vector<double>& z, bool make) {
  std::size_t const elements = std::size_t(nb) * nb, n = std::size_t(nt) * nb;
  double *tile, *in, *out, one = 1, minus = -1;
  CHECK(cudaMalloc(&tile, 8 * elements));
  CHECK(cudaMalloc(&in, 8 * n));
  CHECK(cudaMalloc(&out, 8 * n));
  auto const load = [&](int m, int k) {
    Data const& d = g.data[g.at.at({m, k, -1})];
    if (d.precision == double_) return static_cast<double*>(d.gpu);
    convert_tile(tile, double_, d.gpu, d.precision, elements, w.stream);
    return tile;
  };
  if (make) {
    CHECK(cudaMemcpy(in, z.data(), 8 * n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(out, in, 8 * n, cudaMemcpyDeviceToDevice));
    for (int m = 0; m < nt; ++m) {
      CHECK(cublasDtrmv(w.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, nb, load(m, m), nb, out + std::size_t(m) * nb, 1));
      for (int k = 0; k < m; ++k)
        CHECK(cublasDgemv(w.blas, CUBLAS_OP_N, nb, nb, &one, load(m, k), nb, in + std::size_t(k) * nb, 1, &one, out + std::size_t(m) * nb, 1));
    }
    CHECK(cudaStreamSynchronize(w.stream));
    CHECK(cudaMemcpy(z.data(), out, 8 * n, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(out, z.data(), 8 * n, cudaMemcpyHostToDevice));
  Likelihood l;
  std::vector<double> diagonal(nb);
  for (int k = 0; k < nt; ++k) {
    double const* const a = load(k, k);
    CHECK(cublasDtrsv(w.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, nb, a, nb, out + std::size_t(k) * nb, 1));
    CHECK(cudaStreamSynchronize(w.stream));
    CHECK(cudaMemcpy2D(diagonal.data(), 8, a, 8 * (std::size_t(nb) + 1), 8, nb, cudaMemcpyDeviceToHost));
    for (double const d : diagonal) l.log_determinant += 2 * std::log(d);
    for (int m = k + 1; m < nt; ++m)
      CHECK(cublasDgemv(w.blas, CUBLAS_OP_N, nb, nb, &minus, load(m, k), nb, out + std::size_t(k) * nb, 1, &one, out + std::size_t(m) * nb, 1));
  }
  std::vector<double> y(n);
  CHECK(cudaStreamSynchronize(w.stream));
  CHECK(cudaMemcpy(y.data(), out, 8 * n, cudaMemcpyDeviceToHost));
  for (double const v : y) l.quadratic += v * v;
  for (void* const p : {static_cast<void*>(tile), static_cast<void*>(in), static_cast<void*>(out)}) CHECK(cudaFree(p));
  return l;
}

// ---- commands ------------------------------------------------------------------------------------------------------

int run(int nt, int nb, int worker_count, int repeats, double range, std::vector<std::string> const& formats) {
  std::size_t const n = std::size_t(nt) * nb, elements = std::size_t(nb) * nb, tiles = std::size_t(nt) * (nt + 1) / 2;
  std::vector<Worker> workers;
  for (int w = 0; w < worker_count; ++w) workers.emplace_back(nb);
  cudaStream_t copies;
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  std::vector<double> x, y;
  locations(static_cast<int>(n), x, y);
  double *gx, *gy, *fresh;
  char *ram, *gpu;
  CHECK(cudaMalloc(&gx, 8 * n));
  CHECK(cudaMalloc(&gy, 8 * n));
  CHECK(cudaMalloc(&fresh, 8 * elements));
  CHECK(cudaMemcpy(gx, x.data(), 8 * n, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(gy, y.data(), 8 * n, cudaMemcpyHostToDevice));
  CHECK(cudaMallocHost(&ram, 8 * elements * tiles));
  std::size_t const gpu_bytes = 16 * elements * tiles;  // tiles and their copies
  CHECK(cudaMalloc(&gpu, gpu_bytes));
  std::vector<double> z(n);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (double& v : z) v = normal(random);
  double reference = 0;
  bool made = false;
  for (std::string const& format : formats)
    for (int r = 0; r < repeats; ++r) {
      Bands const bands(format);
      Graph g(nt, bands);
      std::size_t in_ram = 0, on_gpu = 0;
      for (auto const& [key, d] : g.at) {
        auto const [m, k, variant] = key;
        Data& datum = g.data[d];
        std::size_t const bytes = bytes_of(datum.precision) * elements;
        datum.gpu = gpu + on_gpu;
        on_gpu += bytes;
        if (on_gpu > gpu_bytes) CHECK(1);
        if (variant != -1) continue;
        datum.ram = ram + in_ram;
        in_ram += bytes;
        CHECK(cudaEventCreateWithFlags(&datum.arrived, cudaEventDisableTiming));
        covariance<<<1056, 256, 0, copies>>>(fresh, gx, gy, m, k, nb, range);
        convert_tile(datum.gpu, datum.precision, fresh, double_, elements, copies);
        if (datum.precision == double_) CHECK(cudaMemcpyAsync(datum.gpu, fresh, bytes, cudaMemcpyDeviceToDevice, copies));
        CHECK(cudaMemcpyAsync(datum.ram, datum.gpu, bytes, cudaMemcpyDeviceToHost, copies));
        CHECK(cudaStreamSynchronize(copies));
      }
      std::size_t conversions = 0;
      for (Task& t : g.tasks) {
        conversions += t.kernel == 'c';
        CHECK(cudaEventCreate(&t.start));
        CHECK(cudaEventCreate(&t.end));
      }
      CHECK(cudaDeviceSynchronize());
      double const seconds = execute(g, workers, copies, nb);
      int broken = 0;
      for (Worker& w : workers) {
        int info = 0;
        CHECK(cudaMemcpy(&info, w.info, sizeof info, cudaMemcpyDeviceToHost));
        broken |= info;
      }
      double busy = 0;
      for (Task const& t : g.tasks) {
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, t.start, t.end));
        busy += 1e-3 * ms;
      }
      double error = -1;
      Likelihood l;
      if (r == 0) {
        l = likelihood(g, workers[0], nt, nb, z, !made);
        double const value = -0.5 * (double(n) * std::log(2 * 3.14159265358979323846) + l.log_determinant + l.quadratic);
        if (!made) reference = value;
        made = true;
        error = std::abs(value - reference) / std::abs(reference);
      }
      std::printf("\"%s\",%d,%d,%d,%d,%zu,%zu,%.6f,%.6f,%.3g,%.10g,%.10g,%.3g,%d\n", format.c_str(), nt, nb, worker_count, r, g.tasks.size(), conversions, seconds, busy, range, l.log_determinant, l.quadratic, error, broken);
      std::fflush(stdout);
      char const* const file = std::getenv("FACTOSIM_NATIVE_TASKS");
      if (file != nullptr && format == formats.back() && r + 1 == repeats) {
        std::FILE* const out = std::fopen(file, "w");
        std::fprintf(out, "kernel,k,m,n,worker,start,end\n");
        for (Task const& t : g.tasks) {
          float start = 0, end = 0;
          CHECK(cudaEventElapsedTime(&start, g.tasks[0].start, t.start));
          CHECK(cudaEventElapsedTime(&end, g.tasks[0].start, t.end));
          std::fprintf(out, "%c,%d,%d,%d,%d,%.6f,%.6f\n", t.kernel, t.k, t.m, t.n, t.worker, 1e-3 * start, 1e-3 * end);
        }
        std::fclose(out);
      }
      for (Task& t : g.tasks) {
        CHECK(cudaEventDestroy(t.start));
        CHECK(cudaEventDestroy(t.end));
      }
      for (Data& d : g.data)
        if (d.arrived != nullptr) CHECK(cudaEventDestroy(d.arrived));
    }
  return 0;
}

/// Mean durations over `seconds` of kernels that follow each other on tiles that rotate through 1 GiB; potrf on fresh tiles.
void time_kernels(int nb, double seconds) {
  Worker w(nb);
  std::size_t const elements = std::size_t(nb) * nb, sets = std::max<std::size_t>(3, (std::size_t{1} << 30) / (24 * elements));
  char* memory;
  CHECK(cudaMalloc(&memory, 24 * elements * sets));
  std::vector<double> host(elements);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(-0.5, 0.5);
  for (std::size_t j = 0; j < std::size_t(nb); ++j)
    for (std::size_t i = 0; i < std::size_t(nb); ++i) host[i + j * nb] = i == j ? nb : i > j ? number(random) : host[j + i * nb];
  double* fresh;
  float* triangle;
  CHECK(cudaMalloc(&fresh, 8 * elements));
  CHECK(cudaMalloc(&triangle, 4 * elements));
  CHECK(cudaMemcpy(fresh, host.data(), 8 * elements, cudaMemcpyHostToDevice));
  convert_tile(triangle, single_, fresh, double_, elements, w.stream);
  auto const tile = [&](std::size_t set, int i) { return memory + 8 * elements * (3 * (set % sets) + i); };
  auto const restore = [&](Precision p) {
    for (std::size_t s = 0; s < sets; ++s)
      for (int i = 0; i < 3; ++i) {
        convert_tile(tile(s, i), p, fresh, double_, elements, w.stream);
        if (p == double_) CHECK(cudaMemcpyAsync(tile(s, i), fresh, 8 * elements, cudaMemcpyDeviceToDevice, w.stream));
      }
    CHECK(cudaStreamSynchronize(w.stream));
  };
  cudaEvent_t start, end;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  auto const time = [&](char const* name, Precision p, char const* other, auto kernel) {
    restore(p);
    kernel(0);
    CHECK(cudaStreamSynchronize(w.stream));
    double total = 0;
    long count = 0;
    std::vector<double> means;
    while (total < seconds) {
      restore(p);
      CHECK(cudaEventRecord(start, w.stream));
      for (std::size_t s = 0; s < sets; ++s) kernel(s);
      CHECK(cudaEventRecord(end, w.stream));
      CHECK(cudaEventSynchronize(end));
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, start, end));
      total += 1e-3 * ms;
      count += static_cast<long>(sets);
      means.push_back(1e-3 * ms / double(sets));
    }
    double const mean = total / double(count);
    std::printf("%s,%s,%s,%d,%.9f,%ld\n", name, precision_names[p], other, nb, mean, count);
    std::fflush(stdout);
  };
  for (Precision const p : {double_, single_, tf32, half_}) {
    time("gemm", p, "", [&](std::size_t s) { w.gemm(p, tile(s, 0), tile(s, 1), tile(s, 2), nb); });
    time("trsm", p, "", [&](std::size_t s) { w.trsm(p, p == half_ ? static_cast<void*>(triangle) : tile(s, 0), tile(s, 1), nb); });
    if (p != double_ && p != single_) continue;
    time("syrk", p, "", [&](std::size_t s) { w.syrk(p, tile(s, 0), tile(s, 1), nb); });
    time("potrf", p, "", [&](std::size_t s) { w.potrf(p, tile(s, 0), nb); });
  }
  for (auto const [from, to] : {std::pair(double_, single_), std::pair(single_, double_), std::pair(double_, half_), std::pair(half_, double_), std::pair(single_, half_), std::pair(half_, single_)}) {
    Precision const f = from, t = to;
    time("convert", t, precision_names[f], [&](std::size_t s) { convert_tile(tile(s, 1), t, tile(s, 0), f, elements, w.stream); });
  }
  for (void* const p : {static_cast<void*>(memory), static_cast<void*>(fresh), static_cast<void*>(triangle)}) CHECK(cudaFree(p));
}

int main(int count, char** arguments) {
  std::vector<std::string> const a(arguments + 1, arguments + count);
  if (a.size() >= 2 && a[0] == "kernels") {
    std::printf("kernel,precision,from,nb,mean_s,executions\n");
    for (std::size_t i = 1; i < a.size(); ++i) time_kernels(std::stoi(a[i]), 0.3);
    return 0;
  }
  if (a.size() >= 7 && a[0] == "run") {
    std::printf("format,nt,nb,workers,repeat,tasks,conversions,seconds,kernels_s,range,log_determinant,quadratic,error,broken\n");
    return run(std::stoi(a[1]), std::stoi(a[2]), std::stoi(a[3]), std::stoi(a[4]), std::stod(a[5]), {a.begin() + 6, a.end()});
  }
  std::fprintf(stderr, "see the head of native_cholesky.cu\n");
  return 2;
}
