"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const count = data.x.length;
  const by = (id) => document.getElementById(id);
  const canvas = by("points"), pen = canvas.getContext("2d"), tip = by("tip");
  const PALETTE = ["#2f7fc1", "#d9722a", "#2f9e78", "#b85aa0", "#b08a1e", "#6b6fd0", "#d1495b", "#3aa6b9", "#7f9a3a", "#9a6b4f", "#d486c2", "#5d7f9e"];
  const OTHER = "#98a0a8", SHOWN = 300, LAYERS = 7;
  const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  let scale = 1, left = 0, top = 0, width = 0, height = 0, ratio = 1;
  let colour = null, hidden = new Set(), found = null, chosen = null, loop = null, drag = null, lasso = false, near = -1, planned = false;

  const ramp = (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1), low = Math.min(Math.floor(at), STOPS.length - 2);
    const mixed = STOPS[low].map((part, k) => Math.round(part + (STOPS[low + 1][k] - part) * (at - low)));
    return `rgb(${mixed.join(",")})`;
  };
  const continuous = () => colour.numeric && colour.values.length > PALETTE.length;
  const shade = (code) => {
    if (code < 0) return OTHER;
    if (!continuous()) return code < PALETTE.length ? PALETTE[code] : OTHER;
    const ends = [Number(colour.values[0]), Number(colour.values[colour.values.length - 1])];
    return ramp((Number(colour.values[code]) - ends[0]) / (ends[1] - ends[0] || 1));
  };
  const bucket = (code) => (continuous() || (code >= 0 && code < PALETTE.length) ? code : -1);

  const place = (k) => [(data.x[k] + 1) * 0.5 * side() * scale + left, (1 - data.y[k]) * 0.5 * side() * scale + top];
  const side = () => Math.max(1, Math.min(width, height) - 24);
  const home = () => { scale = 1; left = (width - side()) / 2; top = (height - side()) / 2; draw(); };

  function measure() {
    const box = canvas.getBoundingClientRect();
    const first = width === 0;
    ratio = window.devicePixelRatio || 1; width = box.width; height = box.height;
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    if (first || scale === 1) home(); else draw();
  }

  const draw = () => { if (!planned) { planned = true; requestAnimationFrame(() => { planned = false; paint(); }); } };
  function paint() {
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const radius = Math.min(6, Math.max(1.6, 90 / Math.sqrt(count)) * Math.sqrt(scale));
    const marked = chosen || found, layers = new Map();
    for (let k = 0; k < count; k++) {
      const code = colour.codes[k], group = bucket(code);
      if (hidden.has(group)) continue;
      // Several layers of each colour, so that no colour hides another where points lie on each other.
      const bright = !marked || marked.has(k), key = (bright ? "1" : "0") + ((k * 7919) % LAYERS) + code;
      if (!layers.has(key)) layers.set(key, []);
      layers.get(key).push(k);
    }
    for (const [key, points] of [...layers].sort((a, b) => a[0].slice(0, 2) - b[0].slice(0, 2))) {
      pen.globalAlpha = key[0] === "1" ? 0.82 : 0.1;
      pen.fillStyle = shade(Number(key.slice(2)));
      pen.beginPath();
      for (const k of points) {
        const [x, y] = place(k);
        if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
        pen.moveTo(x + radius, y); pen.arc(x, y, radius, 0, 6.2832);
      }
      pen.fill();
    }
    pen.globalAlpha = 1;
    const ink = getComputedStyle(document.body).color;
    if (near >= 0) { const [x, y] = place(near); pen.strokeStyle = ink; pen.lineWidth = 2; pen.beginPath(); pen.arc(x, y, radius + 3, 0, 6.2832); pen.stroke(); }
    if (loop && loop.length > 1) { pen.strokeStyle = ink; pen.lineWidth = 1.5; pen.setLineDash([5, 4]); pen.beginPath(); loop.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y))); pen.closePath(); pen.stroke(); pen.setLineDash([]); }
  }

  const element = (name, text, kind) => { const made = document.createElement(name); if (text !== undefined) made.textContent = text; if (kind) made.className = kind; return made; };
  const swatch = (fill) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    svg.setAttribute("viewBox", "0 0 10 10"); svg.setAttribute("aria-hidden", "true");
    for (const [name, value] of [["cx", 5], ["cy", 5], ["r", 5], ["fill", fill]]) dot.setAttribute(name, value);
    svg.append(dot); return svg;
  };

  function legend() {
    const list = by("legend"); list.replaceChildren();
    if (continuous()) {
      const line = element("li", undefined, "scale"), bar = element("canvas");
      bar.width = 200; bar.height = 12;
      const brush = bar.getContext("2d");
      for (let k = 0; k < 200; k++) { brush.fillStyle = ramp(k / 199); brush.fillRect(k, 0, 1, 12); }
      line.append(element("span", colour.values[0]), bar, element("span", colour.values[colour.values.length - 1]));
      list.append(line); return;
    }
    const counts = new Map();
    for (const code of colour.codes) counts.set(bucket(code), (counts.get(bucket(code)) || 0) + 1);
    const rest = colour.values.length > PALETTE.length ? `${colour.values.length - PALETTE.length} other values, or none` : "none";
    for (const code of [...counts.keys()].sort((a, b) => (a < 0) - (b < 0) || a - b)) {
      const button = element("button");
      button.type = "button"; button.setAttribute("aria-pressed", "true");
      const name = code < 0 ? rest : colour.values[code];
      button.title = name;
      button.append(swatch(shade(code)), element("span", name, "name"), element("span", counts.get(code).toLocaleString("en"), "many"));
      button.addEventListener("click", () => {
        hidden.has(code) ? hidden.delete(code) : hidden.add(code);
        button.setAttribute("aria-pressed", String(!hidden.has(code))); draw();
      });
      const line = element("li"); line.append(button); list.append(line);
    }
  }

  function about(k) {
    const facts = [data.language[k], data.id[k]];
    for (const [name, values] of Object.entries(data.fields)) if (values[k] && name !== "title") facts.push(`${name}: ${values[k]}`);
    return facts.join(" · ");
  }
  function listed() {
    const set = chosen || found, list = by("list");
    const rows = set ? [...set] : [];
    by("chosen").textContent = !set ? "No document chosen" : `${rows.length.toLocaleString("en")} ${chosen ? "chosen" : "found"}`;
    for (const id of ["tsv", "jsonl", "none"]) by(id).disabled = !rows.length && !set;
    list.replaceChildren(...rows.slice(0, SHOWN).map((k) => {
      const line = element("li"), heading = element("span", data.heading[k]);
      heading.dir = "auto"; heading.lang = data.language[k];
      line.append(heading, element("span", about(k), "source"));
      line.addEventListener("pointerenter", () => { near = k; draw(); });
      line.addEventListener("pointerleave", () => { near = -1; draw(); });
      return line;
    }));
    if (rows.length > SHOWN) list.append(element("li", `… and ${(rows.length - SHOWN).toLocaleString("en")} more in the download`, "source"));
    draw();
  }

  const clean = (text) => String(text).replace(/[\t\r\n]+/g, " ");
  function download(name, kind, text) {
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([text], { type: kind })); link.download = name;
    document.body.append(link); link.click(); link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  const rowsOf = () => [...(chosen || found || [])];
  const names = Object.keys(data.fields);
  by("tsv").addEventListener("click", () => {
    const lines = rowsOf().map((k) => [data.id[k], data.language[k], data.heading[k], ...names.map((name) => data.fields[name][k])].map(clean).join("\t"));
    download("documents.tsv", "text/tab-separated-values", [["id", "lang", "heading", ...names].join("\t"), ...lines, ""].join("\n"));
  });
  by("jsonl").addEventListener("click", () => {
    const lines = rowsOf().map((k) => JSON.stringify({ id: data.id[k], lang: data.language[k], heading: data.heading[k], ...Object.fromEntries(names.map((name) => [name, data.fields[name][k]])) }));
    download("documents.jsonl", "application/x-ndjson", [...lines, ""].join("\n"));
  });
  by("none").addEventListener("click", () => { chosen = null; found = null; by("find").value = ""; listed(); });

  const texts = data.heading.map((heading, k) => [heading, data.snippet[k], data.id[k], ...names.map((name) => data.fields[name][k])].join("\n").toLowerCase());
  by("find").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    chosen = null;
    found = words.length ? new Set(texts.flatMap((text, k) => (words.every((word) => text.includes(word)) ? [k] : []))) : null;
    listed();
  });
  document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());

  const choice = by("colour");
  for (const name of Object.keys(data.colours)) choice.append(element("option", name === "group" ? "topic" : name));
  [...choice.options].forEach((option, k) => { option.value = Object.keys(data.colours)[k]; });
  choice.value = choice.dataset.first in data.colours ? choice.dataset.first : "language";
  const repaint = () => { colour = data.colours[choice.value]; hidden = new Set(); legend(); draw(); };
  choice.addEventListener("change", repaint);
  by("whole").addEventListener("click", home);
  const mode = (on) => { lasso = on; by("lasso").setAttribute("aria-pressed", String(on)); canvas.style.cursor = on ? "cell" : "crosshair"; };
  by("lasso").addEventListener("click", () => mode(!lasso));

  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  function nearest([x, y]) {
    let best = -1, least = 144;
    for (let k = 0; k < count; k++) {
      if (hidden.has(bucket(colour.codes[k]))) continue;
      const [a, b] = place(k), apart = (a - x) ** 2 + (b - y) ** 2;
      if (apart < least) { least = apart; best = k; }
    }
    return best;
  }
  function show(k, [x, y]) {
    near = k; tip.hidden = k < 0;
    if (k >= 0) {
      const heading = element("strong", data.heading[k]), text = element("span", data.snippet[k]);
      for (const part of [heading, text]) { part.dir = "auto"; part.lang = data.language[k]; }
      tip.replaceChildren(heading, text, element("span", about(k), "source"));
      const box = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(x + 14, width - box.width - 4))}px`;
      tip.style.top = `${y + 18 + box.height > height ? Math.max(4, y - box.height - 12) : y + 18}px`;
    }
    draw();
  }
  const inside = (x, y) => {
    let within = false;
    for (let i = 0, j = loop.length - 1; i < loop.length; j = i++) {
      const [a, b] = loop[i], [c, d] = loop[j];
      if (b > y !== d > y && x < ((c - a) * (y - b)) / (d - b) + a) within = !within;
    }
    return within;
  };
  function zoom(factor, [x, y]) {
    const wanted = Math.min(Math.max(scale * factor, 1), 60), change = wanted / scale;
    left = x - (x - left) * change; top = y - (y - top) * change; scale = wanted;
    if (scale === 1) home(); else draw();
  }
  const pointers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId); pointers.set(event.pointerId, at(event));
    if (pointers.size > 1) { drag = null; loop = null; return; }
    if (lasso || event.shiftKey) loop = [at(event)]; else drag = at(event);
    show(-1, [0, 0]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const here = at(event);
    if (pointers.size === 2 && pointers.has(event.pointerId)) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, spot]) => spot), before = pointers.get(event.pointerId);
      zoom(Math.hypot(here[0] - other[0], here[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), other);
    } else if (loop) { loop.push(here); draw(); }
    else if (drag) { left += here[0] - drag[0]; top += here[1] - drag[1]; drag = here; draw(); }
    else show(nearest(here), here);
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, here);
  });
  const up = (event) => {
    pointers.delete(event.pointerId);
    if (loop && loop.length > 2) {
      const set = new Set();
      for (let k = 0; k < count; k++) { const [x, y] = place(k); if (!hidden.has(bucket(colour.codes[k])) && inside(x, y)) set.add(k); }
      chosen = set; loop = null; mode(false); listed();
    }
    loop = null; drag = null;
    if (event.pointerType !== "mouse") show(nearest(at(event)), at(event));
    draw();
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => { if (!pointers.size) show(-1, [0, 0]); });
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * 0.0015), at(event)); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    if (event.key in moves) { left += moves[event.key][0]; top += moves[event.key][1]; draw(); }
    else if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.3 : 1 / 1.3, [width / 2, height / 2]);
    else if (event.key === "0") home();
    else return;
    event.preventDefault();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(measure).observe(canvas.parentElement);
  repaint(); measure(); listed();
})();
