"""Files of other tools: SimGrid's platforms in XML, StarPU's bus measurements and performance models."""

SPEEDS = ["1Gf", "1", "0", "-1Gf", "1e300f", "nan", "1Gf,2Gf", "", "1Zf", "abc"]
RATES = ["1GBps", "125MBps", "10Gbps", "0", "-5MBps", "1e300Bps", "nan", "inf", "", "1", "1 GBps", "1GBps,2GBps"]
DELAYS = ["1us", "50us", "0", "1ms", "-1us", "1e300s", "nan", "1h", "", "5", "1e-30s"]
ROUTINGS = ["Full", "Floyd", "Dijkstra", "DijkstraCache", "None", "Vivaldi", "Cluster", "Star", "Wifi", "x"]


def attribute(random, good):
    """Mostly the first, right value."""
    return good[0] if random.random() < 0.85 else random.choice(good)


def simgrid_xml(random, damage):
    hosts = random.randint(1, 14)
    inside = []
    if random.random() < 0.3:
        inside.append(random.choice(['<config id="x"><prop id="tracing" value="yes"/><prop id="tracing/filename" value="PWN"/></config>',
                                     '<config><prop id="network/model" value="LV08"/></config>', '<prop id="a" value="b"/>',
                                     '<include file="other.xml"/>', '<trace id="t" file="/etc/passwd"/>', '<!-- x -->', '<![CDATA[x]]>',
                                     '<random id="r" seed="1"/>', '<storage id="s" typeId="t" attach="h0"/>']))
    kind = random.random()
    if kind < 0.35:
        inside.append(f'<cluster id="c" prefix="{random.choice(["h", "", "a&amp;b"])}" suffix="" radical="{random.choice([f"0-{hosts}", "0-3,7", "3-1", "0-99999999", "x", "", "-1-2"])}" '
                      f'speed="{attribute(random, SPEEDS)}" bw="{attribute(random, RATES)}" lat="{attribute(random, DELAYS)}" '
                      f'bb_bw="{attribute(random, RATES)}" bb_lat="{attribute(random, DELAYS)}" '
                      f'topology="{attribute(random, ["FLAT", "TORUS", "FAT_TREE", "DRAGONFLY", "X"])}" topo_parameters="{random.choice(["", "2,2", "2;2,2;1,2;1,2", "0,0", "99999,99999", ";;"])}"/>')
    else:
        inside += [f'<host id="h{i}" speed="{attribute(random, SPEEDS)}"/>' for i in range(hosts)]
        inside += [f'<link id="l{i}" bandwidth="{attribute(random, RATES)}" latency="{attribute(random, DELAYS)}" '
                   f'sharing_policy="{attribute(random, ["SHARED", "FATPIPE", "SPLITDUPLEX", "WIFI", "x"])}"/>' for i in range(hosts)]
        for a in range(hosts):
            for b in range(hosts) if random.random() < 0.9 else ():
                if a < b:
                    inside.append(f'<route src="h{a}" dst="h{attribute(random, [b, a, 77])}" symmetrical="{attribute(random, ["YES", "NO", "x"])}">'
                                  f'<link_ctn id="l{attribute(random, [a, b, 77])}"/></route>')
    if random.random() < 0.3:
        random.shuffle(inside)
    zone = "".join(inside)
    for _ in range(random.choice([0, 0, 0, 1, 200])):
        zone = f'<zone id="z{len(zone)}" routing="Full">{zone}</zone>'
    text = ('<?xml version="1.0"?>\n' + random.choice(['<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'] * 6 + [
        "", '<!DOCTYPE platform [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n',
        '<!DOCTYPE platform SYSTEM "file:///etc/passwd">\n']) +
        f'<platform version="{attribute(random, ["4.1", "4", "3", "0", "99", "x"])}"><zone id="z" routing="{attribute(random, ROUTINGS)}">{zone}</zone></platform>\n')
    if random.random() < 0.15:
        return damage.octets(random, text.encode())
    if random.random() < 0.1:
        return random.choice([text[:len(text) // 2], text.replace('"', "'"), text.replace("/>", ">"), text + text, text.encode("utf-16"), "", "\0" * 100,
                              text.replace("<zone", "<AS").replace("</zone", "</AS")])
    return text


def starpu_bus(random):
    gpus = random.randint(0, 3)
    memories = range(gpus + 1)
    matrix = {name: "# to " + " ".join(map(str, memories)) + "\n" +
              "".join(" ".join("0.0" if a == b else f"{value * (1 + a + b):.3f}" for b in memories) + "\n" for a in memories)
              for name, value in (("bandwidth", 3000), ("latency", 9))}
    hosts = "".join(f'<host id="CUDA{g}" speed="2000Mf"><prop id="memsize" value="{10 ** 9}"/><prop id="model" value="G"/></host>\n' for g in range(gpus))
    links = "".join(f'<link id="CUDA{g}-Host" bandwidth="6000MBps" latency="9us"/>\n<link id="Host-CUDA{g}" bandwidth="6000MBps" latency="9us"/>\n'
                    for g in range(gpus))
    routes = "".join(f'<route src="CUDA{g}" dst="RAM" symmetrical="NO"><link_ctn id="CUDA{g}-Host"/></route>\n'
                     f'<route src="RAM" dst="CUDA{g}" symmetrical="NO"><link_ctn id="Host-CUDA{g}"/></route>\n' for g in range(gpus))
    return {"host.config": f"# Current configuration\n8 # Number of CPUs\n1 # Number of NUMA nodes\n{gpus} # Number of CUDA devices\n0 # Number of OpenCL devices\n",
            "host.affinity": "# GPU NUMA0\n" + "".join(f"{g} 0\n" for g in range(gpus)),
            **{f"host.{name}": text for name, text in matrix.items()},
            "host.platform.v4.xml": "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform version=\"4\">\n"
            f'<zone id="z" routing="Full">\n<host id="RAM" speed="1f"/>\n{hosts}{links}{routes}</zone>\n</platform>\n'}


def perfmodel(random):
    rows = [(960, 22118400, 3.5e4, 10), (480, 5529600, 4.5e3, 20), (320, 2457600, 1.4e3, 3)]
    footprints = ["24c84a50", "cea37d6d", "d46431bb"]
    entries = "".join(f"{footprints[i]}\t{size}\t{2.0 * nb ** 3:e}\t{mean:e}\t{mean / 100:e}\t{mean * n:e}\t{mean * mean * n * 1.0001:e}\t{n}\n"
                      for i, (nb, size, mean, n) in enumerate(rows[:random.randint(1, 3)]))
    head = "##################\n# Performance Model Version\n45\n\n####################\n# COMBs\n# number of combinations\n1\n"
    comb = ("####################\n# COMB_1\n# number of types devices\n1\n####################\n# DEV_0\n# device id\n0\n####################\n"
            "# device type\n0\n# number of cores\n1\n##########\n# number of implementations\n1\n#####\n# Model for cpu0_impl0 (Comb1)\n# number of entries\n"
            f"{entries.count(chr(10))}\n# sumlnx\tsumlnx2\tsumlny\tsumlnxlny\talpha\tbeta\tn\tminx\tmaxx\n" + "0.0\t" * 4 + "nan\tnan\t0\t0\t0\n# a\tb\tc\nnan\tnan\tnan\n"
            "# not multiple-regression-base\n0\n# hash\tsize\tflops\tmean (us)\tdev (us)\tsum\tsum2\tn\n")
    return {f"starpu_dlu_lu_model_{kernel}.host": head + comb + entries for kernel in random.sample(["gemm", "trsm_ll", "getrf"], 2)}


def to_convert(random):
    """A workflow of Pegasus, input of HPL, or a list of tasks with their times."""
    kind, count = random.choice(["dax", "hpl", "tasks"]), random.randint(1, 12)
    if kind == "tasks":
        return "".join(f"{t} {random.random():.3f} {random.random() / 9:.3f}{f' {random.randrange(t)}' if t else ''}\n" for t in range(count))
    if kind == "hpl":
        lists = "".join(f"{n}  # of values\n{' '.join(map(str, values[:n]))}\n" for n, values in ((count % 3 + 1, [9600, 960, 5000]), (1, [960])))
        return f"HPLinpack benchmark input file\nof us\nHPL.out\n6\n{lists}0  PMAP\n1  # of grids\n1  Ps\n{count}  Qs\n16.0  threshold\n1  #\n2  PFACTs\n"
    files = [f'<uses file="f{j}" link="{{}}" size="{random.randint(0, 10 ** 6)}"/>' for j in range(count)]
    jobs = "".join(f'<job id="j{j}" name="k{j % 3}" runtime="{random.random():.2f}">\n{files[j].format("output")}\n'
                   f'{files[random.randrange(j)].format("input") if j else ""}\n</job>\n' for j in range(count))
    links = "".join(f'<child ref="j{j}"><parent ref="j{random.randrange(j)}"/></child>\n' for j in range(1, count))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE adag [\n<!ELEMENT adag ANY>\n]>\n<adag version="3.6">\n{jobs}{links}</adag>\n'
