// The modules of the page, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { STEP, countMatches, firstDifference, isQueue, locksAt, lowerBound, messagesOf, modelOf, nearestStep, nextStep, nextSwitch,
  placeOf, reasonOf, remarksOn, search, shownRows, sourceAround, spoken, stacksAt, statementsOf,
  valuesAt, visible } from "../../src/show/page/model.mjs";
import { ROW_HEIGHT, arrowsIn, lanesOf, scrollTo, windowOf } from "../../src/show/page/layout.mjs";

// Two threads: a does 1, 2, is preempted, b does 3 and its repetition 4 (folded), a does 5 and fails.
const data = () => ({
  threads: ["a", "b"],
  cycle: -1,
  texts: ["x = 1", "y = 2", "-- preempted --", "spin", "... the same step 1 more times ...", "assert(0)", "x", "1", "q", "[1,2][3]"],
  files: [{ name: "dir/m.pml", text: "one\ntwo\nthree" }, { name: "gone.c", text: null }],
  rows: [[0, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 2, 0, 1, 0, 2], [3, 2, 0, 3, 0, 2, -1, 0], [0, 0, 0, 3, 1, 3, 1, 9],
    [4, 0, 0, 0, -1, 4, -1, 0], [0, 0, 1, 4, 1, 3, 1, 9], [3, 1, 0, 5, 1, 2, -1, 0], [0, 3, 0, 5, 0, 5, 0, 3]],
  changes: [[[6, 7]], [[8, 9]], [], [], []],
  switches: [3, 5],
  arrows: [["message", 1, 3, 0, 1, "m"], ["rendezvous", 5, 5, 0, 1, "r"]],
  sync: [[1, 0, "acquire", 6], [2, 0, "acquire", 8], [3, 0, "release", 6], [4, 0, "wait", 0], [5, 0, "wake", 0]],
});

test("what cannot be seen is shown by its number", () => {
  assert.equal(visible("a\u202eb\u0000\uefff\u200b"), "a\\u202eb\\u0000\\xff\\u200b");
  assert.equal(visible("tab\tümlaut <b>&"), "tab\tümlaut <b>&");
  assert.equal(visible(""), "");
});

test("folded rows are shown on request only", () => {
  const model = modelOf(data());
  assert.deepEqual(shownRows(model, false), [0, 1, 2, 3, 4, 6, 7]);
  assert.equal(shownRows(model, true).length, 8);
});

test("steps: next, nearest, at both ends", () => {
  const model = modelOf(data());
  assert.equal(nextStep(model, 1, -1, true), 1);
  assert.equal(nextStep(model, 5, 1, true), 5);
  assert.equal(nextStep(model, 3, 1, true), 4);
  assert.equal(nextStep(model, 3, 1, false), 5);
  assert.equal(nextStep(model, 5, -1, false), 3);
  assert.equal(nearestStep(model, -7), 1);
  assert.equal(nearestStep(model, 99), 5);
  assert.equal(nearestStep(model, 4, false), 3);
  assert.equal(nearestStep({ ...model, rowOfStep: new Map(), changes: [] }, 1), 0);
});

test("switches in both directions, none beyond the ends", () => {
  const model = modelOf(data());
  assert.equal(nextSwitch(model, 1, 1, false), 3);
  assert.equal(nextSwitch(model, 3, 1, false), 5);
  assert.equal(nextSwitch(model, 5, 1, false), 5);
  assert.equal(nextSwitch(model, 5, -1, false), 3);
  assert.equal(nextSwitch(model, 3, -1, false), 3);
  assert.equal(nextSwitch({ ...model, switches: [] }, 2, 1, false), 2);
});

test("lowerBound", () => {
  for (const [value, expected] of [[0, 0], [1, 0], [2, 1], [5, 2], [6, 3]]) assert.equal(lowerBound([1, 3, 5], value), expected);
  assert.equal(lowerBound([], 1), 0);
});

test("values after a step, also beyond a checkpoint, judged by adding up", () => {
  const model = modelOf(data());
  assert.equal(valuesAt(model, 0).size, 0);
  assert.deepEqual(valuesAt(model, 1).get("x"), { value: "1", step: 1 });
  assert.deepEqual(valuesAt(model, 5).get("q"), { value: "[1,2][3]", step: 2 });
  const long = modelOf({ ...data(), texts: ["v", "0", "1", "2", "3", "4", "5", "6"],
    rows: [], changes: Array.from({ length: 3500 }, (_, i) => (i % 3 ? [] : [[0, 1 + (i % 7)]])) });
  for (const step of [3500, 1, 999, 1000, 1001, 2000, 3499]) {
    let expected;
    for (let i = 0; i < step; i++) if (i % 3 === 0) expected = { value: String(i % 7), step: i + 1 };
    assert.deepEqual(valuesAt(long, step).get("v"), expected);
  }
});

test("a value that was only seen was not changed", () => {
  const model = modelOf({ ...data(), changes: [[[6, 7, 1]], [], [[6, 7]], [], []] });
  assert.deepEqual(valuesAt(model, 1).get("x"), { value: "1", step: 0 });
  assert.deepEqual(valuesAt(model, 3).get("x"), { value: "1", step: 3 });
});

test("queues", () => {
  assert.ok(isQueue("empty") && isQueue("[1]") && isQueue("[1,2][3]") && !isQueue("1"));
  assert.deepEqual(messagesOf("[1,2][3]"), ["1,2", "3"]);
  assert.deepEqual(messagesOf("empty"), []);
});

test("locks: taken, given back, and unknown while one of several is given back", () => {
  const model = modelOf(data());
  assert.deepEqual(locksAt(model, 0), [[], []]);
  assert.deepEqual(locksAt(model, 2), [["x", "q"], []]);
  assert.deepEqual(locksAt(model, 3), [["q"], []]);
  assert.deepEqual(locksAt(model, 4), [[], []]);
  assert.deepEqual(locksAt(model, 5), [["q"], []]);
  const two = modelOf({ ...data(), sync: data().sync.filter((e) => e[2] !== "release") });
  assert.deepEqual(locksAt(two, 4), [null, []]);
  assert.deepEqual(locksAt(two, 5), [["x", "q"], []]);
});

test("call stacks: those of each thread after its last step so far", () => {
  const model = modelOf({ ...data(), frames: [[6, 0, 3], [8, 1, 9]], stacks: [[2, 0, 0, 1], [3, 1, 1], [5, 0]] });
  assert.deepEqual(stacksAt(model, 1), [[], []]);
  assert.deepEqual(stacksAt(model, 2), [["x m.pml:3", "q gone.c:9"], []]);
  assert.deepEqual(stacksAt(model, 4), [["x m.pml:3", "q gone.c:9"], ["q gone.c:9"]]);
  assert.deepEqual(stacksAt(model, 5), [[], ["q gone.c:9"]]);
  assert.deepEqual(stacksAt(modelOf(data()), 5), [[], []]);
});

test("search goes on, around the end, in both directions", () => {
  const model = modelOf(data()), shown = shownRows(model, false);
  assert.equal(search(model, shown, "SPIN", -1, 1), 3);
  assert.equal(search(model, shown, "assert", 6, 1), 6);
  assert.equal(search(model, shown, "= ", 1, 1), 0);
  assert.equal(search(model, shown, "= ", 1, -1), 0);
  assert.equal(search(model, shown, "m.pml:3", 0, 1), 6);
  assert.equal(search(model, shown, "nowhere", 0, 1), -1);
  assert.equal(search(model, shown, "", 0, 1), -1);
  assert.equal(countMatches(model, shown, "= "), 2);
});

test("what is read aloud", () => {
  const model = modelOf(data());
  assert.equal(spoken(model, model.rows[0]), "step 1, a: x = 1, m.pml:1");
  assert.equal(spoken(model, model.rows[2]), "a preempted");
  assert.equal(spoken(model, model.rows[7]), "step 5, a: assert(0), m.pml:3, this fails");
  assert.equal(reasonOf(model, 3), "a preempted");
  assert.equal(reasonOf(model, 2), "");
  assert.equal(placeOf(model, model.rows[2]), "");
});

test("source around a line", () => {
  const model = modelOf(data());
  assert.deepEqual(sourceAround(model.files[0], 2, 41).map((l) => l.number), [1, 2, 3]);
  assert.deepEqual(sourceAround(model.files[0], 3, 1), [{ number: 3, text: "three" }]);
  assert.deepEqual(sourceAround(model.files[0], 99, 2).map((l) => l.number), [2, 3]);
  assert.deepEqual(sourceAround(model.files[1], 1, 5), []);
});

test("only what can be seen is drawn", () => {
  const all = windowOf(0, 400, 100000);
  assert.equal(all.first, 0);
  assert.ok(all.last < 60);
  const end = windowOf(100000 * ROW_HEIGHT - 400, 400, 100000);
  assert.equal(end.last, 100000);
  assert.deepEqual(windowOf(0, 400, 0), { first: 0, last: 0 });
  assert.equal(scrollTo(5, 0, 1000), 0);
  assert.ok(scrollTo(99, 0, 400) > 0);
  assert.equal(scrollTo(0, 500, 400), 0);
});

test("all statements of a step, and what is said of it below", () => {
  const d = data();
  d.texts.push("step 2 is stale in y: 3 is newer", "    no order forbids it", "a waits", "y = 3");
  d.rows.splice(2, 0, [1, 0, 0, 2, 0, 13, 0, 3]);
  d.rows.push([5, 0, 0, 0, -1, 10, -1, 0], [5, 0, 0, 0, -1, 11, -1, 0], [5, 0, 0, 0, -1, 12, -1, 0]);
  const model = modelOf(d);
  assert.deepEqual(statementsOf(model, 2), ["y = 2", "y = 3"]);
  assert.deepEqual(statementsOf(model, 5), ["assert(0)"]);
  assert.deepEqual(statementsOf(model, 99), []);
  assert.deepEqual(remarksOn(model, 2), ["this step is stale in y: 3 is newer", "no order forbids it"]);
  assert.deepEqual(remarksOn(model, 1), []);
});

test("lanes are closer together where the last one needs the room", () => {
  const d = data();
  d.texts[3] = "x".repeat(60); // of b, in the lane on the right
  const model = modelOf(d), { lanes, single, width } = lanesOf(model, 700);
  assert.equal(single, false);
  assert.equal(width, 700);
  assert.ok(lanes[1].at + 60 * 7.85 < 700, `the text begins at ${lanes[1].at}`);
});

test("lanes, one column where there is no room, arrows", () => {
  const model = modelOf(data());
  const wide = lanesOf(model, 1200), narrow = lanesOf(model, 200);
  assert.equal(wide.single, false);
  assert.equal(narrow.single, true);
  assert.ok(wide.lanes[1].at >= wide.lanes[0].at + wide.lanes[0].width);
  const position = (step) => (step <= 5 ? step : undefined);
  const lines = arrowsIn(model, wide, { first: 0, last: 10 }, position);
  assert.equal(lines.length, 2);
  assert.ok(lines[0].x2 > lines[0].x1 && lines[0].y2 > lines[0].y1);
  assert.equal(lines[1].y2 - lines[1].y1, ROW_HEIGHT);
  assert.equal(arrowsIn(model, wide, { first: 50, last: 60 }, position).length, 0);
  assert.equal(arrowsIn(model, narrow, { first: 0, last: 10 }, position).length, 0);
  assert.equal(model.rows.filter((row) => row.kind === STEP).length, 5);
});

test("where two runs part", () => {
  const model = modelOf(data());
  assert.equal(firstDifference(model, model), 6);
  assert.equal(firstDifference(model, modelOf({ ...data(), rows: data().rows.slice(0, 2) })), 3);
  assert.equal(firstDifference(model, modelOf({ ...data(), rows: [] })), 1);
});
