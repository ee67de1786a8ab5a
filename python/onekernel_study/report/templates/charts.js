"use strict";
// The charts, drawn by uPlot. All axes are logarithmic; every figure stands in a table of the page too.
const charts = (() => {
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const color = (i) => style(`--series-${(i % 6) + 1}`);
  const width = (place) => Math.max(240, place.clientWidth);

  const tidy = (value) => (value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : `${Number(value.toPrecision(1))}`);
  const power = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
  const roomy = (u, side, value) => side === 3 || u.width >= 480 || Math.round(Math.log10(value)) % 2 === 0;
  const decade = (u, splits) => splits.map((value) => (power(value) ? value : null));
  const axis = (label, side) => ({
    label,
    side,
    stroke: style("--ink-soft"),
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
    labelSize: 22,
    size: side === 3 ? 52 : 34,
    grid: { stroke: style("--line"), width: 1, filter: decade },
    ticks: { stroke: style("--line"), width: 1 },
    // Only whole powers of ten get a word, on a phone every other one: there is room for no more.
    values: (u, splits) => splits.map((value) => (power(value) && roomy(u, side, value) ? tidy(value) : "")),
    filter: decade,
  });

  const decades = (values) => {
    const positive = values.filter((value) => value > 0);
    const low = Math.floor(Math.log10(Math.min(...positive)) + 1e-9);
    const high = Math.ceil(Math.log10(Math.max(...positive)) - 1e-9);
    return [10 ** low, 10 ** Math.max(high, low + 1)];
  };

  const points = (label, stroke, size = 8, fill = stroke) => ({
    label,
    stroke,
    width: 0,
    paths: () => null,
    points: { show: true, size, fill, stroke, width: 2 },
  });
  const line = (label, stroke, dash, width = 2) => ({ label, stroke, width, dash, spanGaps: true, pxAlign: 0, points: { show: false } });

  // A readout of the point that the pointer is nearest to.
  const readout = (place, describe) => ({
    hooks: {
      setCursor: [
        (u) => {
          const found = u.cursor.idx;
          place.textContent = found === null || found === undefined ? "" : describe(u, found);
        },
      ],
    },
  });

  const build = (place, tables, series, scales, axes, describe) => {
    const out = place.parentElement.querySelector(".readout");
    return new uPlot(
      {
        width: width(place),
        height: Math.min(420, Math.max(260, width(place) * 0.55)),
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { show: false } },
        scales: Object.fromEntries(
          Object.entries(scales).map(([key, range]) => [key, { distr: 3, log: 10, time: false, range: () => range }]),
        ),
        axes,
        series: [{}, ...series],
        plugins: out && describe ? [readout(out, describe)] : [],
      },
      tables.length > 1 ? uPlot.join(tables) : tables[0],
      place,
    );
  };

  const span = (low, high, n) => Array.from({ length: n + 1 }, (_, i) => low * (high / low) ** (i / n));

  // Measured points, the fitted line, and what it is made of: the floor, and the bytes at the fitted bandwidth.
  const echo = (place, data) => {
    const measured = data.study.echo.filter((point) => point.p50_us !== null);
    if (!measured.length) return null;
    const xs = decades(measured.map((point) => point.bytes));
    const published = measured
      .map((point) => [point.bytes, data.published[`echo.${point.transport}.${point.floats}.p50_us`]])
      .filter(([, value]) => value !== undefined);
    const ys = decades([...measured.map((point) => point.p50_us), ...published.map(([, value]) => value)]);
    const grid = span(xs[0], xs[1], 80);
    const tables = [];
    const series = [];
    const add = (x, y, kind) => {
      tables.push([x, y]);
      series.push(kind);
    };
    const inside = (value) => (value >= ys[0] && value <= ys[1] ? value : null);
    const transports = [...new Set(measured.map((point) => point.transport))];
    transports.forEach((name, i) => {
      const fit = data.study.echo_fits.find((each) => each.transport === name);
      if (fit) {
        const bytes = (n) => (2 * n) / fit.bandwidth_gb_s / 1e3;
        add(grid, grid.map(() => fit.floor_us), line(`${name}, floor`, color(i), [2, 4], 1));
        add(grid, grid.map((n) => inside(bytes(n))), line(`${name}, bytes / bandwidth`, color(i), [7, 5], 1));
        add(grid, grid.map((n) => inside(fit.floor_us + bytes(n))), line(`${name}, fitted`, color(i)));
      }
      const own = measured.filter((point) => point.transport === name);
      add(own.map((point) => point.bytes), own.map((point) => point.p50_us), points(`${name}, measured`, color(i)));
    });
    if (published.length)
      add(published.map(([x]) => x), published.map(([, y]) => y), points("published", style("--ink"), 9, style("--paper")));
    const nearest = (u, i) => {
      const x = u.data[0][i];
      const said = series
        .map((each, k) => [each.label, u.data[k + 1][i]])
        .filter(([label, value]) => value !== null && value !== undefined && !/floor|bandwidth/.test(label))
        .map(([label, value]) => `${label} ${wording.microseconds(value)}`);
      return `${wording.bytes(Math.round(x))} one way: ${said.join(", ")}`;
    };
    return build(place, tables, series, { x: xs, y: ys }, [axis("bytes one way", 2), axis("microseconds", 3)], nearest);
  };

  // For each row, the share of calls that took at least so long.
  const latency = (place, data, shown) => {
    const rows = data.study.latencies.filter((row) => row.histogram !== null);
    const chosen = rows.filter((row) => shown.has(row.name));
    if (!chosen.length) return null;
    const tables = chosen.map((row) => {
      const { edges_us: edges, counts } = row.histogram;
      const total = counts.reduce((sum, n) => sum + n, 0);
      let left = total;
      const shares = edges.map((_, i) => {
        const share = left / total;
        left -= counts[i] ?? 0;
        return share > 0 ? share : null;
      });
      return [edges, shares];
    });
    const xs = decades(tables.flatMap(([edges]) => edges));
    const ys = decades(tables.flatMap(([, shares]) => shares.filter((share) => share !== null)));
    const series = chosen.map((row) => {
      const i = rows.indexOf(row);
      return line(row.name, color(i), i >= 6 ? [6, 4] : undefined);
    });
    const nearest = (u, i) => {
      const said = series
        .map((each, k) => [each.label, u.data[k + 1][i]])
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([label, value]) => `${label}: ${wording.percent(value)} of the calls`);
      return `${wording.microseconds(u.data[0][i])} or longer: ${said.join(", ")}`;
    };
    return build(place, tables, series, { x: xs, y: ys }, [axis("microseconds", 2), axis("share of calls", 3)], nearest);
  };

  // The calculator's own curve: the boundary's share over the compute per call, and the chosen point on it.
  const share = (place, work, answer, range) => {
    const grid = span(range[0], range[1], 120);
    const shares = grid.map((us) => answer.crossing_us / (answer.crossing_us + us));
    const tables = [
      [grid, shares],
      [[work.compute_us], [answer.share]],
    ];
    const series = [line("boundary share", color(0)), points("your workload", color(1), 12)];
    const ys = [Math.min(1e-4, 10 ** Math.floor(Math.log10(Math.max(shares[shares.length - 1], 1e-12)))), 1];
    return build(place, tables, series, { x: range, y: ys }, [axis("compute per call, us", 2), axis("boundary share", 3)], null);
  };

  return { echo, latency, share, color };
})();
