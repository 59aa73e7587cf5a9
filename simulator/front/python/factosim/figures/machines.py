# mypy: ignore-errors
"""The machines of a platform: node types with their cores, memories, GPUs and rates, and the network that joins them."""

from .page import INK, MUTED, Page

EDGE, PANEL, CORE, MEMORY, GPU, BUS, NETWORK = "#999999", "#f5f5f5", "#56b4e9", "#f0e4b4", "#8cc6a4", "#d55e00", "#0072b2"
WIDTH, MARGIN, SWITCH, CARD = 760, 16, 96, 134
LEFT = MARGIN + SWITCH + CARD  # of the panels of machines
PANEL_WIDTH = WIDTH - MARGIN - LEFT
INNER = PANEL_WIDTH - 24
SUBNET, SUBNET_WIDTH = MARGIN + SWITCH + 56, 18
ROW, GAP, MEMORY_HEIGHT, GPU_HEIGHT, PART, WIRE = 18, 14, 34, 46, 22, 34
CORE_SIDE, CORE_GAP, MOST_CORES = 9, 2, 256
CORES_A_ROW = int(INNER / (CORE_SIDE + CORE_GAP))


class Machine:
    """The panel of one node type."""

    def __init__(self, page, kind):
        self.page, self.kind = page, kind
        self.left = LEFT + 12
        cores = kind["cores"] if kind["cores"] <= MOST_CORES else 0
        self.cores_height = -(-cores // CORES_A_ROW) * (CORE_SIDE + CORE_GAP) + ROW
        self.drawn_cores = cores
        self.wire = WIRE if any("rates" in gpu for gpu in kind["gpus"]) else 0
        gpus = len(kind["shared"]) * PART + self.wire + GPU_HEIGHT if kind["gpus"] else 0
        self.height = 12 + 2 * ROW + self.cores_height + MEMORY_HEIGHT + gpus + ROW * len(kind["notes"]) + 12

    def draw(self, top):
        page, kind = self.page, self.kind
        page.box(LEFT, top, PANEL_WIDTH, self.height, PANEL, EDGE)
        y = top + 12 + ROW / 2
        page.text(self.left, y, page.fitted(kind["name"], INNER, 14, True), 14, bold=True)
        page.text(self.left, y + ROW, page.fitted(kind["about"], INNER, 11), 11, color=MUTED)
        y += 1.5 * ROW + 2
        self.cores(y)
        y += self.cores_height
        self.memories(y)
        y += MEMORY_HEIGHT
        if kind["gpus"]:
            y = self.gpus(y)
        for note in kind["notes"]:
            page.text(self.left, y + ROW / 2, page.fitted(note, INNER, 11), 11, color=MUTED)
            y += ROW

    def cores(self, top):
        """Draws a square for each core: the dashes of one thick line a row."""
        for first in range(0, self.drawn_cores, CORES_A_ROW):
            count = min(CORES_A_ROW, self.drawn_cores - first)
            y = top + first // CORES_A_ROW * (CORE_SIDE + CORE_GAP) + CORE_SIDE / 2
            end = self.left + count * (CORE_SIDE + CORE_GAP) - CORE_GAP
            self.page.line([self.left, end], [y, y], CORE, self.page.points(CORE_SIDE), dashes=(1, CORE_GAP / CORE_SIDE))
        self.page.text(self.left, top + self.cores_height - ROW / 2 - 1, self.kind["cores_text"], 12)

    def memories(self, top):
        texts = self.kind["memories"]
        each = (INNER - (len(texts) - 1) * 4) / len(texts)
        for m, text in enumerate(texts):
            self.page.box(self.left + m * (each + 4), top, each, MEMORY_HEIGHT - 6, MEMORY)
            self.page.text(self.left + m * (each + 4) + each / 2, top + (MEMORY_HEIGHT - 6) / 2, self.page.fitted(text, each, 12), 12, "center")

    def middle(self, gpu):
        return self.left + (gpu + 0.5) * self.pitch

    def gpus(self, top):
        """From the RAM downwards: links that several GPUs share, the rates of each GPU, the GPUs. Returns the lower end."""
        page, kind = self.page, self.kind
        self.pitch = INNER / len(kind["gpus"])
        wires = top + len(kind["shared"]) * PART
        for g in range(kind["gpu_memories"]):
            page.line([self.middle(g)] * 2, [top - 6, wires + WIRE], BUS, 1)
        for s, part in enumerate(kind["shared"]):
            begin, end = self.middle(part["first"]) - 0.3 * self.pitch, self.middle(part["last"]) + 0.3 * self.pitch
            page.box(begin, top + s * PART, end - begin, PART - 6, BUS)
            page.text((begin + end) / 2, top + s * PART + (PART - 6) / 2, page.fitted(part["text"], end - begin, 12), 12, "center", "white")
        wide = min(150, self.pitch - 6)
        for g, gpu in enumerate(kind["gpus"]):
            x, y = self.middle(g), wires + self.wire - 4
            if "rates" in gpu:
                page.box(x - wide / 2, wires + 7, wide, 16, PANEL)
                page.text(x, wires + 15, page.fitted(gpu["rates"], self.pitch - 2, 11), 11, "center", MUTED)
            page.box(x - wide / 2, y, wide, GPU_HEIGHT - 2, GPU)
            page.text(x, y + 14, page.fitted(gpu["model"], wide - 4, 12), 12, "center")
            page.text(x, y + 31, page.fitted(gpu["memory"], wide - 4, 11), 11, "center")
        return wires + self.wire + GPU_HEIGHT


def draw_link(page, begin, end, y, texts, width, size):
    """Draws a link with its rate above and its latency below."""
    page.line([begin, end], [y, y], NETWORK, width)
    page.text((begin + end) / 2, y - 10, page.fitted(texts[0], end - begin, size), size, "center", INK if size == 12 else MUTED)
    page.text((begin + end) / 2, y + 11, texts[1], 11, "center", MUTED)


def draw_subnet(page, network, name, top, bottom):
    """Draws the switch of a subnet and its uplink."""
    if name not in network["subnets"]:
        return
    page.box(SUBNET, top, SUBNET_WIDTH, bottom - top, NETWORK)
    middle = (top + bottom) / 2
    page.text(SUBNET + SUBNET_WIDTH / 2, middle, page.fitted(name, bottom - top - 4, 12), 12, "center", "white", upwards=True)
    draw_link(page, MARGIN + SWITCH, SUBNET, middle, network["subnets"][name], 2, 11)


def draw_switch(page, network, top, bottom):
    page.box(MARGIN, top, SWITCH, max(bottom - top, 60), NETWORK)
    lines = [network["name"], *page.wrapped(network["about"], SWITCH - 6, 12)]
    y = top + max(bottom - top, 60) / 2 - (len(lines) - 1) * (ROW - 2) / 2
    for line in lines:
        page.text(MARGIN + SWITCH / 2, y, line, 12, "center", "white")
        y += ROW - 2


def draw(content):
    page = Page(content["options"], WIDTH)
    network = content["network"]
    page.text(MARGIN, MARGIN + 8, page.fitted(content["title"], WIDTH - 2 * MARGIN, 17, True), 17, bold=True)
    top = y = MARGIN + 34
    subnet, subnet_top = "", y
    for kind in content["types"]:
        if kind["subnet"] != subnet:
            draw_subnet(page, network, subnet, subnet_top, y - GAP)
            subnet, subnet_top = kind["subnet"], y
        machine = Machine(page, kind)
        draw_link(page, SUBNET + SUBNET_WIDTH if subnet else MARGIN + SWITCH, LEFT, y + machine.height / 2, kind["card"], 1.4, 12)
        machine.draw(y)
        y += machine.height + GAP
    draw_subnet(page, network, subnet, subnet_top, y - GAP)
    draw_switch(page, network, top, y - GAP)
    y += ROW / 2
    for note in content["notes"]:
        for line in page.wrapped(note, WIDTH - 2 * MARGIN, 11):
            page.text(MARGIN, y, line, 11, color=MUTED)
            y += ROW - 3
    return page.finish(y + MARGIN / 2)
