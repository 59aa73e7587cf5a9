#!/usr/bin/env python3
"""Writes the platforms and kernel timings of machines of today, which were not measured by us, from the facts below.

    platforms/machines_of_today.py [--check]

Facts are data sheets, documentation of computing centres and measurements that others published; each carries its source. Rules turn them into rates of
kernels (tests/models/leave_one_out.py states how far off such rates are). --check compares the values of the files that are there, and exits with 1 if one differs.
Afterwards `FACTOSIM_UPDATE_GOLDEN=1 factosim_tests -tc="every shipped platform*"` writes the platforms in the form of factosim.
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SMALLEST, LARGEST, LAUNCH = 512, 4096, 5e-6
GB, TF = 1e9, 1e12
BYTES = {"double": 8, "single": 4, "tf32": 4, "half": 2, "bfloat16": 2, "fp8": 1}

# Parts of the peak of a core, fitted to seven measured machines (tests/models/leave_one_out.py, 2026-11-23).
CORE = {"gemm": 0.86, "syrk": 0.80, "trsm": 0.68, "potrf": 0.67, "getrf": 0.45, "geqrt": 0.54, "tpqrt": 0.54, "ormqr": 0.22, "tpmqrt": 0.21}
# On GPUs. Rates over that of gemm, and seconds per column on NVIDIA's and AMD's: an A100 at tiles of 800 and 1600; potrf of an MI250X.
OVER_GEMM = {"gemm": 1, "syrk": 13.2 / 15.9, "trsm": 6.9 / 15.9, "potrf": 2.3 / 15.9}
PER_COLUMN = {"nvidia": {"trsm": 0.32e-6, "potrf": 1.41e-6}, "amd": {"trsm": 0.32e-6 * 4.3 / 1.41, "potrf": 4.3e-6}}
# Parts of the peak, fitted to a K40m, P100 and V100.
OF_PEAK = {"ormqr": 0.23, "tpmqrt": 0.26}
# In single precision, of an A100 at tiles of 800 and 1600.
OVER_GEMM_SINGLE = {"gemm": 1, "syrk": 8.8 / 14.5, "trsm": 14.2 / 14.5, "potrf": 4.28 / 14.5}
PER_COLUMN_SINGLE = {"nvidia": {"trsm": 0.27e-6, "potrf": 1.19e-6}, "amd": {"trsm": 0.27e-6 * 4.3 / 1.41, "potrf": 4.3e-6 * 1.19 / 1.41}}
# Part e of the peak of a data sheet and rows h of gemm, 2 b^3 (1 + h / b) / (e peak): tests/models/leave_one_out.py --precisions, 2026-11-24. All GPUs together:
ANY_GPU = {"single": (0.89, 462), "tf32": (0.98, 1351), "half": (0.95, 1078), "bfloat16": (0.95, 1078), "fp8": (0.95, 1078)}
MATRIX_UNITS = ("tf32", "half", "bfloat16", "fp8")  # of the products; other kernels have no routine for them
TILES = {"gemm": 4, "syrk": 3, "trsm": 3, "potrf": 2, "getrf": 2, "geqrt": 2, "tpqrt": 4, "ormqr": 3, "tpmqrt": 5}  # that a kernel reads and writes

CHAMELEON = "public performance models of Chameleon for an A100 (sirocco-a100-ctest)"
# Peaks of data sheets, TFlop/s, dense: "vector" in double precision without matrix units, "double" with them; "single" with them where they have it (AMD).
A100_PEAKS = {"vector": 9.7, "double": 19.5, "single": 19.5, "tf32": 156, "half": 312, "bfloat16": 312}
H100_PEAKS = {"vector": 33.5, "double": 67, "single": 66.9, "tf32": 494.7, "half": 989.4, "bfloat16": 989.4, "fp8": 1978.9}
A100_PARTS = {"single": (14.5 / 19.5, 0), "tf32": (0.85, 877), "half": (1.00, 1457), "bfloat16": (1.00, 1457)}
H100_PARTS = {"single": (0.87, 415), "tf32": (1.00, 1086), "half": (1.00, 879), "bfloat16": (1.00, 879), "fp8": (1.00, 879)}
GPUS = {
    "a100": dict(model="A100 SXM4 40 GB", maker="nvidia", memory=40e9, peaks=A100_PEAKS, bandwidth=1555e9, gemm=15.9 * TF, idle_W=60, limit_W=400,
                 parts=A100_PARTS, parts_of="an A100 PCIe",
                 source=f"gemm 15.9 TFlop/s in double and 14.5 in single precision at tiles of 1600: {CHAMELEON}, a PCIe card; peaks and limit of 400 W: data sheet; idle 58 to 63 W: "
                        "public logs"),
    "a100-pcie": dict(model="A100 PCIe 40 GB", maker="nvidia", memory=40e9, peaks=A100_PEAKS, bandwidth=1555e9, gemm=15.9 * TF, idle_W=60, limit_W=250,
                      parts=A100_PARTS, parts_of="an A100 PCIe",
                      source=f"gemm 15.9 TFlop/s in double and 14.5 in single precision at tiles of 1600: {CHAMELEON}; peaks and limit of 250 W: data sheet; idle 58 to 63 W: public logs"),
    "a100-leonardo": dict(model="A100 SXM 64 GB of Leonardo", maker="nvidia", memory=64e9, bandwidth=1640e9, gemm=15.9 / 19.5 * 22.4 * TF, idle_W=60, limit_W=440,
                          peaks={"vector": 11.2, "double": 22.4, "single": 22.4, "tf32": 179, "half": 358, "bfloat16": 358},
                          parts=A100_PARTS, parts_of="an A100 PCIe",
                          source="parts of the peaks as an A100; 64 GB: CINECA; peaks, 1.64 TB/s and 440 W: FROM MEMORY; idle as an A100"),
    "h100": dict(model="H100 SXM5 80 GB", maker="nvidia", memory=80e9, peaks=H100_PEAKS, bandwidth=3350e9, gemm=0.81 * 67 * TF, idle_W=72, limit_W=700,
                 parts=H100_PARTS, parts_of="an H100 SXM5, FP8 as half",
                 source="gemm: 0.81 of the peak of 67 TFlop/s, as an A100 (HPL has 45.7 TFlop/s a GPU, Voltage Park); peaks and limit: data sheet; idle 69 to 76 W: "
                        "public logs"),
    "gh200": dict(model="GH200 96 GB", maker="nvidia", memory=96e9, peaks=H100_PEAKS, bandwidth=4000e9, gemm=0.81 * 67 * TF,
                  parts=H100_PARTS, parts_of="an H100 SXM5, FP8 as half",
                  source="gemm: 0.81 of the peak of 67 TFlop/s, as an A100; peaks: data sheet"),
    "mi250x": dict(model="MI250X, one of two dies", maker="amd", memory=64e9, bandwidth=1600e9, gemm=38 * TF,
                   peaks={"vector": 23.9, "double": 47.9, "single": 47.9, "half": 191.5, "bfloat16": 191.5},
                   parts={"single": (0.73, 16), "half": (0.86, 1061), "bfloat16": (0.86, 1061)}, parts_of="an MI210",
                   idle_W=47, limit_W=280,
                   source="gemm 38 TFlop/s for large matrices: ROCm/hipBLAS issue 584; peaks: Frontier user guide, ROCm/hipBLAS issue 534; 560 W a card of two dies: rocm-smi; idle 90 to 99 W a card of "
                          "an MI250: Hugging Face"),
    "mi300a": dict(model="MI300A, GPU part", maker="amd", memory=128e9, bandwidth=5300e9, gemm=69 * TF,
                   peaks={"vector": 61.3, "double": 122.6, "single": 122.6, "tf32": 490.3, "half": 980.6, "bfloat16": 980.6, "fp8": 1961.2},
                   parts=ANY_GPU, parts_of="all GPUs of that table",
                   source="gemm 69 TFlop/s at 7168: ROCm/rocWMMA issue 583; peaks: data sheet"),
}
# Cores of a socket, peak of a core at the base clock, power limit of a socket, bandwidth of its memory.
CPUS = {
    "EPYC 7763": (64, 39.2e9, 280, 205e9), "EPYC 7742": (64, 36e9, 225, 205e9), "EPYC 7A53": (64, 32e9, 225, 205e9), "EPYC 9654": (96, 38.4e9, 360, 461e9),
    "Xeon 8358": (32, 83.2e9, 250, 205e9), "Xeon 8480+": (56, 64e9, 350, 307e9), "Grace": (72, 49.6e9, 250, 500e9), "Zen 4 of MI300A": (24, 59.2e9, None, 98e9),
    "EPYC 7513": (32, 41.6e9, 200, 205e9), "EPYC 7452": (32, 37.6e9, 155, 205e9), "EPYC 9754": (128, 36e9, 360, 461e9), "Xeon Gold 6130": (16, 67.2e9, 125, 128e9),
    "Xeon Gold 5220": (18, 35.2e9, 125, 128e9), "Xeon Gold 5320": (26, 70.4e9, 185, 188e9), "Xeon Gold 6240": (18, 83.2e9, 150, 141e9),
}
CARDS = {  # bandwidth of one, latency of a message
    "slingshot-11": (24.3 * GB, 2e-6), "infiniband-hdr": (24 * GB, 1.2e-6), "infiniband-ndr": (48 * GB, 1.2e-6), "infiniband-hdr100": (12.2 * GB, 1.2e-6),
    "omni-path-100": (12.1 * GB, 1.2e-6), "ethernet-25g": (2.94 * GB, 20e-6),
}
STARPU_LATENCY = {"down": 9.5e-6, "up": 11.5e-6, "peer": 13e-6}  # StarPU 1.4.4 on 8 A100: 9 to 10, 11 to 12, 12 to 14 us (starpu-runtime/starpu issue 33)


class Bus:
    """Links and routes between RAM and GPUs."""

    def __init__(self, gpus):
        self.gpus, self.links, self.routes = gpus, {}, {}

    def link(self, name, bandwidth, latency=0.0):
        self.links[name] = {"name": name, "bandwidth_Bps": digits(bandwidth), "latency_s": latency}
        return name

    def host(self, down, up, switch=1, latency=STARPU_LATENCY, both=None):
        """Links between RAM and each GPU; `switch` GPUs behind one PCIe switch share its link to the host. `both`: of both directions together."""
        for g in range(self.gpus):
            to, back = [self.link(f"RAM-CUDA{g}", down, latency["down"])], [self.link(f"CUDA{g}-RAM", up, latency["up"])]
            if both:
                for names in (to, back):
                    names.append(self.link(f"PCIe{g}", both))
            if switch > 1:
                to.append(self.link(f"switch{g // switch} down", down))
                back.append(self.link(f"switch{g // switch} up", up))
            self.routes["ram", f"cuda{g}"], self.routes[f"cuda{g}", "ram"] = to, back

    def ports(self, bandwidth):
        """A switch between GPUs that limits nothing but each GPU's own ports."""
        for a in range(self.gpus):
            for b in range(self.gpus):
                if a != b:
                    self.routes[f"cuda{a}", f"cuda{b}"] = [self.link(f"CUDA{a} out", bandwidth, STARPU_LATENCY["peer"]), self.link(f"CUDA{b} in", bandwidth)]

    def mesh(self, pairs, latency):
        """Links between pairs of GPUs, each way; the others are reached over the fewest of them, then over the widest."""
        neighbours = {g: {} for g in range(self.gpus)}
        for (a, b), bandwidth in pairs.items():
            neighbours[a][b] = neighbours[b][a] = bandwidth
        for a in range(self.gpus):
            paths = {a: (0, -float("inf"), [a])}
            for hops in range(1, self.gpus):
                for c, (_, width, path) in [p for p in paths.items() if p[1][0] == hops - 1]:
                    for b, bandwidth in neighbours[c].items():
                        found = (hops, max(width, -bandwidth), path + [b])
                        if b not in paths or (paths[b][0] == hops and found < paths[b]):
                            paths[b] = found
            for b in range(self.gpus):
                if a != b:
                    path = paths[b][2]
                    self.routes[f"cuda{a}", f"cuda{b}"] = [self.link(f"CUDA{x}-CUDA{y}", neighbours[x][y], latency) for x, y in zip(path, path[1:])]

    def card(self, number, memory, out, back):
        """Links between a network card and a memory, each way."""
        self.routes[memory, f"nic{number}"], self.routes[f"nic{number}", memory] = out, back

    def cards_behind_switches(self, cards, switch):
        """As many cards as GPUs behind each PCIe switch, which also lead to the RAM over the switch."""
        for c in range(cards):
            first = c // switch * switch
            for g in range(first, first + switch):
                self.card(c, f"cuda{g}", [f"CUDA{g}-RAM"], [f"RAM-CUDA{g}"])
            to, back = ([f"switch{c // switch} down"], [f"switch{c // switch} up"]) if switch > 1 else ([f"RAM-CUDA{c}"], [f"CUDA{c}-RAM"])
            self.card(c, "ram", to, back)

    def cards_at_processors(self):
        """A card at the processor of each GPU, 50 GB/s (PCIe 4 ESM). Its own GPU reaches it over its link to the processor, which is the wider one, the others over that GPU; messages of the
        RAM cross as few links, so that GPUs receive theirs."""
        for c in range(self.gpus):
            self.card(c, "ram", [self.link(f"RAM-NIC{c}", 50 * GB)], [self.link(f"NIC{c}-RAM", 50 * GB)])
            for g in range(self.gpus):
                self.card(c, f"cuda{g}", self.routes.get((f"cuda{g}", f"cuda{c}"), []) + [f"CUDA{c}-RAM"], [f"RAM-CUDA{c}"] + self.routes.get((f"cuda{c}", f"cuda{g}"), []))

    def outgoing(self, bandwidth):
        """What a GPU sends to all others together."""
        for (a, b), names in self.routes.items():
            if "ram" not in (a, b) and "nic" not in a + b:
                names.append(self.link(f"{a.upper()} out", bandwidth))

    def json(self):
        return {"links": list(self.links.values()), "routes": [{"from": a, "to": b, "links": names} for (a, b), names in self.routes.items()],
                "parallel_copies": True}


def all_pairs(gpus, bandwidth):
    return {(a, b): bandwidth for a in range(gpus) for b in range(a + 1, gpus)}


def nvidia4(bandwidth, down, up, both=None, cards_at_processors=False):
    def build():
        bus = Bus(4)
        bus.host(down, up, both=both)
        bus.mesh(all_pairs(4, bandwidth), STARPU_LATENCY["peer"])
        if cards_at_processors:
            bus.cards_at_processors()
        return bus
    return build


def nvswitch8(port, down, up, switch, both=None):
    def build():
        bus = Bus(8)
        bus.host(down, up, switch, both=both)
        bus.ports(port)
        bus.cards_behind_switches(8, switch)
        return bus
    return build


def mi250x():
    bus = Bus(8)
    bus.host(26.5 * GB, 26.5 * GB, latency={"down": 10e-6, "up": 10e-6})
    cards = {(g, g + 1): 148 * GB for g in (0, 2, 4, 6)}
    bus.mesh({**cards, (0, 6): 76 * GB, (2, 4): 76 * GB, **{pair: 38 * GB for pair in ((0, 2), (1, 3), (1, 5), (3, 7), (4, 6), (5, 7))}}, 10e-6)
    for c in range(4):  # beside the second die of each card
        near, far = 2 * c + 1, 2 * c
        out, back = bus.link(f"CUDA{near}-NIC{c}", 50 * GB), bus.link(f"NIC{c}-CUDA{near}", 50 * GB)
        bus.card(c, f"cuda{near}", [out], [back])
        bus.card(c, f"cuda{far}", [f"CUDA{far}-CUDA{near}", out], [back, f"CUDA{near}-CUDA{far}"])
        bus.card(c, "ram", [f"RAM-CUDA{near}", out], [back, f"CUDA{near}-RAM"])
        for g in range(8):
            if g not in (near, far):
                bus.card(c, f"cuda{g}", [f"CUDA{g}-RAM", f"RAM-CUDA{near}", out], [back, f"CUDA{near}-RAM", f"RAM-CUDA{g}"])
    return bus


def mi300a():
    bus = Bus(4)
    bus.mesh(all_pairs(4, 89 * GB), 10e-6)
    bus.outgoing(418 * GB / 4)
    name = {f"cuda{g}": f"ram{g or ''}" for g in range(4)}
    bus.routes = {(name[a], name[b]): links for (a, b), links in bus.routes.items()}
    return bus


def pcie2(host, peer):
    def build():
        bus = Bus(2)
        bus.host(host, host)
        for a, b in ((0, 1), (1, 0)):
            bus.routes[f"cuda{a}", f"cuda{b}"] = [bus.link(f"CUDA{a}-CUDA{b}", peer, STARPU_LATENCY["peer"])]
        return bus
    return build


GiB = 2**30
G5K = "as Grid'5000 publishes it (grid5000/reference-repository, 2026-03-23)"
FLAT = {"estimate": True, "provenance": "Switches that never limit: ASSUMED."}
STARPU33 = "about 250 GB/s alone, copy engine: starpu-runtime/starpu issue 33"
MACHINES = {
    "a100x4": dict(gpu="a100", gpus=4, cpu="EPYC 7763", sockets=1, ram=256e9, card="slingshot-11", cards=4, bus=nvidia4(93.1 * GB, 25 * GB, 25 * GB, 36 * GB),
                   text="as a node of Perlmutter: 4 A100, each pair joined by 4 NVLink (93.1 GB/s, MPI, EESSI/software-layer 716); PCIe 4 to the host 25 GB/s, "
                        "36 in both directions together (NVIDIA/nvbandwidth 53)"),
    "a100x8": dict(gpu="a100", gpus=8, cpu="EPYC 7742", sockets=2, ram=1024e9, card="infiniband-hdr", cards=8, bus=nvswitch8(250 * GB, 25 * GB, 25 * GB, 2, 36 * GB),
                   text=f"DGX A100: NVSwitch, {STARPU33}; the ports of each GPU limit, the switch does not; two GPUs and two cards behind one PCIe "
                        "switch, 25 GB/s, 36 in both directions together (NVIDIA/nvbandwidth 53)"),
    "h100x4": dict(gpu="h100", gpus=4, cpu="Xeon 8480+", sockets=2, ram=512e9, card="infiniband-ndr", cards=4, bus=nvidia4(126 * GB, 54.8 * GB, 46.8 * GB),
                   text="a board of 4 H100, each pair joined by 6 NVLink: 150 GB/s, of which 84 % as measured behind NVSwitch; PCIe 5: 54.8 GB/s to the GPU, 46.8 back (Voltage "
                        "Park)"),
    "h100x8": dict(gpu="h100", gpus=8, cpu="Xeon 8480+", sockets=2, ram=2048e9, card="infiniband-ndr", cards=8, bus=nvswitch8(378 * GB, 54.8 * GB, 46.8 * GB, 1),
                   text="DGX H100: NVSwitch, 376 to 380 GB/s for a pair alone (NVIDIA/nccl 1264); PCIe 5: 54.8 GB/s to the GPU, 46.8 back (Voltage Park); a "
                        "card behind the PCIe switch of each GPU"),
    "gh200x4": dict(gpu="gh200", gpus=4, cpu="Grace", sockets=4, ram=512e9, card="slingshot-11", cards=4, bus=nvidia4(126 * GB, 346 * GB, 294 * GB, cards_at_processors=True),
                    text="as a node of Alps: 4 GH200, each pair joined by 6 NVLink: 150 GB/s, of which 84 %; NVLink-C2C: 346 GB/s to the GPU, 15 % less back "
                         "(NVIDIA/nvbandwidth 23); a network card at the processor of each (eth-cscs/cscs-docs, hardware)"),
    "mi250x": dict(gpu="mi250x", gpus=8, cpu="EPYC 7A53", sockets=1, cores=56, ram=512e9, card="slingshot-11", cards=4, bus=mi250x,
                   text="as a node of Frontier: 4 cards of two dies, each die a GPU; 148 GB/s inside a card, 76 over two links, 38 over one (Pearson, arXiv 2302.14827); which "
                        "dies are joined is from memory of that paper; 25 to 28 GB/s to the host; a network card at each card, not at the CPU (Frontier user guide), 50 GB/s (PCIe 4 ESM), "
                        "at its second die (assumed); 56 cores, one of each L3 cache is reserved"),
    "mi300a": dict(gpu="mi300a", gpus=4, cpu="Zen 4 of MI300A", sockets=4, unified=True, ram=512e9, card="slingshot-11", cards=4, bus=mi300a,
                   text="as a node of El Capitan: 4 APUs, 89 GB/s for a pair, 418 for copies of all to all (design note of an NTT code). CPU and GPU of an APU share its memory, nothing "
                        "is copied between them; tiles start in that of the first APU"),
    "leonardo-booster": dict(gpu="a100-leonardo", gpus=4, cpu="Xeon 8358", sockets=1, ram=512e9, card="infiniband-hdr100", cards=4, bus=nvidia4(93.1 * GB, 25 * GB, 25 * GB),
                             text="a Booster node of Leonardo (De Sensi et al., arXiv 2408.14090, section II): 4 A100 made for it, each pair joined by 4 NVLink (93.1 GB/s as measured on "
                                  "such a board, EESSI/software-layer 716), PCIe 4 to the host 25 GB/s (NVIDIA/nvbandwidth 53)"),
    "epyc-7763": dict(cpu="EPYC 7763", sockets=2, ram=512e9, card="slingshot-11", cards=1, text="as a CPU node of Perlmutter or LUMI"),
    "epyc-9654": dict(cpu="EPYC 9654", sockets=2, ram=768e9, card="infiniband-ndr", cards=1, text="two sockets"),
    "xeon-8358": dict(cpu="Xeon 8358", sockets=2, ram=512e9, card="infiniband-hdr", cards=1, text="two sockets"),
    "xeon-8480": dict(cpu="Xeon 8480+", sockets=2, ram=512e9, card="infiniband-hdr100", cards=1, text="as a CPU node of Leonardo"),
    "grace": dict(cpu="Grace", sockets=2, ram=480e9, card="infiniband-ndr", cards=1, text="a Grace superchip of two sockets"),
    "chuc": dict(file="grid5000", gpu="a100", gpus=4, cpu="EPYC 7513", sockets=1, ram=512 * GiB, card="ethernet-25g", cards=1, bus=nvidia4(93.1 * GB, 25 * GB, 25 * GB),
                 text=f"{G5K}; links between GPUs and to the host as a100x4"),
    "grouille": dict(file="grid5000", gpu="a100-pcie", gpus=2, cpu="EPYC 7452", sockets=2, ram=128 * GiB, card="ethernet-25g", cards=1, bus=pcie2(25 * GB, 20 * GB),
                     text=f"{G5K}; PCIe 4: 25 GB/s to the host and 20 between GPUs through the sockets, as measured on another node (sirocco-a100)"),
    "chirop": dict(file="grid5000", cpu="Xeon 8358", sockets=2, ram=512 * GiB, card="ethernet-25g", cards=1, text=G5K),
    "gros": dict(file="grid5000", cpu="Xeon Gold 5220", sockets=1, ram=96 * GiB, card="ethernet-25g", cards=1, text=G5K),
    "grvingt": dict(file="grid5000", cpu="Xeon Gold 6130", sockets=2, ram=192 * GiB, card="omni-path-100", cards=1, text=G5K),
    "grdix": dict(file="grid5000", cpu="EPYC 9754", sockets=2, ram=1024 * GiB, card="infiniband-hdr", cards=1, text=G5K),
    "dahu": dict(file="grid5000", cpu="Xeon Gold 6130", sockets=2, ram=192 * GiB, card="omni-path-100", cards=1, text=G5K),
    "yeti": dict(file="grid5000", cpu="Xeon Gold 6130", sockets=4, ram=768 * GiB, card="omni-path-100", cards=1, text=G5K),
    "paradoxe": dict(file="grid5000", cpu="Xeon Gold 5320", sockets=2, ram=384 * GiB, card="ethernet-25g", cards=1, text=G5K),
    "bora": dict(cpu="Xeon Gold 6240", sockets=2, ram=192 * GiB, card="omni-path-100", cards=1, text="a node of PlaFRIM; processor, RAM and card are FROM MEMORY"),
}
# Clusters: (node type, number of nodes), platforms whose node types these are besides the type's own, network and where the numbers are from.
CLUSTERS = {
    "frontier": dict(nodes=[("mi250x", 9856)], network={"preset": "frontier"}, text="9856 nodes in 77 cabinets: Frontier user guide"),
    "lumi-g": dict(nodes=[("mi250x", 2978)], network={"preset": "lumi-g"}, text="2978 nodes: LUMI user guide"),
    "lumi-c": dict(nodes=[("epyc-7763", 2048)], network={"preset": "lumi-c"}, text="2048 nodes: LUMI user guide"),
    "alps": dict(nodes=[("gh200x4", 2688)], network={"preset": "alps"}, text="2688 nodes of four GH200 of 24 cabinets: CSCS documentation; its other nodes are left out"),
    "leonardo": dict(nodes=[("leonardo-booster", 3456)], network={"preset": "leonardo"}, text="3456 Booster nodes: CINECA"),
    "leonardo-dc": dict(nodes=[("xeon-8480", 1536)], network=FLAT,
                        text="1536 nodes of Leonardo without GPUs: CINECA. Their groups of its dragonfly+ are not known: here switches that never limit"),
    "plafrim": dict(nodes=[("bora", 44), ("sirocco-k40m", 5), ("sirocco-p100", 7), ("sirocco-v100", 4), ("sirocco-a100", 1)], network={**FLAT, "preset": "omni-path-100"},
                    text="Numbers of bora and sirocco nodes: a public listing of its batch system (44 bora, sirocco01 to 21). Which of the siroccos have which GPUs is FROM MEMORY (01 to 05 "
                         "K40m, 07 to 13 P100, 14 to 17 V100, 21 A100). All nodes have the card of bora; the siroccos' own networks differ"),
    "grid5000-lille": dict(nodes=[("chuc", 8), ("chirop", 5), ("chifflot", 8)], merge=["grid5000", "lille"], network={**FLAT, "preset": "ethernet-25g"}, text=f"{G5K}: site of Lille"),
    "grid5000-nancy": dict(nodes=[("gros", 124), ("grvingt", 63), ("grdix", 16), ("grouille", 2)], merge=["grid5000"], network=FLAT,
                           text=f"{G5K}: site of Nancy. grvingt's Omni-Path and grdix's InfiniBand are networks of their own: messages to other clusters go over Ethernet, which is not here"),
    "grid5000-grenoble": dict(nodes=[("dahu", 32), ("yeti", 4)], merge=["grid5000"], network=FLAT, text=f"{G5K}: site of Grenoble, Omni-Path"),
    "grid5000-rennes": dict(nodes=[("paradoxe", 64)], merge=["grid5000"], network=FLAT, text=f"{G5K}: site of Rennes"),
}


def digits(number):
    """Returns the number with four significant digits, as an integer if it is one."""
    short = float(f"{number:.4g}")
    return int(short) if short == int(short) and abs(short) >= 1 else short


def conversions(kernel, precision, bandwidth):
    """Returns seconds per element of a tile to convert what a kernel reads to single precision, and what it writes back."""
    return TILES[kernel] * (BYTES[precision] + BYTES["single"]) / bandwidth


def core_rate(kernel, precision, cpu):
    """Returns a rate of a core. TF32 is single precision there; shorter elements are converted, and the core has its part of the socket's bandwidth."""
    cores, peak, _, bandwidth = CPUS[cpu]
    out = {"flops_per_second": digits(CORE[kernel] * peak * (1 if precision == "double" else 2))}
    if BYTES[precision] < 4:
        out |= {"per_element_s": digits(conversions(kernel, precision, bandwidth / cores)), "min_nb": SMALLEST, "max_nb": LARGEST}
    return out


def gpu_rate(kernel, precision, gpu):
    """Returns a rate of a GPU; None without one. Products run on matrix units, syrk there as a product of whole tiles; other kernels of elements shorter than single precision convert
    them, and of TF32 are those of single precision."""
    form, launch, column, element = "single" if precision in MATRIX_UNITS else precision, LAUNCH, 0, 0
    if precision in MATRIX_UNITS and kernel in ("gemm", "syrk"):
        form = precision
        part, rows = gpu["parts"][precision]
        rate = part * gpu["peaks"][precision] * TF
        element = 2 * rows / rate
        if kernel == "syrk":
            rate /= 2
    elif kernel in OF_PEAK:
        rate = OF_PEAK[kernel] * gpu["peaks"][form] * TF
    elif kernel not in OVER_GEMM:
        return None
    elif form == "double":
        rate, column = OVER_GEMM[kernel] * gpu["gemm"], PER_COLUMN[gpu["maker"]].get(kernel, 0)
    else:
        part, rows = gpu["parts"]["single"]
        rate, column = OVER_GEMM_SINGLE[kernel] * part * gpu["peaks"]["single"] * TF, PER_COLUMN_SINGLE[gpu["maker"]].get(kernel, 0)
        element = 2 * rows / (part * gpu["peaks"]["single"] * TF) if kernel == "gemm" else 0
    if form != precision and BYTES[precision] < 4:
        element += conversions(kernel, precision, gpu["bandwidth"])
        launch *= 1 + TILES[kernel]
    return {"flops_per_second": digits(rate), "launch_s": digits(launch), **({"per_column_s": digits(column)} if column else {}),
            **({"per_element_s": digits(element)} if element else {}), "min_nb": SMALLEST, "max_nb": LARGEST}


def rates(machine):
    """Returns {kernel: [timing]}, in the precisions that the GPUs have, or all without GPUs."""
    out = {}
    gpu = GPUS.get(machine.get("gpu"))
    for precision in sorted(BYTES if gpu is None else BYTES.keys() & gpu["peaks"].keys()):
        for kernel in CORE:
            timings = out.setdefault(kernel, [])
            timings.append({"precision": precision, "worker": "cpu", **core_rate(kernel, precision, machine["cpu"])})
            if gpu and (rate := gpu_rate(kernel, precision, gpu)):
                timings += [{"precision": precision, "worker": f"cuda{g}", **rate} for g in range(machine["gpus"])]
    return dict(sorted(out.items()))


def power(machine):
    """Returns the powers; None where one is not known."""
    cores, _, limit, _ = CPUS[machine["cpu"]]
    gpu = GPUS.get(machine.get("gpu"), {"idle_W": 0, "limit_W": 0})
    if limit is None or "idle_W" not in gpu:
        return None
    idle = limit / 3
    out = {"core_W": digits((limit - idle) / cores), "gpu_W": gpu["limit_W"] - gpu["idle_W"],
           "idle_W": digits(machine["sockets"] * idle + machine.get("gpus", 0) * gpu["idle_W"])}
    if gpu["idle_W"]:
        out["gpu_idle_W"] = gpu["idle_W"]
    return out


def node_type(name, machine):
    cores = CPUS[machine["cpu"]][0]
    bandwidth, latency = CARDS[machine["card"]]
    powers = power(machine)
    cards = f"{machine['cards']} cards of {machine['card']}" if machine["cards"] > 1 else f"a card of {machine['card']}"
    watts = " Powers: limits of the data sheets; a third of that of a socket idle (assumed); without memory, disks and fans." if powers else ""
    described = {"cores": machine.get("cores", cores * machine["sockets"]), "sockets": machine["sockets"]}
    if "gpu" in machine:
        gpu = GPUS[machine["gpu"]]
        unified = machine.get("unified")
        described["gpus"] = [{"model": gpu["model"], **({} if unified else {"memory_bytes": int(gpu["memory"])})} for _ in range(machine["gpus"])]
        if unified:
            described |= {"unified_memory": True, "numa_nodes": machine["gpus"]}
    described |= {"ram_bytes": int(machine["ram"]), "kernels": f"../models/kernels/{name}.json",
                  "nic": {"bandwidth_Bps": digits(bandwidth), "latency_s": latency / 2}}
    if machine["cards"] > 1:
        described["nics"] = machine["cards"]
    if "bus" in machine:
        described["bus"] = machine["bus"]().json()
    if powers:
        described["power"] = powers
    return described | {"estimate": True, "provenance": f"Not measured: {machine['text']}. {machine['sockets']} x {machine['cpu']}. Network: {cards}.{watts}"}


def platforms():
    """Returns {file: platform}."""
    out = {}
    for name, machine in MACHINES.items():
        document = out.setdefault(machine.get("file", name), {
            "format": "factosim-platform", "version": 1, "node_types": {},
            "network": {"estimate": True, "provenance": "Switches that never limit, as measured on Slingshot (De Sensi et al., arXiv 2408.14090: another group costs under 1 %)."}})
        document["node_types"][name] = node_type(name, machine)
    for document in out.values():
        if len(document["node_types"]) > 1:
            document["nodes"] = [{"type": name, "count": 1} for name in document["node_types"]]
    return out


def cluster(described):
    """Returns a platform of other platforms: the file of each node type, unless others are named."""
    files = dict.fromkeys(MACHINES.get(name, {}).get("file", name) for name, _ in described["nodes"])
    return {"format": "factosim-platform", "version": 1, "$comment": described["text"] + ".", "merge": described.get("merge", list(files)),
            "network": described["network"], "nodes": [{"type": name, "count": count} for name, count in described["nodes"]]}


def kernels(name, machine):
    gpu = GPUS.get(machine.get("gpu"))
    on_gpus = "" if gpu is None else (
        f" GPU: {gpu['source']}; trsm, syrk and potrf by the ratios of an A100 ({CHAMELEON})"
        f"{', potrf 4.3 us per column as an MI250X (ROCm/rocm-jax issue 278)' if gpu['maker'] == 'amd' else ''}; ormqr and tpmqrt 0.23 and 0.26 of the peak, "
        f"as a K40m, P100 and V100. Products in other precisions than double: parts of the peak by the rows of the tile as {gpu['parts_of']}, measured by others "
        "(tests/models/published_gemm.csv), syrk on matrix units as a product of whole tiles, other kernels as in single precision, with the conversion of shorter elements.")
    text = f"Not measured.{on_gpus} Cores: parts of the peak at the base clock ({CPUS[machine['cpu']][1] / 1e9:g} GFlop/s) as fitted to seven measured machines, elements shorter than " \
           f"single precision converted to it. Left out one by one, GPUs are off by 24 % (gemm) to 33 % (trsm), in products of other precisions by 15 %, and cores by 11 to 66 % (root " \
           f"mean square; tests/models/leave_one_out.py)."
    return {"format": "factosim-kernels", "version": 1, "machine": name, "provenance": text, "estimate": True, "kernels": rates(machine)}


def kernels_text(document):
    """Returns the text of a kernel file as factosim writes it, one timing a line."""
    head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in document.items() if key != "kernels")
    kernels = ",\n".join(f"    {json.dumps(name)}: [\n      " + ",\n      ".join(map(json.dumps, timings)) + "\n    ]" for name, timings in document["kernels"].items())
    return "{\n" + head + '  "kernels": {\n' + kernels + "\n  }\n}\n"


def holds(read, document):
    """Returns whether what was read, which states defaults too, has all values of the document."""
    if isinstance(document, dict):
        return all(key in read and holds(read[key], value) for key, value in document.items())
    if isinstance(document, list) and document and isinstance(document[0], dict) and "from" in document[0]:  # routes, in any order
        return len(read) == len(document) and all(route in read for route in document)
    return read == document


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    check, differs = parser.parse_args().check, 0
    files = {f"platforms/{name}.json": document for name, document in platforms().items()}
    files |= {f"models/kernels/{name}.json": kernels(name, machine) for name, machine in MACHINES.items()}
    files |= {f"platforms/clusters/{name}.json": cluster(described) for name, described in CLUSTERS.items()}
    for name, document in files.items():
        path = ROOT / name
        if not check:
            path.write_text(kernels_text(document) if "kernels" in document else json.dumps(document, indent=2) + "\n")
        elif not path.exists() or not holds(json.loads(path.read_text()), document):
            print(f"{name} does not have the values that {pathlib.Path(__file__).name} gives it")
            differs = 1
    return differs


if __name__ == "__main__":
    sys.exit(main())
