"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const drawn = {};

  const draw = (id, make) => {
    const place = $(id);
    if (!place) return;
    drawn[id]?.destroy();
    drawn[id] = make(place);
  };

  // --- theme: the system's, or the one chosen here ---
  const THEMES = ["auto", "light", "dark"];
  const stored = () => {
    try {
      return localStorage.getItem("onekernel-theme");
    } catch {
      return null; // some browsers give a local file no storage
    }
  };
  const setTheme = (theme) => {
    root.dataset.theme = theme;
    $("theme").querySelector("output").textContent = theme;
    try {
      localStorage.setItem("onekernel-theme", theme);
    } catch {
      // the choice lasts as long as the page
    }
  };
  $("theme").addEventListener("click", () => {
    setTheme(THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length]);
    drawAll();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll());

  // --- latency: which distributions are drawn ---
  const boxes = [...document.querySelectorAll("#latency-rows input")];
  const drawLatency = () =>
    draw("latency-chart", (place) =>
      charts.latency(place, data, new Set(boxes.filter((box) => box.checked).map((box) => box.value))),
    );
  boxes.forEach((box) => box.addEventListener("change", drawLatency));

  // --- calculator ---
  const form = $("calculator-form");
  const WORDS = {
    compute_us: (value) => wording.microseconds(value),
    calls: (value) => wording.count(value),
    n_bytes: (value) => wording.bytes(value),
  };
  const chosen = () => {
    const value = (name) => data.sliders[name][Number(form.elements[name].value)];
    const curve = data.curves.find((each) => each.name === form.elements.transport.value);
    const encoding = data.encodings.find((each) => each.name === form.elements.encoding.value);
    const work = { compute_us: value("compute_us"), calls: value("calls"), n_bytes: value("n_bytes") };
    return { work, curve, encoding: curve.kind === "peer" ? data.encodings[0] : encoding };
  };
  const set = (id, value, words) => {
    $(id).textContent = words;
    $(id).dataset.value = String(value);
  };

  const advice = (answer, work, curve, encoding) => {
    const best = calculator.best_curve(work, curve, encoding, data.curves);
    const said = {
      batch: "Batch: send all work in one call, with its payload once",
      preload: "Preload: where every call sends the same bytes, keep them at the engine and send them once",
      binary: "Binary: send raw doubles",
      transport: `Transport: use ${best.title}`,
    };
    return answer.changes.map((change) => ({ ...change, said: said[change.name] }));
  };

  const arithmetic = (answer, work, curve, encoding) => {
    const { microseconds: us, bytes, count, percent } = wording;
    const carried = work.n_bytes * encoding.size;
    const rate = `${us(curve.us_per_mb - curve.encoding_us_per_mb)} per MB`;
    return [
      `bytes per call = ${bytes(carried)} x ${rate} = ${us(answer.transfer_us)}`,
      `encoding per call = ${bytes(work.n_bytes)} x ${us(encoding.us_per_mb + curve.encoding_us_per_mb)} per MB = ${us(answer.encoding_us)}`,
      `crossing = floor + bytes + encoding = ${us(curve.floor_us)} + ${us(answer.transfer_us)} + ${us(answer.encoding_us)} = ${us(answer.crossing_us)}`,
      `boundary = ${count(work.calls)} × ${us(answer.crossing_us)} = ${us(answer.boundary_us)}`,
      `compute = ${count(work.calls)} × ${us(work.compute_us)} = ${us(answer.compute_us)}`,
      `share = ${us(answer.boundary_us)} / (${us(answer.boundary_us)} + ${us(answer.compute_us)}) = ${percent(answer.share)}`,
      `G = compute per call / floor = ${us(work.compute_us)} / ${us(curve.floor_us)} = ${count(answer.granularity)}`,
      `boundary = compute at ${us(answer.break_even_us[2])} per call, so at G = ${count(answer.break_even_us[2] / curve.floor_us)}`,
    ];
  };

  const calculate = () => {
    const { work, curve, encoding } = chosen();
    const answer = calculator.answer(work, curve, encoding, data.curves, data.shares);
    for (const name of Object.keys(WORDS)) {
      const words = WORDS[name](work[name]);
      $(`${name}-output`).textContent = words;
      form.elements[name].setAttribute("aria-valuetext", words);
    }
    form.elements.encoding.disabled = curve.kind === "peer";
    $("curve-basis").textContent = `${curve.title}: ${curve.basis}.`;

    set("answer-share", answer.share, wording.percent(answer.share));
    set("answer-crossing", answer.crossing_us, wording.microseconds(answer.crossing_us));
    set("answer-boundary", answer.boundary_us, wording.microseconds(answer.boundary_us));
    set("answer-compute", answer.compute_us, wording.microseconds(answer.compute_us));
    set("answer-granularity", answer.granularity, wording.count(answer.granularity));
    data.shares.forEach((_, i) => {
      set(`answer-even-${i}`, answer.break_even_us[i], wording.microseconds(answer.break_even_us[i]));
      set(`answer-split-${i}`, answer.split_into[i], wording.count(answer.split_into[i]));
    });
    $("answer-bar").style.width = `${100 * answer.share}%`;

    // The echo curve is measured back to back; a call that follows a computation finds caches cold.
    const later = curve.name === "unix" && data.curves.find((each) => each.kind === "after_compute");
    $("answer-after").textContent = "";
    delete $("answer-after").dataset.value;
    let condition = "";
    if (later) {
      const after = calculator.answer(work, later, encoding, data.curves, data.shares);
      const words = `${wording.percent(after.share)} where every call follows a computation: then one crossing takes ${wording.microseconds(after.crossing_us)}.`;
      set("answer-after", after.share, words);
      if (after.share >= data.negligible) condition = " as long as calls follow one another without a pause";
    }

    const listed = advice(answer, work, curve, encoding);
    const first = listed[0];
    const verdict =
      answer.share < data.negligible
        ? `The boundary takes ${wording.percent(answer.share)} of the wall time: below 1 %, nothing needs to change${condition}.`
        : first
          ? `${first.said}. That saves ${wording.microseconds(first.saves_us)} and leaves ${wording.percent(first.share)} at the boundary.`
          : "Nothing that was measured here costs less: only more compute per call, or a library in the same process, helps.";
    set("answer-first", answer.share < data.negligible || !first ? "" : first.name, verdict);
    $("answer-changes").replaceChildren(
      ...listed.map((change) => {
        const row = document.createElement("tr");
        const cells = [change.said, wording.microseconds(change.saves_us), wording.percent(change.share)];
        cells.forEach((text, i) => {
          const cell = document.createElement(i ? "td" : "th");
          if (i) cell.className = "n";
          else cell.scope = "row";
          cell.textContent = text;
          row.append(cell);
        });
        row.dataset.name = change.name;
        row.dataset.saves = String(change.saves_us);
        return row;
      }),
    );
    $("arithmetic").textContent = arithmetic(answer, work, curve, encoding).join("\n");
    const ends = data.sliders.compute_us;
    draw("share-chart", (place) => charts.share(place, work, answer, [ends[0], ends[ends.length - 1]]));
  };

  const take = (work) => {
    for (const name of Object.keys(WORDS)) {
      const far = data.sliders[name].map((value) => Math.abs(value - work[name]));
      form.elements[name].value = far.indexOf(Math.min(...far));
    }
    calculate();
  };

  if (form) {
    form.hidden = false;
    for (const name of Object.keys(WORDS)) form.elements[name].max = data.sliders[name].length - 1;
    form.addEventListener("input", calculate);
    form.addEventListener("submit", (event) => event.preventDefault());
    document.querySelectorAll("[data-preset]").forEach((button) =>
      button.addEventListener("click", () => take(data.presets[Number(button.dataset.preset)].work)),
    );
  }

  const drawAll = () => {
    draw("echo-chart", (place) => charts.echo(place, data));
    drawLatency();
    if (form) calculate();
  };

  setTheme(THEMES.includes(stored()) ? stored() : "auto");
  if (form) take((data.presets[1] ?? { work: { compute_us: 1000, calls: 100, n_bytes: 1e5 } }).work);
  drawAll();

  let last = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === last) return; // a phone's address bar changes the height while scrolling
    last = innerWidth;
    drawAll();
  });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => (each.open = true)));
})();
