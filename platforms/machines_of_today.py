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

# Parts of the peak of a core, fitted to seven measured machines (tests/models/leave_one_out.py, 2026-11-23).
CORE = {"gemm": 0.86, "syrk": 0.80, "trsm": 0.68, "potrf": 0.67, "getrf": 0.45, "geqrt": 0.54, "tpqrt": 0.54, "ormqr": 0.22, "tpmqrt": 0.21}
# On GPUs. Rates over that of gemm, and seconds per column on NVIDIA's and AMD's: an A100 at tiles of 800 and 1600; potrf of an MI250X.
OVER_GEMM = {"gemm": 1, "syrk": 13.2 / 15.9, "trsm": 6.9 / 15.9, "potrf": 2.3 / 15.9}
PER_COLUMN = {"nvidia": {"trsm": 0.32e-6, "potrf": 1.41e-6}, "amd": {"trsm": 0.32e-6 * 4.3 / 1.41, "potrf": 4.3e-6}}
# Parts of the peak, fitted to a K40m, P100 and V100.
OF_PEAK = {"ormqr": 0.23, "tpmqrt": 0.26}
SINGLE = 14.5 / 19.5  # of gemm in single precision over the peak: an A100

CHAMELEON = "public performance models of Chameleon for an A100 (sirocco-a100-ctest)"
GPUS = {
    "a100": dict(model="A100 SXM4 40 GB", maker="nvidia", memory=40e9, peak=19.5 * TF, peak_single=19.5 * TF, gemm=15.9 * TF, idle_W=60, limit_W=400,
                 source=f"gemm 15.9 TFlop/s at tiles of 1600: {CHAMELEON}, a PCIe card; peaks and limit of 400 W: data sheet; idle 58 to 63 W: public logs"),
    "h100": dict(model="H100 SXM5 80 GB", maker="nvidia", memory=80e9, peak=67 * TF, peak_single=67 * TF, gemm=0.81 * 67 * TF, idle_W=72, limit_W=700,
                 source="gemm: 0.81 of the peak of 67 TFlop/s, as an A100 (HPL has 45.7 TFlop/s a GPU, Voltage Park); peaks and limit: data sheet; idle 69 to 76 W: "
                        "public logs"),
    "gh200": dict(model="GH200 96 GB", maker="nvidia", memory=96e9, peak=67 * TF, peak_single=67 * TF, gemm=0.81 * 67 * TF,
                  source="gemm: 0.81 of the peak of 67 TFlop/s, as an A100; peaks: data sheet"),
    "mi250x": dict(model="MI250X, one of two dies", maker="amd", memory=64e9, peak=47.9 * TF, peak_single=47.9 * TF, gemm=38 * TF, idle_W=47, limit_W=280,
                   source="gemm 38 TFlop/s for large matrices: ROCm/hipBLAS issue 584; peaks: Frontier user guide; 560 W a card of two dies: rocm-smi; idle 90 to 99 W a card of "
                          "an MI250: Hugging Face"),
    "mi300a": dict(model="MI300A, GPU part", maker="amd", memory=128e9, peak=122.6 * TF, peak_single=122.6 * TF, gemm=69 * TF,
                   source="gemm 69 TFlop/s at 7168: ROCm/rocWMMA issue 583; peaks: data sheet"),
}
# Cores of a socket, peak of a core at the base clock, power limit of a socket.
CPUS = {
    "EPYC 7763": (64, 39.2e9, 280), "EPYC 7742": (64, 36e9, 225), "EPYC 7A53": (64, 32e9, 225), "EPYC 9654": (96, 38.4e9, 360), "Xeon 8358": (32, 83.2e9, 250),
    "Xeon 8480+": (56, 64e9, 350), "Grace": (72, 49.6e9, 250), "Zen 4 of MI300A": (24, 59.2e9, None),
}
CARDS = {  # bandwidth of one, latency of a message
    "slingshot-11": (24.3 * GB, 2e-6), "infiniband-hdr": (24 * GB, 1.2e-6), "infiniband-ndr": (48 * GB, 1.2e-6), "infiniband-hdr100": (12.2 * GB, 1.2e-6),
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


def nvidia4(bandwidth, down, up, both=None):
    def build():
        bus = Bus(4)
        bus.host(down, up, both=both)
        bus.mesh(all_pairs(4, bandwidth), STARPU_LATENCY["peer"])
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
    "gh200x4": dict(gpu="gh200", gpus=4, cpu="Grace", sockets=4, ram=512e9, card="slingshot-11", cards=4, bus=nvidia4(126 * GB, 346 * GB, 294 * GB),
                    text="as a node of Alps: 4 GH200, each pair joined by 6 NVLink: 150 GB/s, of which 84 %; NVLink-C2C: 346 GB/s to the GPU, 15 % less back "
                         "(NVIDIA/nvbandwidth 23)"),
    "mi250x": dict(gpu="mi250x", gpus=8, cpu="EPYC 7A53", sockets=1, cores=56, ram=512e9, card="slingshot-11", cards=4, bus=mi250x,
                   text="as a node of Frontier: 4 cards of two dies, each die a GPU; 148 GB/s inside a card, 76 over two links, 38 over one (Pearson, arXiv 2302.14827); which "
                        "dies are joined is from memory of that paper; 25 to 28 GB/s to the host; a network card at each card, not at the CPU (Frontier user guide), 50 GB/s (PCIe 4 ESM), "
                        "at its second die (assumed); 56 cores, one of each L3 cache is reserved"),
    "mi300a": dict(gpu="mi300a", gpus=4, cpu="Zen 4 of MI300A", sockets=4, unified=True, ram=512e9, card="slingshot-11", cards=4, bus=mi300a,
                   text="as a node of El Capitan: 4 APUs, 89 GB/s for a pair, 418 for copies of all to all (design note of an NTT code). CPU and GPU of an APU share its memory, nothing "
                        "is copied between them; tiles start in that of the first APU"),
    "epyc-7763": dict(cpu="EPYC 7763", sockets=2, ram=512e9, card="slingshot-11", cards=1, text="as a CPU node of Perlmutter or LUMI"),
    "epyc-9654": dict(cpu="EPYC 9654", sockets=2, ram=768e9, card="infiniband-ndr", cards=1, text="two sockets"),
    "xeon-8358": dict(cpu="Xeon 8358", sockets=2, ram=512e9, card="infiniband-hdr", cards=1, text="two sockets"),
    "xeon-8480": dict(cpu="Xeon 8480+", sockets=2, ram=512e9, card="infiniband-hdr100", cards=1, text="as a CPU node of Leonardo"),
    "grace": dict(cpu="Grace", sockets=2, ram=480e9, card="infiniband-ndr", cards=1, text="a Grace superchip of two sockets"),
}


def digits(number):
    """Returns the number with four significant digits, as an integer if it is one."""
    short = float(f"{number:.4g}")
    return int(short) if short == int(short) and abs(short) >= 1 else short


def rates(machine):
    """Returns {kernel: [timing]}."""
    out, peak = {}, CPUS[machine["cpu"]][1]
    for precision, factor in (("double", 1), ("single", 2)):
        for kernel, part in CORE.items():
            out.setdefault(kernel, []).append({"precision": precision, "worker": "cpu", "flops_per_second": digits(part * peak * factor)})
        if "gpu" not in machine:
            continue
        gpu = GPUS[machine["gpu"]]
        gemm, top = (gpu["gemm"], gpu["peak"]) if precision == "double" else (SINGLE * gpu["peak_single"], gpu["peak_single"])
        rate = {**{k: part * gemm for k, part in OVER_GEMM.items()}, **{k: part * top for k, part in OF_PEAK.items()}}
        for kernel, flops in rate.items():
            column = PER_COLUMN[gpu["maker"]].get(kernel, 0)
            for g in range(machine["gpus"]):
                out[kernel].append({"precision": precision, "worker": f"cuda{g}", "flops_per_second": digits(flops), "launch_s": LAUNCH,
                                    **({"per_column_s": digits(column)} if column else {}), "min_nb": SMALLEST, "max_nb": LARGEST})
    return dict(sorted(out.items()))


def power(machine):
    """Returns the powers; None where one is not known."""
    cores, _, limit = CPUS[machine["cpu"]]
    gpu = GPUS.get(machine.get("gpu"), {"idle_W": 0, "limit_W": 0})
    if limit is None or "idle_W" not in gpu:
        return None
    idle = limit / 3
    out = {"core_W": digits((limit - idle) / cores), "gpu_W": gpu["limit_W"] - gpu["idle_W"],
           "idle_W": digits(machine["sockets"] * idle + machine.get("gpus", 0) * gpu["idle_W"])}
    if gpu["idle_W"]:
        out["gpu_idle_W"] = gpu["idle_W"]
    return out


def platform(name, machine):
    cores, peak, _ = CPUS[machine["cpu"]]
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
    described |= {"estimate": True, "provenance": f"Not measured: {machine['text']}. {machine['sockets']} x {machine['cpu']}. Network: {cards}.{watts}"}
    return {"format": "factosim-platform", "version": 1, "node_types": {name: described},
            "network": {"estimate": True, "provenance": "Switches that never limit, as measured on Slingshot (De Sensi et al., arXiv 2408.14090: another group costs under 1 %)."}}


def kernels(name, machine):
    gpu = f" GPU: {GPUS[machine['gpu']]['source']}; trsm, syrk and potrf by the ratios of an A100 ({CHAMELEON})" \
          f"{', potrf 4.3 us per column as an MI250X (ROCm/rocm-jax issue 278)' if GPUS[machine['gpu']]['maker'] == 'amd' else ''}; ormqr and tpmqrt 0.23 and 0.26 of the peak, " \
          f"as a K40m, P100 and V100." if "gpu" in machine else ""
    text = f"Not measured.{gpu} Cores: parts of the peak at the base clock ({CPUS[machine['cpu']][1] / 1e9:g} GFlop/s) as fitted to seven measured machines. Left out one by one, GPUs " \
           f"are off by 24 % (gemm) to 33 % (trsm) and cores by 11 to 66 % (root mean square; tests/models/leave_one_out.py)."
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
    for name, machine in MACHINES.items():
        for path, document in ((ROOT / f"platforms/{name}.json", platform(name, machine)), (ROOT / f"models/kernels/{name}.json", kernels(name, machine))):
            if not check:
                path.write_text(kernels_text(document) if "kernels" in document else json.dumps(document, indent=2) + "\n")
            elif not path.exists() or not holds(json.loads(path.read_text()), document):
                print(f"{path.relative_to(ROOT)} does not have the values that {pathlib.Path(__file__).name} gives it")
                differs = 1
    return differs


if __name__ == "__main__":
    sys.exit(main())
