// Probabilities at some times, the median and the mean, in a table.

function makeTable() {
  const head = make("thead"), body = make("tbody"), rest = make("tbody", { class: "rest" });
  const table = make("table", {}, make("caption", { class: "hidden" }, say("table")), head, body, rest);

  // `scenarios` are { name, shares: probabilities of all outcomes at all times, median, mean }.
  function show(times, time, scenarios) {
    const several = scenarios.length > 1;
    head.replaceChildren(make("tr", {}, make("th", { scope: "col", class: "time" }, timeLabel()), outcomes.map((outcome) =>
      make("th", { scope: several ? "colgroup" : "col", colspan: scenarios.length }, name(outcome.label)))));
    if (several) {
      head.append(make("tr", {}, make("td", {}), outcomes.flatMap(() => scenarios.map((one, i) =>
        make("th", { scope: "col", class: `scenario${i}` }, one.name)))));
    }
    body.replaceChildren(...times.map((t, j) => make("tr", { class: t === time ? "now" : undefined },
      make("th", { scope: "row" }, format(shownTime(t), { maximumFractionDigits: timeDigits() })),
      outcomes.flatMap((_, outcome) => scenarios.map((one) => make("td", {}, percent(one.shares[outcome][j], 1)))))));
    const columns = outcomes.length;
    rest.replaceChildren(...[["median", (one) => sayMedian(one.median)], ["mean", (one) => sayTime(one.mean, timeDigits() + 1)]].map(([key, text]) =>
      make("tr", {}, make("th", { scope: "row" }, say(key, { longest: sayTime(data.time.longest) })),
        make("td", { colspan: columns * scenarios.length, class: "text" },
          scenarios.map((one, i) => make("span", { class: several ? `scenario${i}` : undefined }, several ? `${one.name}: ` : "", text(one)))))));
  }
  return { element: make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("table") }, table), show };
}

function sayMedian(median) {
  if (median === Infinity) return say("medianNever");
  if (median > data.time.longest) return say("medianLate", { longest: sayTime(data.time.longest) });
  return sayTime(median);
}
