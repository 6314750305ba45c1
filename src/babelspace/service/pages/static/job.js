// A job while it runs: server-sent events; when it has ended, the page shows what came of it.
import { ask, byId } from "./workbench.js";

const box = byId("job");
const ENDED = ["done", "failed", "cancelled", "stopped"];

function left(seconds) {
  if (seconds === null || seconds === undefined) return "";
  return seconds < 90 ? `about ${Math.ceil(seconds)} seconds left` : `about ${Math.ceil(seconds / 60)} minutes left`;
}

function show(job) {
  byId("state").textContent = job.state;
  byId("task").textContent = job.progress.task ?? "";
  byId("left").textContent = left(job.progress.seconds_left);
  const bar = byId("bar");
  if (job.progress.total) {
    bar.max = job.progress.total;
    bar.value = job.progress.done;
  } else bar.removeAttribute("value");
}

async function showLog() {
  const told = await ask(box.dataset.log).catch(() => null);
  if (told?.log) byId("log").textContent = told.log;
}

if (!ENDED.includes(box.dataset.state)) {
  const events = new EventSource(box.dataset.events);
  events.addEventListener("job", (event) => {
    const job = JSON.parse(event.data);
    show(job);
    if (ENDED.includes(job.state)) {
      events.close();
      location.reload();
    } else showLog();
  });
}
