// Uploads with progress: chosen or dropped files become jobs of as many files as one job may have, one after the other.
import { takeDrops } from "./page.js";

const form = document.getElementById("upload");

function refuse(text) {
  const problem = form.querySelector(".problem");
  problem.textContent = text;
  problem.hidden = !text;
}

/** Groups of files: as many as a job may have, and not more bytes than a request may carry. */
function pack(files, most) {
  const groups = [];
  for (let at = 0; at < files.length; at += most) groups.push(files.slice(at, at + most));
  return groups;
}

/** Adds a line for each file of a group; `sent` tells the lines how many bytes of the group have left. */
function show(group) {
  const list = form.querySelector(".sending"), lines = group.map(line);
  list.append(...lines.map(({ item }) => item));
  list.hidden = false;
  const whole = group.reduce((sum, file) => sum + file.size, 0);
  const sent = (share) => {
    let left = share * whole;
    for (const [at, { state, bar }] of lines.entries()) {
      const part = Math.min(group[at].size, Math.max(0, left));
      left -= group[at].size;
      bar.value = part / group[at].size;
      state.textContent = share === 1 ? "storing" : bar.value === 1 ? "sent" : part ? `${Math.floor(100 * bar.value)} %` : "waits";
    }
  };
  const stored = () => { for (const { state, bar } of lines) { bar.value = 1; state.textContent = "stored"; } };
  return { ...lines[0], sent, stored };
}

function line(file) {
  const item = document.createElement("li"), name = document.createElement("span"), state = document.createElement("span");
  const bar = document.createElement("progress");
  name.className = "name";
  name.textContent = file.name;
  state.className = "soft";
  state.textContent = "waits";
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${file.name}`);
  item.append(name, state, bar);
  return { item, state, bar };
}

function body(group, password) {
  const data = new FormData();
  for (const name of ["pages", "ocr"]) {
    const value = form.elements[name]?.value;
    if (value) data.append(name, value);
  }
  if (password) data.append("password", password);
  for (const file of group) data.append("files", file, file.name);
  return data;
}

const typedPassword = () => form.elements.password?.value ?? "";
const token = () => document.querySelector('meta[name="csrf"]').content;

/** Whether a file may need a password: a PDF that names encryption, an old or locked Office file, a zip with locked entries. */
async function mayBeLocked(file) {
  const edge = 1 << 20;
  const decode = async (part) => new TextDecoder("latin1").decode(await part.arrayBuffer());
  const head = await decode(file.slice(0, edge));
  if (head.startsWith("\xd0\xcf\x11\xe0") || /\.od[tsp]$/i.test(file.name)) return true;
  if (head.startsWith("PK\x03\x04")) return (head.charCodeAt(6) & 1) === 1;
  if (!head.slice(0, 1024).includes("%PDF")) return false;
  return head.includes("/Encrypt") || (await decode(file.slice(-edge))).includes("/Encrypt");
}

/** Whether the file opens with the password. A check that cannot be made leaves the answer to the job. */
async function opens(file, password) {
  const data = new FormData();
  data.append("password", password);
  data.append("file", file, file.name);
  const answer = await fetch("/ui/check-upload", { method: "POST", headers: { "X-CSRF-Token": token() }, body: data }).catch(() => null);
  if (!answer?.ok || answer.redirected) return true;
  return (await answer.json()).opens;
}

/** Asks next to the file until a password opens it, or the file is left out. Resolves to the password, or null. */
function askPassword(file, shown, isWrong) {
  const name = `password-${form.querySelectorAll(".locked").length}`, place = document.createElement("span");
  place.className = "locked";
  place.innerHTML = '<label></label><input type="password" autocomplete="off" maxlength="1024" placeholder="Password"><button type="button" class="main">Open</button><button type="button" class="quiet">Leave out</button>';
  const [label, field, open, leave] = place.children;
  label.textContent = `Password of ${file.name}`;
  label.className = "hidden";
  label.htmlFor = field.id = name;
  const warn = (text) => { shown.state.textContent = text; shown.state.className = "bad"; };
  warn(isWrong ? "That password does not open it." : "Needs a password.");
  shown.item.append(place);
  return new Promise((done) => {
    const finish = (value, text) => { place.remove(); shown.state.className = "soft"; shown.state.textContent = text; done(value); };
    open.addEventListener("click", async () => {
      if (!field.value || open.disabled) return;
      open.disabled = true;
      if (await opens(file, field.value)) { finish(field.value, "waits"); return; }
      warn("That password does not open it.");
      field.setAttribute("aria-invalid", "true");
      open.disabled = false;
      field.select();
    });
    field.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); open.click(); } });
    leave.addEventListener("click", () => finish(null, "left out"));
  });
}

/** The id of the job these files became; throws what the service said. */
function post(group, shown, password) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/ui/v1/jobs");
    request.setRequestHeader("X-CSRF-Token", token());
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) shown.sent(event.loaded / event.total);
    });
    request.addEventListener("error", () => failed(new Error("The connection failed.")));
    request.addEventListener("load", () => {
      if (request.status === 401) { location.reload(); return; }
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* a proxy's own page */ }
      if (request.status === 201) { done(answer.id); return; }
      const said = typeof answer.detail === "string" ? answer.detail : answer.detail?.[0]?.msg;
      failed(new Error(said ?? `The service answered ${request.status}.`));
    });
    request.send(body(group, password));
  });
}

async function send(files) {
  const most = Number(form.dataset.most), bytes = Number(form.dataset.bytes), button = form.querySelector("button.main");
  const large = files.find((file) => file.size > bytes), empty = files.find((file) => file.size === 0);
  if (!files.length) return;
  if (large) { refuse(`${large.name} is over ${bytes >> 20} MB.`); return; }
  if (empty) { refuse(`${empty.name} is empty, or a folder.`); return; }
  refuse("");
  button.disabled = true;
  form.querySelector(".sending").replaceChildren();
  window.addEventListener("beforeunload", hold);
  const jobs = [], total = files.length;
  let sent = 0, unsent = files;
  remember(unsent);
  const deliver = async (group, shown, password) => {
    jobs.push(await post(group, shown, password));
    sent += group.length;
    shown.stored();
    const done = new Set(group);
    remember(unsent = unsent.filter((file) => !done.has(file)));
  };
  try {
    const locked = [], free = [];
    for (const file of files) ((await mayBeLocked(file)) && !(await opens(file, typedPassword())) ? locked : free).push(file);
    const waiting = pack(free, most).map((group) => ({ group, shown: show(group) }));
    const asked = locked.map((file) => ({ file, shown: show([file]) })).map(({ file, shown }) => ({ file, shown, password: askPassword(file, shown, typedPassword() !== "") }));
    for (const { group, shown } of waiting) await deliver(group, shown, typedPassword());
    for (const { file, shown, password } of asked) if (await password !== null) await deliver([file], shown, await password);
    window.removeEventListener("beforeunload", hold);
    remember([]);
    if (jobs.length) location.href = listOf(jobs); else { button.disabled = false; }
  } catch (error) {
    window.removeEventListener("beforeunload", hold);
    remember([]);
    refuse(sent ? `${error.message} ${sent} of ${total} files were sent before.` : error.message);
    button.disabled = false;
  }
}

const UNSENT = "unsent"; // names of files that this tab has not sent yet: told after a reload, which loses the files
const MOST_TOLD = 20; // names in that message

function remember(files) {
  if (files.length) sessionStorage.setItem(UNSENT, JSON.stringify(files.map((file) => file.name)));
  else sessionStorage.removeItem(UNSENT);
}

function tellUnsent() {
  const names = JSON.parse(sessionStorage.getItem(UNSENT) ?? "[]"), more = names.length - MOST_TOLD;
  sessionStorage.removeItem(UNSENT);
  if (names.length) refuse(`Not sent, choose again: ${names.slice(0, MOST_TOLD).join(", ")}${more > 0 ? ` and ${more} more` : ""}`);
}

/** The list of an upload's documents. A long upload is the newest of all documents. */
function listOf(jobs) {
  return jobs.length > 100 ? "/ui" : `/ui?${new URLSearchParams(jobs.map((id) => ["job_id", id]))}`;
}

/** The service fetches the file; the rules are those of webhooks. */
async function fetchUrl() {
  const url = form.querySelector("#up-url").value.trim(), button = form.querySelector("[data-fetch]");
  if (!url) return;
  refuse("");
  button.disabled = true;
  const sent = { url };
  for (const name of ["pages", "ocr", "password"]) if (form.elements[name]?.value) sent[name] = form.elements[name].value;
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": token() };
  const answer = await fetch("/ui/v1/jobs", { method: "POST", headers, body: JSON.stringify(sent) }).catch(() => null);
  const said = await answer?.json().catch(() => ({}));
  if (answer?.status === 201) { location.href = listOf([said.id]); return; }
  refuse(!answer ? "The connection failed." : typeof said.detail === "string" ? said.detail : said.detail?.[0]?.msg ?? `The service answered ${answer.status}.`);
  button.disabled = false;
}

function hold(event) { event.preventDefault(); }

if (form) {
  const input = form.querySelector("input[type=file]"), folded = form.closest("details");
  form.classList.add("scripted"); // one act: what is chosen is listed and sent
  input.addEventListener("change", () => send([...input.files]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send([...input.files]);
  });
  form.querySelector(".by-url").hidden = false;
  form.querySelector("[data-fetch]").addEventListener("click", fetchUrl);
  form.querySelector("#up-url").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); fetchUrl(); } });
  if (folded) document.addEventListener("dragenter", (event) => { if (event.dataTransfer?.types.includes("Files")) folded.open = true; });
  takeDrops(form, send);
  tellUnsent();
}
