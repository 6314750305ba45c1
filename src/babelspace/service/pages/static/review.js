// Review: one key a verdict. The page says "saved" only after the service has it on its disk.
import { ask, byId, lightPartners, make, marked, number, share } from "./workbench.js";

const root = byId("review");
const address = root.dataset.address;
const who = `reviewer=${encodeURIComponent(root.dataset.reviewer)}`;
const NAMES = { right: "Right", wrong: "Wrong", later: "Later", undo: "Undo", note: "Note", keys: "Show keys" };
const USUAL = { right: "v", wrong: "x", later: "l", undo: "u", note: "n", keys: "?" };
const STORED = "babelspace.review.keys";

let keys = { ...USUAL, ...stored() };
let state = JSON.parse(root.dataset.state);
let busy = false;

function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORED)) ?? {};
  } catch {
    return {};
  }
}

function interval([low, high]) {
  return `${share(low)} to ${share(high)}`;
}

function fill(id, value, note = "") {
  byId(id).replaceChildren(value, ...(note ? [make("small", {}, note)] : []));
}

function showStanding(standing) {
  const { observed } = standing;
  const waiting = [standing.put_off && `${standing.put_off} put off`, standing.disputed && `${standing.disputed} disputed`];
  fill("judged", `${number(standing.judged)} of ${number(standing.pairs)}`, waiting.filter(Boolean).join(", "));
  const sample = observed.count ? `${observed.right} of ${observed.count}; ${interval(standing.observed_interval)}` : "judge some pairs";
  fill("observed", share(standing.observed_value), sample);
  fill("accepted", number(standing.accepted), `${number(standing.above)} above the cut for ${share(standing.precision)}`);
  fill("promised", share(standing.promised), standing.promised === null ? "" : interval(standing.promised_interval));
  const [first] = standing.agreements;
  const told = standing.agreements.map((one) => `${one.one} and ${one.other}: ${one.pairs} pairs, kappa ${one.kappa === null ? "–" : one.kappa.toFixed(2)}`);
  byId("agreed").hidden = !first;
  if (first) fill("agreement", share(first.raw), told.join("; "));
  byId("asked").textContent = share(standing.precision);
}

function showPair(pair) {
  byId("pair").hidden = pair === null;
  byId("done").hidden = pair !== null;
  for (const action of ["right", "wrong", "later", "note"]) button(action).disabled = pair === null;
  byId("note").value = pair?.note ?? "";
  if (pair === null) return;
  byId("chance").textContent = `${share(pair.probability)} probable`;
  byId("where").textContent = pair.above ? "above the cut" : "below the cut";
  byId("source_id").textContent = pair.source;
  byId("target_id").textContent = pair.target;
  byId("source_text").replaceChildren(...marked(pair.source_pieces));
  byId("target_text").replaceChildren(...marked(pair.target_pieces));
  byId("source_text").scrollTop = byId("target_text").scrollTop = 0;
  byId("reasons").replaceChildren(
    ...pair.reasons.map(([source, target, value], place) =>
      make("li", {}, make("span", { class: `m${place % 6}`, "data-reason": place }, [source, target].filter(Boolean).join(" × ")), ` +${value.toFixed(3)}`),
    ),
  );
}

function show(fresh) {
  state = fresh;
  showStanding(state.standing);
  showPair(state.pair);
}

function say(text, bad = false) {
  byId("said").textContent = text;
  byId("said").classList.toggle("bad", bad);
}

async function send(work, told) {
  if (busy) return;
  busy = true;
  try {
    const fresh = await work();
    show(fresh);
    say(told(fresh));
  } catch (error) {
    say(`Not saved: ${error.message}`, true);
  } finally {
    busy = false;
  }
}

function judge(verdict) {
  if (state.pair === null) return;
  const { place, source } = state.pair;
  const json = { place, verdict, note: byId("note").value.trim() };
  send(() => ask(`${address}/verdict?${who}`, { method: "POST", json }), () => `${source}: ${verdict}, saved`);
}

const ACTIONS = {
  right: () => judge("right"),
  wrong: () => judge("wrong"),
  later: () => judge("later"),
  undo: () =>
    send(
      () => ask(`${address}/undo?${who}`, { method: "POST" }),
      (fresh) => (fresh.undone ? "Taken back; judge it again" : "There is nothing to take back"),
    ),
  note: () => byId("note").focus(),
  keys: () => byId("keys").showModal(),
};

const button = (action) => root.querySelector(`button[data-action="${action}"]`);

function showKeys() {
  for (const [action, key] of Object.entries(keys)) {
    button(action).querySelector("kbd").textContent = key.toUpperCase();
    button(action).setAttribute("aria-keyshortcuts", key);
  }
  byId("bindings").replaceChildren(
    ...Object.entries(keys).map(([action, key]) => {
      const box = make("input", { id: `key_${action}`, value: key.toUpperCase(), size: 8, autocomplete: "off" });
      box.addEventListener("keydown", (event) => rebind(event, action));
      return make("div", { class: "field" }, make("label", { for: `key_${action}` }, NAMES[action]), box);
    }),
  );
}

function rebind(event, action) {
  if (["Tab", "Shift", "Escape", "Enter", "Control", "Alt", "Meta"].includes(event.key)) return;
  event.preventDefault();
  const taken = Object.keys(keys).find((other) => other !== action && keys[other] === event.key.toLowerCase());
  if (taken) keys[taken] = keys[action];
  keys[action] = event.key.toLowerCase();
  localStorage.setItem(STORED, JSON.stringify(keys));
  showKeys();
  byId(`key_${action}`).focus();
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (event.key === "Escape" && event.target.id === "note") byId("pair").focus();
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  const action = Object.keys(keys).find((name) => keys[name] === event.key.toLowerCase());
  if (action && !button(action).disabled) {
    event.preventDefault();
    ACTIONS[action]();
  }
});

for (const [action, run] of Object.entries(ACTIONS)) button(action).addEventListener("click", run);
byId("usual").addEventListener("click", () => {
  keys = { ...USUAL };
  localStorage.removeItem(STORED);
  showKeys();
});
byId("precision").addEventListener("input", (event) => (byId("asked").textContent = share(Number(event.target.value))));
byId("precision").addEventListener("change", () => {
  const form = new URLSearchParams({ precision: byId("precision").value });
  send(() => ask(`${address}/precision?${who}`, { method: "POST", form }), () => "The cut has moved");
});
byId("cut").addEventListener("submit", (event) => event.preventDefault());
lightPartners(root);
showKeys();
show(state);
