// Uploads what is dropped or chosen and follows it; keeps lists fresh. Everything shown is text, never markup.
import { takeDrops } from "./page.js";

const { root, csrf } = document.body.dataset;
const byId = (id) => document.getElementById(id);

/** Replaces the parts that change by their newest form; keeps the focus where it was. */
async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["usage", "sent"]) {
    const [old, now] = [byId(id), fresh.getElementById(id)];
    if (old && !now && "whole" in old.dataset) return location.reload();
    if (old && now && !old.contains(document.activeElement)) old.replaceWith(now);
  }
}

async function poll() {
  for (;;) {
    const pause = byId("sent")?.dataset.poll;
    await new Promise((go) => setTimeout(go, Number(pause ?? 1500)));
    if (pause && !document.hidden) await refresh().catch(() => undefined);
  }
}
if (byId("sent")) poll();

function explain(status, body) {
  const detail = typeof body.detail === "string" ? body.detail : (body.detail ?? []).map((one) => one.msg).join("; ");
  return detail || `The upload was refused (${status}).`;
}

function rowOf(one) {
  const row = document.createElement("li");
  const name = Object.assign(document.createElement("span"), { className: "name", textContent: one.source_file });
  const chip = Object.assign(document.createElement("span"), { className: `chip ${one.status}`, textContent: one.status[0].toUpperCase() + one.status.slice(1) });
  row.append(name, chip);
  if (one.status === "running" && one.pages_total) {
    const bar = Object.assign(document.createElement("progress"), { max: one.pages_total, value: one.pages_done });
    bar.setAttribute("aria-label", `${one.source_file}: pages read`);
    row.append(bar, `${one.pages_done} of ${one.pages_total} pages`);
  }
  if (one.error) {
    const advice = JSON.parse(byId("drop").dataset.advice)[one.error] ?? one.error_detail ?? "";
    row.append(Object.assign(document.createElement("span"), { className: "bad", textContent: one.error }), advice);
  }
  return row;
}

function show(job) {
  byId("upload-files").replaceChildren(...[...job.documents, ...job.pending].map(rowOf));
  const total = job.documents.length + job.pending.length;
  byId("upload-bar").value = job.pages_total ? job.pages_done / job.pages_total : job.documents.length / total;
}

async function follow(jobId) {
  for (;;) {
    const answer = await fetch(`${root}/api/jobs/${jobId}`, { headers: { Accept: "application/json" } });
    if (answer.ok) {
      const job = await answer.json();
      show(job);
      if (!job.pending.length) return job;
    } else if (answer.status !== 502 && answer.status !== 503) {
      throw new Error(`The job cannot be followed (${answer.status}).`);
    }
    await new Promise((go) => setTimeout(go, 500));
  }
}

/** The job; bytes on their way move the bar. */
function upload(files) {
  const body = new FormData();
  for (const file of files) body.append("files", file, file.name);
  const password = byId("password")?.value;
  if (password) body.append("password", password);
  const request = new XMLHttpRequest();
  request.open("POST", `${root}/api/jobs`);
  request.setRequestHeader("X-CSRF-Token", csrf);
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) byId("upload-bar").value = event.loaded / event.total;
  });
  return new Promise((resolve, reject) => {
    request.addEventListener("error", () => reject(new Error("The connection was lost.")));
    request.addEventListener("load", () => {
      const answer = JSON.parse(request.responseText || "{}");
      if (request.status === 201) resolve(answer);
      else reject(new Error(explain(request.status, answer)));
    });
    request.send(body);
  });
}

function check(files, { most, bytes }) {
  if (files.length > Number(most)) throw new Error(`At most ${most} files at once.`);
  const large = files.find((file) => file.size > Number(bytes));
  if (large) throw new Error(`${large.name} is over ${Number(bytes) >> 20} MB.`);
}

let busy = false;
async function send(form, files) {
  if (!files.length || busy) return;
  const [said, bar] = [byId("upload-said"), byId("upload-bar")];
  const say = (text, bad = false) => {
    said.textContent = text;
    said.className = bad ? "problem" : "";
  };
  byId("upload").hidden = bar.hidden = false;
  byId("upload-files").replaceChildren();
  busy = true;
  try {
    check(files, form.dataset);
    bar.value = 0;
    say(`Sending ${files.length === 1 ? files[0].name : `${files.length} files`} …`);
    const queued = await upload(files);
    say("Reading …");
    const job = await follow(queued.id);
    const failed = job.documents.filter((one) => one.status !== "succeeded").length;
    say(failed ? `Done; ${failed} of ${job.documents.length} could not be read.` : "Done.");
    bar.hidden = true;
  } catch (error) {
    bar.hidden = true;
    say(error.message, true);
  }
  busy = false;
  byId("files").value = "";
  await refresh().catch(() => undefined);
}

const drop = byId("drop");
if (drop) {
  byId("files").addEventListener("change", (event) => send(drop, [...event.target.files]));
  drop.addEventListener("submit", (event) => event.preventDefault());
  takeDrops(drop, (files) => send(drop, files));
}

// A session that has ended answers a part of the page with the sign-in form: then the whole page goes there.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!new URL(event.detail.xhr.responseURL || location.href).pathname.endsWith("/sign-in")) return;
  event.detail.shouldSwap = false;
  location.reload();
});
