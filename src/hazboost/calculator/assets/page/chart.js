// Curves over time: of one or two scenarios, and of everybody.

const CURVE_POINTS = 120, MARGIN = { top: 14, right: 24, bottom: 46, left: 52 };

// Round numbers from 0 to an end.
function ticks(end, count) {
  const rough = end / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((one) => one * power >= rough * 0.999);
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

function makeChart(setTime) {
  const svg = draw("svg", { role: "img", class: "chart" });
  const box = make("div", { class: "chart-box" }, svg);
  let width = 640, place = null;
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (now > 0 && now !== width) {
      width = now;
      requestAnimationFrame(() => place?.again()); // drawn at once, a change of height would be observed in turn
    }
  }).observe(box);
  const pointed = (event) => {
    if (event.type === "pointermove" && event.buttons === 0) return;
    const { left, width: shown } = svg.getBoundingClientRect();
    setTime(clip(place.timeAt(((event.clientX - left) / shown) * width), 0, place.end));
  };
  svg.addEventListener("pointerdown", pointed);
  svg.addEventListener("pointermove", pointed);

  // `curves` are { values at `times`, now, rises }; `cohort` is { times, values }.
  function show(times, curves, cohort, time, description) {
    const height = clip(Math.round(width * 0.56), 230, 380);
    const end = times[times.length - 1], inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
    const x = (t) => MARGIN.left + (t / end) * inner.width, y = (p) => MARGIN.top + (1 - p) * inner.height;
    place = { end, timeAt: (at) => ((at - MARGIN.left) / inner.width) * end, again: () => show(times, curves, cohort, time, description) };
    const parts = [draw("title", {}, description)];
    if (end > data.time.longest) {
      const from = x(data.time.longest);
      parts.push(draw("rect", { class: "beyond", x: from, y: MARGIN.top, width: x(end) - from, height: inner.height }),
        draw("text", { class: "axis", x: x(end) - 6, y: y(0) - 10, "text-anchor": "end" }, say("beyond")));
    }
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      parts.push(draw("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(share), y2: y(share) }),
        draw("text", { class: "axis", x: MARGIN.left - 8, y: y(share) + 4, "text-anchor": "end" }, percent(share)));
    }
    for (const shown of ticks(shownTime(end), width < 460 ? 4 : 7)) {
      const at = x(ownTime(shown));
      parts.push(draw("line", { class: "grid", x1: at, x2: at, y1: y(0), y2: y(0) + 5 }),
        draw("text", { class: "axis", x: at, y: y(0) + 20, "text-anchor": "middle" }, many(shown)));
    }
    parts.push(draw("text", { class: "axis", x: MARGIN.left + inner.width / 2, y: height - 6, "text-anchor": "middle" },
      data.time.unit ? data.time.unit : say("time")));
    const path = (points) => points.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
    const steps = cohort.times.flatMap((t, i) => i ? [[x(t), y(cohort.values[i - 1])], [x(t), y(cohort.values[i])]] : [[x(t), y(cohort.values[0])]]);
    parts.push(draw("path", { class: "line cohort", d: path(steps) }));
    parts.push(draw("line", { class: "marker", x1: x(time), x2: x(time), y1: MARGIN.top, y2: y(0) }));
    curves.forEach((curve, i) => {
      parts.push(draw("path", { class: `line scenario${i}`, d: path(times.map((t, j) => [x(t), y(curve.values[j])])) }));
    });
    curves.forEach((curve, i) => {
      parts.push(draw("circle", { class: `dot scenario${i}`, cx: x(time), cy: y(curve.now), r: 5.5 }));
    });
    // Values beside the dots, on the side where the curve is not, and apart from each other.
    curves.forEach((curve, i) => {
      const left = curve.rises ? x(time) > MARGIN.left + 60 : x(time) > width - 60;
      const lower = curves.length > 1 && (curve.now < curves[1 - i].now || (curve.now === curves[1 - i].now && i === 1));
      const below = lower || y(curve.now) < MARGIN.top + 24;
      parts.push(draw("text", { class: `value scenario${i}`, x: x(time) + (left !== (below && curve.rises) ? -10 : 10),
        y: clip(y(curve.now) + (below ? 22 : -10), MARGIN.top + 12, y(0) - 5),
        "text-anchor": left !== (below && curve.rises) ? "end" : "start" }, percent(curve.now)));
    });
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren(...parts);
  }
  return { element: box, show };
}
