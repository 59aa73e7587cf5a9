#include "models/starpu_perfmodel.hpp"

#include "models/starpu_history.hpp"
#include "models/starpu_symbol.hpp"
#include "tests/models/model_folder.hpp"

namespace factosim {

using namespace testing;

namespace {

/// Returns the text of the only finding, without the folder.
std::string only_finding(StarpuImport const& import, TemporaryFolder const& folder) {
  if (import.findings.size() != 1) return fmt::format("{} findings", import.findings.size());
  return import.findings[0].text().substr(folder.path().string().size() + 1);
}

std::string history_error(std::string const& text) {
  TemporaryFolder folder;
  auto const file = folder.write("s.host", text);
  std::string const message = message_of([&] { read_starpu_history(file); });
  return message.starts_with(file.string()) ? message.substr(file.string().size()) : message;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("names of StarPU and Chameleon models give kernel and application and precision") {
    struct Claim {
      char const* symbol;
      char const* kernel;
      char const* application;
      Precision precision;
      int tiles;
    };
    using enum Precision;
    for (Claim const& c :
         {Claim{"starpu_dlu_lu_model_getrf", "getrf", "lu", double_, 1},
          Claim{"starpu_dlu_lu_model_11", "getrf", "lu", double_, 1},
          Claim{"starpu_slu_lu_model_12", "trsm_ll", "lu", single_, 2},
          Claim{"starpu_dlu_lu_model_21_atlas", "trsm_ru", "lu", double_, 2},
          Claim{"starpu_dlu_lu_model_trsm_ll_openblas", "trsm_ll", "lu", double_, 2},
          Claim{"starpu_slu_lu_model_22", "gemm", "lu", single_, 3},
          Claim{"chol_model_11", "potrf", "cholesky", single_, 1},
          Claim{"chol_model_21", "trsm", "cholesky", single_, 2},
          Claim{"chol_model_22", "gemm", "cholesky", single_, 3},
          Claim{"chol_model_syrk_goto", "syrk", "cholesky", single_, 2},
          Claim{"dgemm", "gemm", "", double_, 3}, Claim{"spotrf", "potrf", "", single_, 1},
          Claim{"dgetrf_nopiv", "getrf", "", double_, 1}, Claim{"dtpmqrt", "tpmqrt", "", double_, 3},
          Claim{"dlacpy", "lacpy", "", double_, 2}, Claim{"dcmg", "dcmg", "", double_, 1},
          Claim{"starpu_sgemm_gemm", "gemm", "gemm", single_, 3}}) {
      CAPTURE(c.symbol);
      auto const symbol = parse_starpu_symbol(c.symbol);
      REQUIRE(symbol.has_value());
      CHECK(symbol->kernel == c.kernel);
      CHECK(symbol->application == c.application);
      CHECK(symbol->precision == c.precision);
      CHECK(symbol->tiles == c.tiles);
    }
    for (char const* unknown :
         {"overlap_sleep_1024_24", "zgemm", "dgetrf", "chol_model_", "chol_model_112", "gemm", ""})
      CHECK_FALSE(parse_starpu_symbol(unknown).has_value());
  }

  TEST_CASE("the tile size follows from the bytes of one task") {
    auto const nb = [](char const* symbol, std::int64_t bytes) {
      return TileSizes().of(*parse_starpu_symbol(symbol), {bytes});
    };
    CHECK(nb("dgemm", 3 * 960 * 960 * 8) == 960);
    CHECK(nb("chol_model_gemm", 3 * 960 * 960 * 4) == 960);
    CHECK(nb("dgemm", 3 * 960 * 960 * 4) == std::nullopt);
    CHECK(nb("dgemm", 3 * 960 * 960 * 8 + 8) == std::nullopt);
    CHECK(nb("dgemm", 3 * 960 * 960 * 8 + 1) == std::nullopt);
    CHECK(nb("dgemm", 0) == std::nullopt);
    // QR: n tiles and one block of rows of factors, 192 if no other kernel tells how many.
    CHECK(nb("dgeqrt", (960 * 960 + 192 * 960) * 8) == 960);
    CHECK(nb("dtpmqrt", (3 * 1600 * 1600 + 192 * 1600) * 8) == 1600);
    CHECK(nb("dormqr", 8855040) == std::nullopt);  // a column instead of a tile
    TileSizes sizes;
    for (int const size : {320, 960}) {
      sizes.add(*parse_starpu_symbol("dgeqrt"), {(size * size + 48 * size) * 8});
      sizes.add(*parse_starpu_symbol("dtpmqrt"), {(3 * size * size + 48 * size) * 8});
    }
    CHECK(sizes.of(*parse_starpu_symbol("dormqr"), {(2 * 960 * 960 + 48 * 960) * 8}) == 960);
    CHECK(sizes.of(*parse_starpu_symbol("dgeqrt"), {(320 * 320 + 48 * 320) * 8}) == 320);
    CHECK(sizes.of(*parse_starpu_symbol("sgeqrt"), {(320 * 320 + 48 * 320) * 4}) == std::nullopt);
  }

  TEST_CASE("a model file gives seconds and workers without findings") {
    ModelFolder f;
    auto const import = f.read_one(
        "starpu_dlu_lu_model_gemm",
        model_file({combination(1, 0, {entry(3, 320, 8, 200), entry(3, 960, 8, 5825.821)}),
                    combination(0, 0, {entry(3, 960, 8, 174755.6, 77, 1500), entry(3, 320, 8, 6500)})}));
    CHECK(import.findings.empty());
    CHECK(import.model.machine == "host");
    CHECK_FALSE(import.model.estimate);
    REQUIRE(import.model.timings.size() == 4);
    CHECK(import.model.duration("gemm", "lu", Precision::double_, "cpu", 960, {0}) == Seconds{0.1747556});
    CHECK(import.model.duration("gemm", "lu", Precision::double_, "cuda0", 960, {0}) == Seconds{0.005825821});
    CHECK(import.model.timings[2].samples == 77);
    CHECK(import.model.timings[2].deviation == Seconds{0.0015});
  }

  TEST_CASE("any folder from ~/.starpu down to the files is read and of several versions the latest") {
    std::string const text = model_file({combination(0, 0, {entry(3, 320, 8, 6500)})});
    TemporaryFolder home;
    home.write(".starpu/sampling/codelets/45/dgemm.h", text);
    home.write(".starpu/sampling/codelets/44/dgemm.h", "never read");
    for (char const* const folder :
         {".starpu", ".starpu/sampling", ".starpu/sampling/codelets", ".starpu/sampling/codelets/45"}) {
      CAPTURE(folder);
      CHECK(read_starpu_models({home.path() / folder}, {}).findings.empty());
      CHECK(read_starpu_models({home.path() / folder}, {}).model.timings.size() == 1);
    }
    CHECK(testing::contains(message_of([&] { read_starpu_models({home.path() / "nowhere"}, {}); }),
                            "is neither a folder"));
  }

  TEST_CASE("versions 42 to 44 are read") {
    std::string const regression = "0 0 0 0 nan nan 0 0 0\nnan nan nan\n";
    std::string const cpu = entry(3, 320, 8, 6500);
    std::string const together = entry(3, 320, 8, 3300);
    std::string const gpu = entry(3, 320, 8, 200);
    // CPUs: one device, on which one core or two run a task; two GPUs, the first unused; OpenCL, MIC, SCC.
    std::string const old = "1\n2\n1\n1\n" + regression + cpu + "1\n1\n" + regression + together +
                            "2\n1\n0\n1\n1\n1\n" + regression + gpu + "0\n0\n0\n";
    std::string const combinations =
        "2\n1\n0\n0\n1\n1\n1\n" + regression + cpu + "1\n1\n1\n1\n1\n1\n" + regression + gpu;
    for (std::string const& text : {"42\n" + old, "43\n" + old, "44\n" + combinations}) {
      CAPTURE(text);
      ModelFolder f;
      auto const import = f.read_one("dgemm", text);
      CHECK(import.model.timings.size() == 2);
      CHECK(import.model.duration("gemm", "", Precision::double_, "cpu", 320, {0}) == Seconds{0.0065});
      CHECK(import.model.duration("gemm", "", Precision::double_, "cuda1", 320, {0}) == Seconds{0.0002});
    }
    TemporaryFolder folder;
    auto const multiple = read_starpu_history(
        folder.write("m.h", "44\n1\n1\n0\n0\n1\n1\n1\n" + regression + "2\n1.5 2.5\n" + cpu));
    CHECK(multiple.architectures.at(0).entries.at(0).mean_us == 6500);
  }

  TEST_CASE("Cholesky models from before syrk had a codelet serve gemm and syrk") {
    ModelFolder f;
    auto const old = f.read_one("chol_model_22", model_file({combination(0, 0, {entry(3, 320, 4, 700)}),
                                                             combination(1, 0, {entry(3, 320, 4, 70)})}));
    for (char const* const kernel : {"gemm", "syrk"}) {
      CHECK(old.model.duration(kernel, "cholesky", Precision::single_, "cpu", 320, {0}) == Seconds{0.0007});
      CHECK(old.model.duration(kernel, "cholesky", Precision::single_, "cuda0", 320, {0}) ==
            Seconds{0.00007});
    }
    CHECK(old.model.findings ==
          std::vector<std::string>{"chol_model_22.host: its timings of gemm are taken for syrk "
                                   "too, which this version of StarPU ran with the same "
                                   "codelet"});
    f.folder.write("chol_model_syrk.host", model_file({combination(0, 0, {entry(2, 320, 4, 400)})}));
    auto const both = f.read();
    CHECK(both.model.duration("syrk", "cholesky", Precision::single_, "cpu", 320, {0}) == Seconds{0.0004});
    CHECK_FALSE(both.model.duration("syrk", "cholesky", Precision::single_, "cuda0", 320, {0}).has_value());
  }

  TEST_CASE("a damaged file is left out with a lasting finding and refused if no other is sound") {
    ModelFolder f;
    std::string const sound = model_file({combination(0, 0, {entry(3, 320, 8, 6500)})});
    std::string damaged = sound;
    damaged.replace(damaged.find("nan nan nan"), 11, "nan nan");
    f.folder.write("dtrsm.host", damaged);
    CHECK(message_of([&] { f.read(); }).starts_with((f.folder.path() / "dtrsm.host").string() + "#line "));
    auto const import = f.read_one("dgemm", sound);
    CHECK(import.model.timings.size() == 1);
    REQUIRE(import.model.findings.size() == 1);
    CHECK(import.model.findings[0].starts_with("dtrsm.host: left out, it cannot be read (#line "));
  }

  TEST_CASE("a folder without any usable timing is an error") {
    ModelFolder f;
    f.folder.write("mystery.host", "never read");
    CHECK(testing::contains(message_of([&] { f.read(); }), "no performance models (files are called"));
    CHECK(testing::contains(
        message_of([&] { f.read({.host = "host", .machine = "", .provenance = "", .devices = {}}); }),
        "no usable timing in 1 performance models of host \"host\""));
  }

  TEST_CASE("the host is required if there are several") {
    ModelFolder f;
    std::string const text = model_file({combination(0, 0, {entry(3, 320, 8, 6500)})});
    f.folder.write("dgemm.one", text);
    f.folder.write("dgemm.two", text);
    std::string const where = f.folder.path().string();
    CHECK(f.read({.host = "two", .machine = "", .provenance = "", .devices = {}}).model.machine == "two");
    CHECK(message_of([&] { f.read(); }) == where +
                                               "#: holds performance models of several hosts (each is a "
                                               "machine). Choose some with --host: one, two");
    TemporaryFolder empty;
    CHECK(message_of([&] {
            read_starpu_models({empty.path()}, {});
          }).ends_with("Give a folder with such files"));
  }

  TEST_CASE("data of another shape are left out even if their size is that of a square") {
    ModelFolder f;
    // 1600 x 1 doubles have the size of 40 x 40; 50510ac4 is StarPU's footprint of the column.
    std::string const column = "50510ac4\t12800\t0\t1.0e+01\t1.0e+00\t1.0e+03\t1.01e+04\t100\n";
    auto const import =
        f.read_one("dplrnt", model_file({combination(0, 0, {column, entry(1, 1600, 8, 19484)})}));
    REQUIRE(import.model.timings.size() == 1);
    CHECK(import.model.timings[0].nb == 1600);
    CHECK(only_finding(import, f.folder) ==
          "dplrnt.host#line 23: 12800 bytes, footprint 50510ac4: not 1 square tile of double precision: "
          "left out");
  }

  TEST_CASE("sizes are trusted if a codelet has its own footprint") {
    ModelFolder f;
    auto const import = f.read_one(
        "dplrnt", model_file({combination(0, 0, {"1\t20480000\t0\t1e+04\t0\t1e+06\t1e+10\t100\n"})}));
    REQUIRE(import.model.timings.size() == 1);
    CHECK(import.model.timings[0].nb == 1600);
    CHECK(only_finding(import, f.folder) ==
          "dplrnt.host: footprints are not those of square tiles: the tile sizes rest on the sizes in "
          "bytes alone");
  }

  TEST_CASE("products of any shape count only if they are square") {
    ModelFolder f;
    auto const import = f.read_one(
        "starpu_sgemm_gemm",
        model_file({combination(
            0, 0, {entry(3, 960, 4, 85000), "78a2cc08\t29491200\t0\t1e+04\t0\t1e+06\t1e+10\t100\n"})}));
    REQUIRE(import.model.timings.size() == 1);
    CHECK(import.model.timings[0].application == "gemm");
    CHECK(only_finding(import, f.folder) ==
          "starpu_sgemm_gemm.host#line 24: 29491200 bytes, footprint 78a2cc08: not 3 square tiles of "
          "single precision: left out");
  }

  TEST_CASE("two symbols of one kernel are a finding and the first is kept") {
    ModelFolder f;
    f.folder.write("starpu_dlu_lu_model_22.host", model_file({combination(0, 0, {entry(3, 320, 8, 6500)})}));
    f.folder.write("starpu_dlu_lu_model_gemm.host",
                   model_file({combination(0, 0, {entry(3, 320, 8, 7000)})}));
    auto const import = f.read();
    CHECK(import.model.duration("gemm", "lu", Precision::double_, "cpu", 320, {0}) == Seconds{0.0065});
    CHECK(only_finding(import, f.folder) ==
          "starpu_dlu_lu_model_gemm.host#line 23: gemm of tile 320 on cpu again (7000 us, 100 samples): " +
              f.folder.path().string() +
              "/starpu_dlu_lu_model_22.host#line 23 is kept (6500 us, 100 samples)");
  }

  TEST_CASE("unusable means and other devices and unknown kernels are left out with a finding") {
    ModelFolder f;
    std::string const empty =
        fmt::format("{:08x}\t{}\t0\t0\t0\t0\t0\t0\n", square_footprint(3, 640), 3 * 640 * 640 * 8);
    std::string const nan =
        fmt::format("{:08x}\t{}\t0\tnan\tnan\t0\t0\t12\n", square_footprint(3, 960), 3 * 960 * 960 * 8);
    f.folder.write("mystery.host", "never read");
    auto const import =
        f.read_one("dgemm", model_file({combination(0, 0, {entry(3, 320, 8, 6500), empty, nan}),
                                        combination(2, 0, {entry(3, 320, 8, 100)}),
                                        combination(0, 0, {entry(3, 320, 8, 100)}, 4)}));
    CHECK(import.model.timings.size() == 1);
    std::vector<std::string> texts;
    for (Finding const& finding : import.findings)
      texts.push_back(finding.text().substr(f.folder.path().string().size() + 1));
    CHECK(texts ==
          std::vector<std::string>{
              "dgemm.host#line 24: gemm of tile 640 on cpu: no usable mean (0 samples): left out",
              "dgemm.host#line 25: gemm of tile 960 on cpu: no usable mean (12 samples): left out",
              "dgemm.host: 1 histories of combined devices: left out",
              "mystery.host: mystery is no known kernel: left out",
              "dgemm.host: 1 histories of opencl devices, from this file on: left out (cores and GPUs "
              "of one kind are simulated)"});
  }

  TEST_CASE("deviations inconsistent with the sums are reported once per file") {
    ModelFolder f;
    std::string edited = entry(2, 320, 4, 1000);
    edited.replace(edited.find("1.000000e+03"), 12,
                   "2.000000e+03");  // the mean doubled, the sums as before
    auto const import =
        f.read_one("chol_model_syrk", model_file({combination(0, 0, {entry(2, 640, 4, 8000), edited}),
                                                  combination(1, 0, {entry(2, 640, 4, 500), edited})}));
    CHECK(import.model.timings.size() == 4);
    CHECK(only_finding(import, f.folder) ==
          "chol_model_syrk.host#line 24: mean and deviation do not follow from the sums (entries: 2): "
          "edited, not measured?");
  }

  TEST_CASE("text after the announced combinations is ignored as in StarPU") {
    ModelFolder f;
    auto const import =
        f.read_one("dgemm", model_file({combination(0, 0, {entry(3, 320, 8, 6500)})}) + "1\n1\n0\n");
    CHECK(import.model.timings.size() == 1);
    CHECK(only_finding(import, f.folder) ==
          "dgemm.host#line 25: text after the 1 announced combinations is left out, as StarPU does");
  }

  TEST_CASE("entries of seven values and multiple regressions are read") {
    TemporaryFolder folder;
    auto const history =
        read_starpu_history(folder.write("s.h",
                                         "45\n1\n1\n0\n0\n1\n1\n1\n0 0 0 0 nan nan 0 0 0\nnan nan "
                                         "nan\n3\n1.5 2.5\n3.5\ncea37d6d 819200 10 2 100 1040 10\n"));
    REQUIRE(history.architectures.size() == 1);
    REQUIRE(history.architectures[0].entries.size() == 1);
    StarpuEntry const& e = history.architectures[0].entries[0];
    CHECK(e.footprint == 0xcea37d6d);
    CHECK(e.mean_us == 10);
    CHECK(e.sum_squares_us2 == 1040);
    CHECK(e.samples == 10);
    REQUIRE(history.findings.size() == 1);
    CHECK(history.findings[0].text() ==
          (folder.path() / "s.h").string() +
              "#line 8: holds a regression, which is not read: only the histories are");
  }

  TEST_CASE("malformed model files are refused with the line") {
    CHECK(history_error("# only a comment\n") ==
          "#line 1: the file ends where the version of the performance model should stand (it was cut, or "
          "a count above "
          "is too large). Calibrate again or correct the count");
    for (char const* const version : {"41", "46"})
      CHECK(testing::contains(history_error(version + std::string("\n")), "versions 42 to 45 are read"));
    CHECK(history_error("45\n-1\n") ==
          "#line 2: \"-1\" where the number of combinations should stand (not a whole number in range). "
          "Correct the line");
    // The two lines are swapped as in one published file, which StarPU itself refuses.
    CHECK(history_error("45\n1\n1\n1\n5\n1\n1\n0\n0 0 0 0 nan nan 0 0 0\n0\nnan nan nan\n") ==
          "#line 10: 1 values where the three numbers a, b and c of the non-linear regression should stand "
          "(StarPU itself "
          "rejects such a file). Calibrate again or correct the line");
    std::string const head = "45\n1\n1\n0\n0\n1\n1\n1\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n";
    CHECK(history_error(head + "cea37d6d 819200 10 2 100 1040\n")
              .starts_with("#line 12: 6 values where an entry of 7 or 8"));
    CHECK(history_error(head + "xyz 819200 10 2 100 1040 10\n")
              .starts_with("#line 12: \"xyz\" where the hash should stand"));
    CHECK(history_error(head + "cea37d6d 819200 1O 2 100 1040 10\n") ==
          "#line 12: \"1O\" where the mean should stand (not a number). Correct the line");
    CHECK(history_error(head).starts_with("#line 11: the file ends where an entry"));
    CHECK(message_of([] { read_starpu_history("/nowhere/s.h"); }) ==
          "/nowhere/s.h#: cannot be read (no such file). Check the path");
  }
}

}  // namespace factosim
