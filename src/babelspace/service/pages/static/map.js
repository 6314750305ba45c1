// Points on a canvas: colour, hover, a lasso, and a list of what it caught.
import { ask, byId, make, number } from "./workbench.js";

const canvas = byId("canvas");
const pen = canvas.getContext("2d");
const FEW = 12, LISTED = 200, NEAR = 8;
let points = [], shown = [], caught = [], lasso = [], colours = new Map(), columns = {};

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function fit() {
  const width = canvas.clientWidth, height = Math.round(Math.min(width * 0.62, innerHeight * 0.7));
  const scale = devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = width * scale;
  canvas.height = height * scale;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  const side = Math.min(width, height * 1.5) / 2 - 12;
  for (const point of points) {
    point.left = width / 2 + point.x * (width / 2 - 14);
    point.top = height / 2 - point.y * (height / 2 - 14);
  }
  return side;
}

function draw() {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const palette = [0, 1, 2, 3, 4, 5].map((place) => style(`--c${place}`));
  const others = style("--soft");
  for (const point of shown) {
    const place = colours.get(point.colour);
    pen.globalAlpha = caught.length && !point.caught ? 0.25 : 0.8;
    pen.fillStyle = place === undefined ? others : palette[place % 6];
    pen.beginPath();
    if (place !== undefined && place >= 6) pen.rect(point.left - 3, point.top - 3, 6, 6);
    else pen.arc(point.left, point.top, 3.2, 0, 7);
    pen.fill();
  }
  pen.globalAlpha = 1;
  if (lasso.length > 1) {
    pen.strokeStyle = style("--accent");
    pen.lineWidth = 2;
    pen.beginPath();
    lasso.forEach(([x, y], place) => (place ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.stroke();
  }
}

function colour() {
  const field = byId("colour").value;
  const counts = new Map();
  for (const point of points) {
    point.colour = String(columns[field][point.place] ?? "");
    counts.set(point.colour, (counts.get(point.colour) ?? 0) + 1);
  }
  const most = [...counts].sort((one, other) => other[1] - one[1]).slice(0, FEW);
  colours = new Map(most.map(([name], place) => [name, place]));
  const rest = counts.size - most.length;
  byId("legend").replaceChildren(
    ...most.map(([name, count], place) => make("li", {}, make("i", { class: `k${place % 6}${place >= 6 ? " square" : ""}` }), make("bdi", {}, name || "–"), ` ${number(count)}`)),
    ...(rest > 0 ? [make("li", { class: "note" }, `and ${number(rest)} more`)] : []),
  );
  draw();
}

function filter() {
  const wanted = byId("find").value.toLowerCase();
  shown = points.filter((point) => !wanted || point.words.includes(wanted));
  byId("told").textContent = `${number(shown.length)} of ${number(points.length)} documents`;
  draw();
}

function catchThem(found) {
  for (const point of points) point.caught = false;
  caught = found;
  for (const point of caught) point.caught = true;
  byId("csv").disabled = !caught.length;
  if (byId("keep_button")) byId("keep_button").disabled = !caught.length;
  byId("caught").hidden = !caught.length;
  byId("caught").tBodies[0].replaceChildren(
    ...caught.slice(0, LISTED).map((point) =>
      make("tr", {}, make("td", { class: "word" }, columns.language[point.place]), make("td", { class: "word", dir: "auto" }, columns.id[point.place]), make("td", { class: "word wrap", dir: "auto" }, columns.heading[point.place])),
    ),
  );
  byId("told").textContent = `${number(caught.length)} documents are caught${caught.length > LISTED ? `, of which ${LISTED} are listed` : ""}`;
  draw();
}

function inside([x, y]) {
  let within = false;
  for (let here = 0, last = lasso.length - 1; here < lasso.length; last = here++) {
    const [ax, ay] = lasso[here], [bx, by] = lasso[last];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
  }
  return within;
}

const place = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

function hover(event) {
  const [x, y] = place(event);
  let best = null, least = NEAR ** 2;
  for (const point of shown) {
    const far = (point.left - x) ** 2 + (point.top - y) ** 2;
    if (far < least) [best, least] = [point, far];
  }
  const tip = byId("tip");
  tip.hidden = best === null;
  if (best === null) return;
  tip.replaceChildren(make("b", { dir: "auto" }, columns.id[best.place]), ` ${columns.language[best.place]}`, make("div", { dir: "auto" }, columns.heading[best.place]), make("small", {}, best.colour));
  tip.style.left = `${Math.min(best.left + 12, canvas.clientWidth - 200)}px`;
  tip.style.top = `${best.top + 12}px`;
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  lasso = [place(event)];
});
canvas.addEventListener("pointermove", (event) => {
  if (!lasso.length) return hover(event);
  lasso.push(place(event));
  draw();
});
canvas.addEventListener("pointerup", () => {
  const found = lasso.length > 4 ? shown.filter((point) => inside([point.left, point.top])) : [];
  lasso = [];
  catchThem(found);
});
canvas.addEventListener("pointerleave", () => (byId("tip").hidden = true));

byId("catch").addEventListener("click", () => catchThem(shown));
byId("colour").addEventListener("change", colour);
byId("find").addEventListener("input", filter);
byId("csv").addEventListener("click", () => {
  const names = Object.keys(columns);
  const cell = (value) => `"${String(value ?? "").replace(/^[=+\-@\t\r](?![\d.])/, "'$&").replaceAll('"', '""')}"`;
  const lines = [names, ...caught.map((point) => names.map((name) => columns[name][point.place]))];
  const link = make("a", { href: URL.createObjectURL(new Blob([lines.map((line) => line.map(cell).join(",")).join("\n")], { type: "text/csv" })), download: "documents.csv" });
  link.click();
  URL.revokeObjectURL(link.href);
});
// What can be done with a list once it is kept.
const NEXT = { review: "Match and review them", search: "Search among them", corpus: "Look at them as a corpus" };
byId("keep")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const documents = caught.map((point) => [columns.language[point.place], columns.id[point.place]]);
  const json = { ...JSON.parse(byId("map").dataset.asked), name: byId("list_name").value, documents };
  try {
    const told = await ask("/map/list", { method: "POST", json });
    const links = Object.entries(NEXT).filter(([name]) => told[name]);
    byId("kept").replaceChildren(`${number(told.documents)} documents are kept as ${told.name}.`, ...links.map(([name, title]) => make("a", { href: told[name] }, title)));
  } catch (error) {
    byId("kept").textContent = error.message;
  }
});
addEventListener("resize", () => {
  fit();
  draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

try {
  const told = await ask(byId("map").dataset.address);
  ({ columns } = told);
  points = columns.x.map((x, at) => ({ x, y: columns.y[at], place: at, words: Object.keys(columns).filter((name) => name !== "x" && name !== "y").map((name) => columns[name][at]).join(" ").toLowerCase() }));
  const fields = ["language", "group", ...Object.keys(columns).filter((name) => !["x", "y", "id", "language", "group", "heading"].includes(name))];
  byId("colour").replaceChildren(...fields.map((name) => make("option", { value: name }, name === "group" ? "topic" : name)));
  fit();
  shown = points;
  colour();
  const left = [told.left_out && `${number(told.left_out)} are left out, evenly`, told.unplaced && `${number(told.unplaced)} hold no known word`].filter(Boolean);
  byId("told").textContent = `${number(points.length)} documents${left.length ? `; ${left.join("; ")}` : ""}`;
} catch (error) {
  byId("told").textContent = error.message;
}
