"""Figures of ratios of makespans: one row a case, one dot a series, bars for intervals."""
import html
import math

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]  # Okabe and Ito
ROW, WIDTH, TOP, LETTER = 15, 420, 40, 6


def draw(file, title, series, rows):
    """`rows`: label, and for each of the series nothing or ratio, low, high (the last two may be None). Logarithmic axis."""
    values = [v for _, points in rows for p in points if p for v in p if v is not None and v > 0]
    low, high = min(values + [0.9]) * 0.98, max(values + [1.1]) * 1.02
    left = LETTER * max(len(label) for label, _ in rows) + 10
    x = lambda v: left + WIDTH * math.log(max(v, low) / low) / math.log(high / low)
    bottom = TOP + ROW * len(rows) + 4
    step = 0.1 if high / low < 2.5 else 0.25
    ticks = [round(k * step, 2) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + WIDTH + 16}" height="{bottom + 24}" font-family="sans-serif" font-size="10">',
           f'<rect width="100%" height="100%" fill="white"/><text x="{left}" y="13" font-weight="bold">{html.escape(title)}</text>']
    for i, name in enumerate(series):
        at = left + sum(LETTER * len(n) + 24 for n in series[:i])
        out.append(f'<circle cx="{at + 4}" cy="25" r="3.5" fill="{COLOURS[i]}"/><text x="{at + 12}" y="28">{html.escape(name)}</text>')
    for tick in ticks:
        out.append(f'<path d="M{x(tick):.1f} {TOP - 4}V{bottom}" stroke="{"#555" if tick == 1 else "#ddd"}"/>'
                   f'<text x="{x(tick):.1f}" y="{bottom + 14}" text-anchor="middle">{tick:g}</text>')
    for i, (label, points) in enumerate(rows):
        y = TOP + ROW * (i + 0.5)
        out.append(f'<text x="{left - 6}" y="{y + 3:.1f}" text-anchor="end">{html.escape(label)}</text>')
        for j, point in enumerate(points):
            if not point:
                continue
            ratio, least, most = point
            at = y + 3 * (j - (len(points) - 1) / 2)
            if least is not None:
                out.append(f'<path d="M{x(least):.1f} {at:.1f}H{x(most):.1f}" stroke="{COLOURS[j]}"/>')
            out.append(f'<circle cx="{x(ratio):.1f}" cy="{at:.1f}" r="3.2" fill="{COLOURS[j]}"/>')
    file.write_text("\n".join(out) + "\n</svg>\n")
