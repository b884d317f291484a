// Uploads with progress: chosen or dropped files become jobs of as many files as one job may have, one after the other.
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

function show(group) {
  const list = form.querySelector(".sending"), item = document.createElement("li");
  const name = document.createElement("span"), state = document.createElement("span"), bar = document.createElement("progress");
  name.className = "name";
  name.textContent = group[0].name + (group.length > 1 ? ` and ${group.length - 1} more` : "");
  state.className = "soft";
  state.textContent = "waits";
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${name.textContent}`);
  item.append(name, state, bar);
  list.append(item);
  list.hidden = false;
  return { item, state, bar };
}

function body(group) {
  const data = new FormData();
  for (const name of ["pages", "ocr", "password"]) {
    const value = form.elements[name]?.value;
    if (value) data.append(name, value);
  }
  for (const file of group) data.append("files", file, file.name);
  return data;
}

/** The id of the job these files became; throws what the service said. */
function post(group, shown) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/ui/v1/jobs");
    request.setRequestHeader("X-CSRF-Token", document.querySelector('meta[name="csrf"]').content);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      shown.bar.value = event.loaded / event.total;
      shown.state.textContent = event.loaded < event.total ? `${Math.round(100 * event.loaded / event.total)} %` : "storing";
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
    request.send(body(group));
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
  const waiting = pack(files, most).map((group) => ({ group, shown: show(group) })), jobs = [];
  window.addEventListener("beforeunload", hold);
  try {
    for (const { group, shown } of waiting) {
      jobs.push(await post(group, shown));
      shown.bar.value = 1;
      shown.state.textContent = "sent";
    }
    window.removeEventListener("beforeunload", hold);
    location.href = jobs.length === 1 ? `/ui/jobs/${jobs[0]}` : "/ui/jobs";
  } catch (error) {
    window.removeEventListener("beforeunload", hold);
    refuse(jobs.length ? `${error.message} ${jobs.length} of ${waiting.length} jobs were sent before.` : error.message);
    button.disabled = false;
  }
}

/** The service fetches what stands at an address; the rules are those of webhooks. */
async function fetchUrl() {
  const url = form.querySelector("#up-url").value.trim(), button = form.querySelector("[data-fetch]");
  if (!url) return;
  refuse("");
  button.disabled = true;
  const sent = { url };
  for (const name of ["pages", "ocr", "password"]) if (form.elements[name]?.value) sent[name] = form.elements[name].value;
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": document.querySelector('meta[name="csrf"]').content };
  const answer = await fetch("/ui/v1/jobs", { method: "POST", headers, body: JSON.stringify(sent) }).catch(() => null);
  const said = await answer?.json().catch(() => ({}));
  if (answer?.status === 201) { location.href = `/ui/jobs/${said.id}`; return; }
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
  let depth = 0; // the whole page takes files: nobody aims
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragenter", (event) => { if (carriesFiles(event)) { depth += 1; form.classList.add("over"); if (folded) folded.open = true; } });
  document.addEventListener("dragleave", (event) => { if (carriesFiles(event) && --depth <= 0) { depth = 0; form.classList.remove("over"); } });
  document.addEventListener("dragover", (event) => { if (carriesFiles(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    form.classList.remove("over");
    send([...event.dataTransfer.files]);
  });
}
