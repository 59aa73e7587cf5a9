#include "platforms/starpu_bus.hpp"

#include "tests/prelude.hpp"

namespace factosim {

namespace {

using testing::message_of;
using testing::TemporaryFolder;

constexpr std::string_view platform_xml = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd">
<platform version="4">
 <AS id="AS0" routing="Full">
  <host id="MAIN" speed="1f"/>
  <host id="CPU0" speed="2000000000f"/>
  <host id="CUDA0" speed="2000000000f"><prop id="model" value="A"/><prop id="memsize" value="1000"/></host>
  <host id="CUDA1" speed="2000000000f"><prop id="model" value="B"/><prop id="memsize" value="2000"/></host>
  <host id="OpenCL0" speed="2000000000f"/>
  <host id="RAM" speed="1f"/>
  <link id="Host" bandwidth="6500000000.5Bps" latency="0.000000s"/>
  <link id="RAM-OpenCL0" bandwidth="1Bps" latency="1s"/>
  <link id="RAM-CUDA0" bandwidth="6000000000Bps" latency="0.000010s"/>
  <link id="CUDA0-RAM" bandwidth="6100000000Bps" latency="0.000011s"/>
  <link id="RAM-CUDA1" bandwidth="6200000000Bps" latency="0.000012s"/>
  <link id="CUDA1-RAM" bandwidth="6300000000Bps" latency="0.000013s"/>
  <link id="CUDA0-CUDA1" bandwidth="3000000000Bps" latency="0.000020s"/>
  <link id="RAM-DISK0" bandwidth="400000000Bps" latency="0.002s"/>
  <route src="RAM" dst="CUDA0" symmetrical="NO"><link_ctn id="RAM-CUDA0"/><link_ctn id="Host"/></route>
  <route src="CUDA0" dst="RAM" symmetrical="NO"><link_ctn id="CUDA0-RAM"/><link_ctn id="Host"/></route>
  <route src="RAM" dst="CUDA1" symmetrical="NO"><link_ctn id="RAM-CUDA1"/><link_ctn id="Host"/></route>
  <route src="CUDA1" dst="RAM" symmetrical="NO"><link_ctn id="CUDA1-RAM"/><link_ctn id="Host"/></route>
  <route src="CUDA0" dst="CUDA1" symmetrical="NO">
    <link_ctn id="CUDA0-CUDA1"/><link_ctn id="Host"/><link_ctn id="Host"/></route>
  <route src="RAM" dst="OpenCL0" symmetrical="NO"><link_ctn id="RAM-OpenCL0"/><link_ctn id="Host"/></route>
  <route src="RAM" dst="DISK0" symmetrical="NO"><link_ctn id="Host"/><link_ctn id="RAM-DISK0"/></route>
 </AS>
</platform>
)";

/// The bus files of a node with two GPUs and one OpenCL device, each replaceable by a test.
struct BusFiles {
  std::string config =
      "# Current configuration\n12 # Number of CPUs\n2 # Number of CUDA devices\n1 # Number of OpenCL "
      "devices\n";
  std::string bandwidth =
      "# to 0\t\tto "
      "1\n0.000000\t6001.5\t6201.5\t1.0\n6.1015e+03\t0\t3001.5\t1.0\n6301.5\t2999.5\t0\t1.0\n1\t1\t1\t0\n";
  std::string latency = "# to 0\n0\t9.5\t12.5\t1\n11.5\t0\t20.5\t1\n13.5\t30.5\t0\t1\n1\t1\t1\t0\n";
  std::string xml = std::string(platform_xml);
  TemporaryFolder folder;

  StarpuBusImport read() const {
    folder.write("bus/h.config", config);
    folder.write("bus/h.bandwidth", bandwidth);
    folder.write("bus/h.latency", latency);
    folder.write("bus/h.platform.v4.xml", xml);
    return read_starpu_bus(folder.path(), "h");
  }
  /// Without the folder.
  std::string error() const {
    std::string const message = message_of([&] { (void)read(); });
    std::string const where = (folder.path() / "bus/").string();
    return message.starts_with(where) ? message.substr(where.size()) : message;
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> texts;
    for (Finding const& finding : read().findings)
      texts.push_back(finding.text().substr((folder.path() / "bus/").string().size()));
    return texts;
  }
  BusFiles& replace(std::string BusFiles::*text, std::string_view from, std::string_view to) {
    std::size_t const at = (this->*text).find(from);
    REQUIRE(at != std::string::npos);
    (this->*text).replace(at, from.size(), to);
    return *this;
  }
};

std::string const direct_route_missing = "h.platform.v4.xml: no route CUDA1-CUDA0: copies go through the RAM";
std::string const opencl_left_out =
    "h.config: 1 OpenCL devices are left out (cores and GPUs of one kind are simulated)";

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a node has the cores of the configuration and the GPUs and links and routes of the XML") {
    NodeType const type = BusFiles{}.read().type;
    CHECK(type.name == "h");
    CHECK(type.cores == 12);
    REQUIRE(type.gpus.size() == 2);
    CHECK(type.gpus[1].model == "B");
    CHECK(type.gpus[1].memory == Bytes{2000});
    std::vector<std::string> names;
    for (LinkSpec const& link : type.bus.links) names.push_back(link.name);
    CHECK(names == std::vector<std::string>{"Host", "RAM-CUDA0", "CUDA0-RAM", "RAM-CUDA1", "CUDA1-RAM",
                                            "CUDA0-CUDA1"});
    CHECK(type.bus.links[0].rate.bandwidth == BytesPerSecond{6500000000.5});
    CHECK(type.bus.links[2].rate.latency == Seconds{0.000011});
    CHECK(type.bus.routes[0 * 3 + 1] == std::vector<std::uint32_t>{1, 0});
    CHECK(type.bus.routes[1 * 3 + 2] == std::vector<std::uint32_t>{5, 0, 0});
    CHECK(type.bus.routes[2 * 3 + 1].empty());
  }

  TEST_CASE("predictions are the measured matrices in bytes and seconds without OpenCL devices") {
    Bus const bus = BusFiles{}.read().type.bus;
    REQUIRE(bus.predicted.size() == 9);
    CHECK(bus.predicted[0 * 3 + 1].bandwidth == BytesPerSecond{6001500000});
    CHECK(bus.predicted[1 * 3 + 0].bandwidth == BytesPerSecond{6101500000});
    CHECK(bus.predicted[2 * 3 + 1].bandwidth == BytesPerSecond{2999500000});
    CHECK(bus.predicted[2 * 3 + 1].latency == Seconds{30.5e-6});
    CHECK(bus.predicted[1 * 3 + 1].latency == Seconds{0});
  }

  TEST_CASE("several NUMA nodes come before the GPUs in the matrices and are merged into one RAM") {
    BusFiles files;
    files.replace(&BusFiles::config, "12 # Number of CPUs\n",
                  "12 # Number of CPUs\n2 # Number of NUMA nodes\n");
    files.bandwidth = "0 7 1 2\n7 0 3 4\n5 8 0 6\n9 8 10 0\n";
    files.latency = files.bandwidth;
    Bus const bus = files.read().type.bus;
    std::vector<BytesPerSecond> bandwidths;
    for (LinkRate const& copy : bus.predicted) bandwidths.push_back(copy.bandwidth);
    CHECK(bandwidths ==
          std::vector<BytesPerSecond>{{0}, {1e6}, {2e6}, {5e6}, {0}, {6e6}, {9e6}, {10e6}, {0}});
    CHECK(files.findings() ==
          std::vector<std::string>{
              direct_route_missing, opencl_left_out,
              "h.config: 2 NUMA nodes: taken for one RAM, with the transfers of the first"});
  }

  TEST_CASE("a node without GPUs has no bus") {
    BusFiles files;
    files.config = "2 # Number of CPUs\n1 # Number of NUMA nodes\n0 # Number of CUDA nodes\n";
    files.bandwidth = files.latency = "0.0\tnan\nnan\tnan\n";
    files.xml =
        R"(<platform version="4"><AS id="AS0"><host id="RAM"/>
           <link id="NUMA0" bandwidth="0.000000Bps" latency="0.000000s"/></AS></platform>)";
    CHECK(files.read().type.bus.links.empty());
    CHECK(files.read().type.cores == 2);
    CHECK(files.findings().empty());
  }

  TEST_CASE("unusable measurements in use are reported and replaced by the route") {
    BusFiles files;
    files.replace(&BusFiles::bandwidth, "6001.5", "nan").replace(&BusFiles::latency, "30.5", "0");
    Bus const bus = files.read().type.bus;
    CHECK(bus.predicted[0 * 3 + 1].bandwidth == BytesPerSecond{6e9});
    CHECK(bus.predicted[2 * 3 + 1].latency.value ==
          doctest::Approx(23e-6).epsilon(1e-12));  // through the RAM
    CHECK(files.findings() ==
          std::vector<std::string>{
              direct_route_missing, opencl_left_out,
              "h.bandwidth: no usable value from memory node 0 to 1, which are in use: taken from the route",
              "h.latency: no usable value from memory node 2 to 1, which are in use: taken from the route"});
  }

  TEST_CASE("files of different machines are reported") {
    BusFiles files;
    files.replace(&BusFiles::config, "2 # Number of CUDA", "3 # Number of CUDA");
    CHECK(files.findings() ==
          std::vector<std::string>{
              direct_route_missing,
              "h.config: 3 CUDA devices where the .platform.v4.xml has 2: the latter are taken",
              opencl_left_out});
  }

  TEST_CASE("fewer cores than one a GPU and one more are reported") {
    for (auto const& [cores, reported] : {std::pair{"2", true}, {"3", false}}) {
      BusFiles files;
      files.replace(&BusFiles::config, "12 # Number of CPUs\n", std::string(cores) + " # Number of CPUs\n");
      std::vector<std::string> const found = files.findings();
      CHECK(std::ranges::count(found, "h.config: fewer cores than one a GPU and one more") == reported);
    }
  }

  TEST_CASE("GPUs without a name are reported") {
    BusFiles files;
    files.replace(&BusFiles::xml, R"(<prop id="model" value="A"/>)", "");
    CHECK(files.findings() == std::vector<std::string>{"h.platform.v4.xml: CUDA0 has no model name",
                                                       direct_route_missing, opencl_left_out});
  }

  TEST_CASE("numbers of the SimGrid description may lack their unit") {
    CHECK(BusFiles{}.replace(&BusFiles::xml, "6000000000Bps", "6000000000").error().empty());
  }

  TEST_CASE("malformed bus files are refused with their position") {
    CHECK(BusFiles{}.replace(&BusFiles::config, "12 # Number of CPUs", "twelve # Number of CPUs").error() ==
          "h.config#line 2: is not \"COUNT # Number of ...\" (StarPU writes such lines). Calibrate the bus "
          "again");
    CHECK(BusFiles{}
              .replace(&BusFiles::config, "CPUs", "cores")
              .error()
              .starts_with("h.config#line 1: does not say how many CPUs"));
    CHECK(BusFiles{}.replace(&BusFiles::bandwidth, "2999.5", "29g9.5").error() ==
          "h.bandwidth#line 4: \"29g9.5\" is not a number (it cannot be computed with). Calibrate the bus "
          "again");
    CHECK(BusFiles{}.replace(&BusFiles::latency, "\t30.5", "").error() ==
          "h.latency#line 4: 3 values in a matrix of 4 rows (it must be square). Calibrate the bus again");
    CHECK(BusFiles{}
              .replace(&BusFiles::xml, "</AS>", "")
              .error()
              .starts_with("h.platform.v4.xml#: cannot be read as XML"));
    CHECK(
        BusFiles{}.replace(&BusFiles::xml, R"(bandwidth="6000000000Bps")", R"(bandwidth="6GBps")").error() ==
        "h.platform.v4.xml#/link/RAM-CUDA0: \"6GBps\" is not a number of Bps (it cannot be computed "
        "with). Correct it");
    CHECK(BusFiles{}
              .replace(&BusFiles::xml, "6000000000Bps", "0Bps")
              .error()
              .starts_with("h.platform.v4.xml#/link/RAM-CUDA0: its"));
    CHECK(BusFiles{}
              .replace(&BusFiles::xml, R"(<link_ctn id="CUDA1-RAM"/>)", R"(<link_ctn id="lost"/>)")
              .error() ==
          "h.platform.v4.xml#/route/CUDA1-RAM: uses the unknown link \"lost\" (its bandwidth is not "
          "given). Add the link");
    CHECK(BusFiles{}
              .replace(&BusFiles::xml, R"(<route src="CUDA1" dst="RAM")", R"(<route src="CUDA9" dst="RAM")")
              .error() ==
          "h.platform.v4.xml#/route: no route CUDA1-RAM (every GPU must reach the RAM both ways). "
          "Calibrate the bus again");
    CHECK(BusFiles{}.replace(&BusFiles::xml, R"(<prop id="memsize" value="1000"/>)", "").error() ==
          "h.platform.v4.xml#/host/CUDA0: has no memsize (the simulator must know when the GPU is full). "
          "Add it");
    TemporaryFolder empty;
    CHECK(message_of([&] {
            (void)read_starpu_bus(empty.path(), "h");
          }).starts_with((empty.path() / "h.config").string() + "#: cannot be read"));
  }
}

}  // namespace factosim
