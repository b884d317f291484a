// Live pages, uploads with progress, block selection. Every page works without this file.

export const csrf = document.querySelector('meta[name="csrf"]')?.content ?? "";

export function say(text) {
  const place = document.getElementById("status");
  if (place) place.textContent = text;
}

/** True where a key press belongs to a field or a shortcut of the browser. */
export function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, [contenteditable]");
}

/** Replaces #live by its newest form; keeps the focus where it was. */
async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return null;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  const old = document.getElementById("live");
  if (fresh && old && !old.contains(document.activeElement)) old.replaceWith(fresh);
  return fresh;
}

function follow(live) {
  const events = new EventSource(live.dataset.events);
  let again = 0;
  events.addEventListener("job", () => {
    if (Date.now() - again < 500) return;
    again = Date.now();
    refresh();
  });
  events.addEventListener("end", () => {
    events.close();
    document.activeElement?.blur?.();
    refresh().then(() => say("The job has ended."));
  });
}

function poll(live) {
  setTimeout(async () => {
    const fresh = document.hidden ? live : await refresh().catch(() => live);
    if (fresh?.dataset.poll) poll(fresh);
  }, Number(live.dataset.poll));
}

const live = document.getElementById("live");
if (live?.dataset.events) follow(live);
if (live?.dataset.poll) poll(live);

function send(form, files) {
  const [most, bytes] = [Number(form.dataset.most), Number(form.dataset.bytes)];
  const problem = form.querySelector(".problem");
  const bar = form.querySelector("progress");
  const refuse = (text) => {
    problem.textContent = text;
    problem.hidden = !text;
    bar.hidden = true;
    form.querySelector("button").disabled = false;
  };
  const large = files.find((file) => file.size > bytes);
  if (files.length > most) return refuse(`At most ${most} files at once.`);
  if (large) return refuse(`${large.name} is over ${bytes >> 20} MB.`);
  const body = new FormData();
  for (const file of files) body.append("files", file, file.name);
  const request = new XMLHttpRequest();
  request.open("POST", "/ui/v1/jobs");
  request.setRequestHeader("X-CSRF-Token", csrf);
  request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) bar.value = event.loaded / event.total; });
  request.addEventListener("error", () => refuse("The connection was lost."));
  request.addEventListener("load", () => {
    const answer = JSON.parse(request.responseText || "{}");
    if (request.status === 201) location.href = `/ui/jobs/${answer.id}`;
    else refuse(typeof answer.detail === "string" ? answer.detail : (answer.detail?.[0]?.msg ?? `The service answered ${request.status}.`));
  });
  problem.hidden = true;
  bar.hidden = false;
  bar.value = 0;
  form.querySelector("button").disabled = true;
  request.send(body);
}

const upload = document.getElementById("upload");
if (upload) {
  upload.addEventListener("submit", (event) => {
    event.preventDefault();
    send(upload, [...upload.querySelector("input[type=file]").files]);
  });
  for (const kind of ["dragenter", "dragover"]) {
    upload.addEventListener(kind, (event) => { event.preventDefault(); upload.classList.add("over"); });
  }
  for (const kind of ["dragleave", "drop"]) upload.addEventListener(kind, () => upload.classList.remove("over"));
  upload.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) send(upload, [...event.dataTransfer.files]);
  });
}

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

const blocks = document.getElementById("blocks");
if (blocks) {
  const items = [...blocks.querySelectorAll("[data-block]")];
  const select = (item, focus) => {
    if (!item) return;
    for (const old of document.querySelectorAll(".selected")) old.classList.remove("selected");
    for (const one of document.querySelectorAll(`[data-block="${CSS.escape(item.dataset.block)}"]`)) one.classList.add("selected");
    if (focus) item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-block]");
    if (!chosen) return;
    if (chosen.matches("rect")) event.preventDefault();
    select(items.find((item) => item.dataset.block === chosen.dataset.block), chosen.matches("rect"));
  });
  document.addEventListener("keydown", (event) => {
    if (isTyping(event) || !["j", "k"].includes(event.key)) return;
    const at = items.findIndex((item) => item.classList.contains("selected"));
    select(items[event.key === "j" ? Math.min(at + 1, items.length - 1) : Math.max(at - 1, 0)], true);
  });
  const first = document.getElementById(location.hash.slice(1));
  if (first?.dataset.block) select(first, false);
}

const first = document.querySelector("[data-first]");
if (first) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === document.body) first.click();
  });
}
