// Probabilities at some times in a table, and below it the median and the mean.

function makeTable() {
  const head = make("thead"), body = make("tbody"), facts = make("dl");
  const table = make("table", {}, make("caption", { class: "hidden" }, say("table")), head, body);

  // `scenarios` are { name, shares: probabilities of all outcomes at all times, median, mean }.
  function show(times, time, scenarios) {
    const several = scenarios.length > 1;
    head.replaceChildren(make("tr", {}, make("th", { scope: "col", class: "time" }, timeLabel()), outcomes.map((outcome) =>
      make("th", { scope: several ? "colgroup" : "col", colspan: scenarios.length }, name(outcome.label)))));
    if (several) {
      head.append(make("tr", {}, make("td"), outcomes.flatMap(() => scenarios.map((one, i) =>
        make("th", { scope: "col", class: `scenario${i}` }, one.name)))));
    }
    body.replaceChildren(...times.map((t, j) => make("tr", { class: t === time ? "now" : undefined },
      make("th", { scope: "row" }, format(shownTime(t), { maximumFractionDigits: timeDigits() })),
      outcomes.flatMap((_, outcome) => scenarios.map((one) => make("td", {}, percent(one.shares[outcome][j], 1)))))));
    const fact = (key, text) => make("div", {}, make("dt", {}, say(key, { longest: sayTime(data.time.longest) })),
      scenarios.map((one, i) => make("dd", { class: several ? `scenario${i}` : undefined }, several ? `${one.name}: ` : "", text(one))));
    facts.replaceChildren(fact("median", (one) => sayMedian(one.median)), fact("mean", (one) => sayTime(one.mean, true)));
  }
  const region = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("table") }, table);
  return { elements: [region, facts], show };
}

function sayMedian(median) {
  if (median === Infinity) return say("medianNever");
  if (median > data.time.longest) return say("medianLate", { longest: sayTime(data.time.longest) });
  return sayTime(median, true);
}
