#include "factosim/kernel_model.hpp"

#include "models/kernel_model_json.hpp"
#include "tests/prelude.hpp"

namespace factosim {

namespace {

using testing::message_of;
using testing::TemporaryFolder;

constexpr Precision dbl = Precision::double_;

KernelTiming timing(std::string kernel, std::string application, std::string worker, int nb, double mean_s) {
  KernelTiming t;
  t.kernel = std::move(kernel);
  t.application = std::move(application);
  t.worker = std::move(worker);
  t.nb = nb;
  t.mean = {mean_s};
  t.deviation = {mean_s / 7};
  t.samples = 42;
  return t;
}

KernelTiming rate(std::string kernel, std::string worker, double flops_per_second) {
  KernelTiming t = timing(std::move(kernel), "", std::move(worker), 0, 0);
  t.deviation = {0};
  t.samples = 0;
  t.rate.flops_per_second = flops_per_second;
  return t;
}

KernelModel model_of(std::vector<KernelTiming> timings) {
  KernelModel model;
  model.machine = "m";
  model.provenance = "made up: \"quotes\", a tab\t, 10 µs";
  model.timings = std::move(timings);
  return model;
}

/// Returns the message of reading a kernels file with this content, without the folder.
std::string rejection(std::string const& kernels, bool estimate = false, std::string const& extra = "") {
  TemporaryFolder folder;
  auto const file = folder.write("k.json", R"({"format": "factosim-kernels", "version": 1, "machine": "m",
    "provenance": "p", "estimate": )" + std::string(estimate ? "true" : "false") +
                                               R"(, )" + extra + R"("kernels": )" + kernels + "}");
  std::string const message = message_of([&] { read_kernel_model(file); });
  return message.starts_with(file.string()) ? message.substr(file.string().size()) : message;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a timing of the application precedes a timing without application") {
    KernelModel const model =
        model_of({timing("gemm", "", "cpu", 960, 2), timing("gemm", "lu", "cpu", 960, 3)});
    CHECK(model.duration("gemm", "lu", dbl, "cpu", 960, {0}) == Seconds{3});
    CHECK(model.duration("gemm", "cholesky", dbl, "cpu", 960, {0}) == Seconds{2});
    CHECK(model.duration("gemm", "", dbl, "cpu", 960, {0}) == Seconds{2});
  }

  TEST_CASE("a timing of another application is not used") {
    KernelModel const model = model_of({timing("gemm", "lu", "cpu", 960, 3)});
    CHECK_FALSE(model.duration("gemm", "cholesky", dbl, "cpu", 960, {0}).has_value());
  }

  TEST_CASE("nothing is extrapolated to another tile size or precision or worker") {
    KernelModel const model = model_of({timing("gemm", "", "cpu", 960, 3)});
    CHECK_FALSE(model.duration("gemm", "", dbl, "cpu", 959, {0}).has_value());
    CHECK_FALSE(model.duration("gemm", "", Precision::single_, "cpu", 960, {0}).has_value());
    CHECK_FALSE(model.duration("gemm", "", dbl, "cuda0", 960, {0}).has_value());
    CHECK_FALSE(model.duration("syrk", "", dbl, "cpu", 960, {0}).has_value());
  }

  TEST_CASE("the two solves of LU fall back on trsm and no other kernel does") {
    KernelModel const model =
        model_of({timing("trsm", "", "cpu", 960, 5), timing("trsm_ru", "lu", "cpu", 960, 6)});
    CHECK(model.duration("trsm_ll", "lu", dbl, "cpu", 960, {0}) == Seconds{5});
    CHECK(model.duration("trsm_ru", "lu", dbl, "cpu", 960, {0}) == Seconds{6});
    CHECK(model.duration("trsm_ru", "", dbl, "cpu", 960, {0}) == Seconds{5});
    CHECK_FALSE(model.duration("trsm_xx", "lu", dbl, "cpu", 960, {0}).has_value());
    CHECK(model.tile_sizes("trsm_ll", "lu", dbl) == std::vector{960});
  }

  TEST_CASE("a rate holds for every tile size unless there is a timing of that size") {
    KernelModel const model = model_of({rate("gemm", "cpu", 1e9), timing("gemm", "", "cpu", 960, 3)});
    CHECK(model.duration("gemm", "", dbl, "cpu", 100, {2e6}) == Seconds{2e6 / 1e9});
    CHECK(model.duration("gemm", "", dbl, "cpu", 960, {2e6}) == Seconds{3});
  }

  TEST_CASE("a rate adds a launch and a latency per column and holds inside its range of tile sizes only") {
    KernelTiming fitted = rate("potrf", "cuda0", 2e12);
    fitted.rate.launch = {8e-6};
    fitted.rate.per_column = {1.5e-6};
    fitted.rate.per_element = {3e-10};
    fitted.rate.min_nb = 400;
    fitted.rate.max_nb = 1600;
    KernelModel const model = model_of({fitted});
    CHECK(model.duration("potrf", "", dbl, "cuda0", 1000, {4e8})->value ==
          doctest::Approx(8e-6 + 1.5e-3 + 3e-4 + 2e-4).epsilon(1e-12));
    CHECK(model.duration("potrf", "", dbl, "cuda0", 400, {1}).has_value());
    CHECK(model.duration("potrf", "", dbl, "cuda0", 1600, {1}).has_value());
    CHECK_FALSE(model.duration("potrf", "", dbl, "cuda0", 399, {1}).has_value());
    CHECK_FALSE(model.duration("potrf", "", dbl, "cuda0", 1601, {1}).has_value());
    CHECK(model.tile_sizes_text("potrf", "", dbl) == "400 to 1600");
  }

  TEST_CASE("timings of every precision are written and read back and stand for that precision only") {
    KernelModel model = model_of({});
    for (PrecisionInfo const& p : precisions) {
      CHECK(&info_of(p.precision) == &p);  // in the order of the values
      CHECK(precision_named(p.name) == p.precision);
      model.timings.push_back(timing("gemm", "", "cuda0", 960, 1e-3 * p.element_bytes));
      model.timings.back().precision = p.precision;
    }
    CHECK_FALSE(precision_named("quadruple"));
    TemporaryFolder folder;
    KernelModel read = read_kernel_model(folder.write("k.json", kernel_model_json(model)));
    CHECK(kernel_model_json(read) == kernel_model_json(model));
    for (PrecisionInfo const& p : precisions)
      CHECK(read.duration("gemm", "", p.precision, "cuda0", 960, {0}) == Seconds{1e-3 * p.element_bytes});
    std::erase_if(read.timings, [](KernelTiming const& t) { return t.precision == Precision::half; });
    CHECK_FALSE(read.duration("gemm", "", Precision::half, "cuda0", 960, {0}));
  }

  TEST_CASE("a rate with a time and no range or with an empty range is refused") {
    std::string const head =
        R"({"gemm": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9, )";
    CHECK(rejection(head + R"("launch_s": 1e-6, "max_nb": 900}]})", true) ==
          "#/kernels/gemm/0/launch_s: a fitted time without the tile sizes it is for (nothing is "
          "extrapolated). "
          "Give \"min_nb\" and \"max_nb\"");
    CHECK(
        rejection(head + R"("min_nb": 901, "max_nb": 900}]})", true) ==
        "#/kernels/gemm/0/max_nb: is below \"min_nb\", 901 (no tile size would remain). Give at least that");
  }

  TEST_CASE("tile sizes are sorted and unique and exclude rates") {
    KernelModel const model =
        model_of({timing("gemm", "lu", "cpu", 960, 3), timing("gemm", "lu", "cuda0", 960, 3),
                  timing("gemm", "", "cpu", 320, 3), timing("gemm", "cholesky", "cpu", 640, 3),
                  rate("gemm", "cpu", 1)});
    CHECK(model.tile_sizes("gemm", "lu", dbl) == std::vector{320, 960});
    CHECK(model.tile_sizes("gemm", "lu", Precision::single_).empty());
    CHECK(model.tile_sizes_text("gemm", "lu", dbl) == "1 to 1000000, 320, 960");
  }

  TEST_CASE("a model is written with one timing per line and read back identical") {
    KernelModel model =
        model_of({timing("gemm", "lu", "cuda10", 960, 0.1), timing("gemm", "lu", "cuda9", 960, 1.0 / 3),
                  timing("gemm", "lu", "cpu", 960, 1e-7), timing("syrk", "", "cpu", 80, 123456.789),
                  rate("potrf", "cpu", 2.8e10)});
    model.estimate = true;
    model.timings[0].precision = Precision::single_;
    model.timings[1].sample_seconds = {1e-3, 1.0 / 3};
    TemporaryFolder folder;
    std::string const text = kernel_model_json(model);
    KernelModel const read = read_kernel_model(folder.write("m.json", text));
    CHECK(kernel_model_json(read) == text);
    CHECK(read.machine == model.machine);
    CHECK(read.provenance == model.provenance);
    CHECK(read.estimate);
    REQUIRE(read.timings.size() == 5);
    CHECK(read.timings[0].worker == "cpu");  // double before single, then cpu, cuda9, cuda10
    CHECK(read.timings[1].worker == "cuda9");
    CHECK(read.timings[1].mean == Seconds{1.0 / 3});
    CHECK(read.timings[1].deviation == Seconds{1.0 / 3 / 7});
    CHECK(read.timings[1].sample_seconds == std::vector{1e-3, 1.0 / 3});
    CHECK(read.timings[2].precision == Precision::single_);
    CHECK(read.timings[3].rate.flops_per_second == 2.8e10);
    CHECK(testing::contains(
        text,
        "      {\"application\": \"lu\", \"precision\": \"double\", \"worker\": \"cpu\", \"nb\": 960, "
        "\"mean_s\": 1e-07, \"deviation_s\": 1.4285714285714284e-08, \"samples\": 42},\n"));
  }

  TEST_CASE("a slow-down is read by number of cores and written back identical") {
    KernelModel model = model_of({timing("gemm", "", "cpu", 960, 1), rate("potrf", "cpu", 1e9)});
    model.estimate = true;
    model.timings[0].slowdown = {{{1, 1}, {8, 1.05}, {18, 1.25}}};
    model.timings[1].slowdown = {{{2, 0.5}}};
    TemporaryFolder folder;
    std::string const text = kernel_model_json(model);
    CHECK(testing::contains(text, "\"samples\": 42, \"slowdown\": {\"1\": 1, \"8\": 1.05, \"18\": 1.25}}"));
    KernelModel const read = read_kernel_model(folder.write("m.json", text));
    CHECK(kernel_model_json(read) == text);
    CHECK(read.timings[0].slowdown.at(13) == doctest::Approx(1.15));

    auto const with = [](std::string const& worker, std::string const& slowdown) {
      return rejection(R"({"gemm": [{"precision": "double", "worker": ")" + worker +
                       R"(", "nb": 960, "mean_s": 1, "slowdown": )" + slowdown + "}]}");
    };
    CHECK(with("cpu", R"({"4": 1.5})") == "");
    CHECK(with("cuda0", R"({"4": 1.5})") ==
          "#/kernels/gemm/0/slowdown: stands in a timing of cuda0 (it says how busy cores slow each other "
          "down). "
          "Remove it");
    CHECK(with("cpu", R"({"04": 1.5})") ==
          "#/kernels/gemm/0/slowdown/04: is the factor for \"04\" busy cores (they are counted from 1). Use "
          "\"1\", \"2\" ...");
    CHECK(testing::contains(with("cpu", R"({"0": 1})"), "counted from 1"));
    CHECK(with("cpu", R"({"4": 0})").starts_with("#/kernels/gemm/0/slowdown/4: is 0 "));
    CHECK(with("cpu", "{}").starts_with("#/kernels/gemm/0/slowdown: is empty"));
    CHECK(with("cpu", "[1, 2]").starts_with("#/kernels/gemm/0/slowdown: "));
  }

  TEST_CASE("mistakes in kernels files are reported at their position") {
    std::string const good = R"({"precision": "double", "worker": "cpu", "nb": 960, "mean_s": 1})";
    CHECK(rejection(R"({"gemm": [)" + good + "]}") == "");
    CHECK(rejection(R"({"gemm": [)" + good + "," + good + "]}") ==
          "#/kernels/gemm/1: a second timing of the same kernel, application, precision, worker and tile "
          "size (one of "
          "them would be ignored). Keep one");
    CHECK(rejection(R"({"gemm": [{"precision": "double", "worker": "gpu0", "nb": 960, "mean_s": 1}]})") ==
          "#/kernels/gemm/0/worker: \"gpu0\" is no worker (cores are alike and called cpu, GPUs are "
          "numbered). Use "
          "\"cpu\", \"cuda0\", \"cuda1\" ...");
    CHECK(rejection(R"({"gemm": [{"precision": "double", "worker": "cpu", "nb": 960, "mean_s": 0}]})")
              .starts_with("#/kernels/gemm/0/mean_s: "));
    CHECK(rejection(R"({"gemm": [{"precision": "double", "worker": "cpu", "nb": 960, "mean_s": 1,)"
                    R"("findings": [0]}]})") ==
          "#/kernels/gemm/0/findings/0: is 0 (the file has 0 findings, counted from 0). Give the number of "
          "one");
    CHECK(rejection(R"({"gemm": [{"precision": "double", "worker": "cpu", "nb": 960}]})")
              .starts_with("#/kernels/gemm/0: the key \"mean_s\" is missing"));
    CHECK(rejection(R"({"gemm": [{"precision": "quadruple", "worker": "cpu", "nb": 960, "mean_s": 1}]})")
              .starts_with("#/kernels/gemm/0/precision: "));
    CHECK(rejection(
              R"({"gemm": [{"precision": "double", "worker": "cpu", "nb": 960, "mean_s": 1, "mean": 1}]})")
              .starts_with("#/kernels/gemm/0/mean: unknown key"));
    auto with_samples = [](std::string const& list) {
      return R"({"gemm": [{"precision": "double", "worker": "cpu", "nb": 960, "mean_s": 1, "samples_s": )" +
             list + "}]}";
    };
    CHECK(rejection(with_samples("[1, 2e-3]")) == "");
    CHECK(rejection(with_samples("[]")).starts_with("#/kernels/gemm/0/samples_s: is empty"));
    CHECK(rejection(with_samples("[1, 0]")).starts_with("#/kernels/gemm/0/samples_s/1: "));
    CHECK(rejection(with_samples("1")).starts_with("#/kernels/gemm/0/samples_s: "));
    CHECK(rejection("{}", false, R"("machines": 1, )").starts_with("#/machines: unknown key"));
  }

  TEST_CASE("rates are for estimates only and have no tile size") {
    std::string const bare =
        R"({"gemm": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9}]})";
    CHECK(rejection(bare, true) == "");
    CHECK(rejection(bare, false) ==
          "#/kernels/gemm/0/flops_per_second: a rate in measured timings (a rate for every tile size is a "
          "guess). Set "
          "\"estimate\" to true or give nb and mean_s");
    CHECK(
        rejection(R"({"gemm": [{"precision": "double", "worker": "cpu", "nb": 9, "flops_per_second": 1e9}]})",
                  true)
            .starts_with("#/kernels/gemm/0/nb: unknown key"));
  }
}

}  // namespace factosim
