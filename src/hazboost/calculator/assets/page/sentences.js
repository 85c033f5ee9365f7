// The result in words. `counts` are numbers of 100 people with each outcome.

function sayCounts(counts, time) {
  const bold = counts.map((count) => emphasis(whole(count)));
  if (outcomes.length === 2) return say("sentenceOne", { count: bold[1], event: eventNames[0], time, rest: bold[0] });
  const items = eventNames.map((event, i) => say("sentenceItem", { count: bold[i + 1], event }));
  return say("sentenceSeveral", { time, list: list([...items, say("sentenceRest", { count: bold[0] })]) });
}

function sayCohort(shares) {
  const counts = ofHundred(shares);
  if (outcomes.length === 2) return say("cohortOne", { count: whole(counts[1]) });
  return say("cohortSeveral", { list: list(eventNames.map((event, i) => say("cohortItem", { count: whole(counts[i + 1]), event }))) });
}

function sayDifference([first, second], outcome) {
  const difference = second[outcome] - first[outcome];
  if (difference === 0) return say("sentenceSame");
  return say(difference > 0 ? "sentenceMore" : "sentenceFewer", {
    name: `${scenarioName(1)}, ${outcomes[outcome].label}`, other: scenarioName(0), difference: whole(Math.abs(difference)) });
}

function sayWarnings(time) {
  const notes = state.scenarios.flatMap((values, i) =>
    warningsFor(values).map((text) => (comparing() ? `${scenarioName(i)}: ${text}` : text)));
  if (time > data.time.longest) notes.push(say("late", { time: sayTime(time), longest: sayTime(data.time.longest) }));
  return notes;
}
