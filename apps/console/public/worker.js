// Keeps what was read last for reading it offline. docs/decisions/0110-console.md says what is kept, and when it goes.

/** Cache of the page and its files, which are the same for everyone. */
const FILES = "files";
/** Cache of answers, which belong to one reader. `src/api/offline.ts` removes it by this name. */
const ANSWERS = "answers";

/** Calls whose answers are kept: those that show meetings. */
const KEPT =
  /^\/console\/v1\/(meetings\.(browse|get|transcript)|(speakers|tasks|people|tags)\.list|people\.get)$/;
const ACCOUNT = "/settings/v1/account.get";
/** The call of the account, as the page writes it. */
const ACCOUNT_URL = `${ACCOUNT}?input=${encodeURIComponent('{"json":{}}')}`;
/** Set while an account is read: other answers are kept once it is known whose they are. */
let account = Promise.resolve();
/** Pages that are not the console's. */
const OTHER = /^\/(audio|docs|identity|oauth|s|unsubscribe)(\/|$)/;
/** The page that stands for all: each shows what its address names. */
const PAGE = "/meetings";

const MAX_ANSWERS = 300;
const MAX_FILES = 300;
/** Maximum age of an answer in ms. */
const MAX_AGE = 7 * 86_400_000;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(keepFiles());
});
self.addEventListener("activate", (event) => event.waitUntil(begin()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith("/assets/")) event.respondWith(loadFile(event));
  else if (pathname === ACCOUNT || KEPT.test(pathname)) respondByReading(event, pathname);
  else if (request.mode === "navigate" && !OTHER.test(pathname)) event.respondWith(openPage(event));
});

/** Takes over the open pages, and reads whose answers it will keep. */
async function begin() {
  await self.clients.claim();
  account = read(new Request(ACCOUNT_URL), ACCOUNT).then(
    ({ kept }) => kept,
    () => {},
  );
  await account;
}

/** Keeps the page, and the scripts of the two pages that people read. */
async function keepFiles() {
  const files = await caches.open(FILES);
  for (const path of [PAGE, `${PAGE}/0`]) {
    const page = await fetch(path, { headers: { accept: "text/html" } });
    if (!page.ok) return;
    if (path === PAGE) await files.put(PAGE, page.clone());
    await files.addAll(new Set((await page.text()).match(/\/assets\/[\w.-]+/g)));
  }
}

/** Loads a file, whose name changes with its content. */
async function loadFile(event) {
  const files = await caches.open(FILES);
  const kept = await files.match(event.request);
  if (kept) return kept;
  const file = await fetch(event.request);
  if (file.ok) {
    const copy = file.clone();
    event.waitUntil(files.put(event.request, copy).then(() => trim(files, MAX_FILES)));
  }
  return file;
}

/** Opens a page from the server; without it, as it was kept. */
async function openPage(event) {
  const files = await caches.open(FILES);
  try {
    const page = await fetch(event.request);
    if (page.ok) event.waitUntil(keepPage(files, page.clone()));
    return page;
  } catch (error) {
    const kept = await files.match(PAGE);
    if (!kept) throw error;
    return kept;
  }
}

async function keepPage(files, page) {
  const copy = page.clone();
  // The pages for visitors have another frame, and some paths answer with something else.
  if ((await page.text()).includes('data-frame="shell"')) await files.put(PAGE, copy);
  await removeOld();
}

function respondByReading(event, path) {
  const reading = read(event.request, path);
  const kept = reading.then(
    (done) => done.kept,
    () => {},
  );
  if (path === ACCOUNT) account = kept;
  event.respondWith(reading.then(({ answer }) => answer));
  event.waitUntil(kept);
}

/** Reads from the server; without it, what it answered last. Such an answer has the header `x-kept`. */
async function read(request, path) {
  // Opened first: a cache that is removed before the answer arrives, because somebody signs out, doesn't get it.
  const answers = await caches.open(ANSWERS);
  try {
    const answer = await fetch(request);
    return { answer, kept: keep(answers, request, path, answer.clone()) };
  } catch (error) {
    const kept = await answers.match(request, { ignoreVary: true });
    if (!kept || isOld(kept)) throw error;
    const headers = new Headers(kept.headers);
    headers.set("x-kept", "last");
    return { answer: new Response(kept.body, { headers }), kept: null };
  }
}

const findAccount = (answers) => answers.match(ACCOUNT, { ignoreSearch: true, ignoreVary: true });

async function keep(answers, request, path, answer) {
  if (answer.status === 401) await caches.delete(ANSWERS);
  else if (path === ACCOUNT) await keepAccount(answers, request, answer);
  else if ([403, 404, 410].includes(answer.status)) await answers.delete(request, { ignoreVary: true });
  else if (answer.ok) {
    await account;
    if (!(await findAccount(answers))) return;
    await answers.put(request, answer);
    await trim(answers, MAX_ANSWERS);
  }
}

/** Keeps an account. If somebody else has signed in, or moved to another workspace, removes what was kept before. */
async function keepAccount(answers, request, answer) {
  if (!answer.ok) return;
  const before = await findAccount(answers);
  const identify = async (one) => {
    const { userId, workspaceId } = (await one.json()).result.data.json;
    return `${userId} ${workspaceId}`;
  };
  const isOther = before && (await identify(before)) !== (await identify(answer.clone()));
  if (isOther) await caches.delete(ANSWERS);
  await (isOther ? await caches.open(ANSWERS) : answers).put(request, answer);
}

const isOld = (answer) => !(Date.now() - Date.parse(answer.headers.get("date")) < MAX_AGE);

async function removeOld() {
  const answers = await caches.open(ANSWERS);
  for (const request of await answers.keys()) {
    const answer = await answers.match(request, { ignoreVary: true });
    if (answer && isOld(answer)) await answers.delete(request, { ignoreVary: true });
  }
}

/** Removes the entries that were kept first, beyond a number. */
async function trim(cache, count) {
  const requests = await cache.keys();
  for (const request of requests.slice(0, Math.max(0, requests.length - count)))
    if (!request.url.includes(ACCOUNT) && new URL(request.url).pathname !== PAGE) await cache.delete(request);
}
