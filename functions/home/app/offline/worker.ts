import type { Language } from '../../../../shared/messages/languages.ts';
import { cachePrefix, isStateCache, type OfflineState, type Report, readState, writeState } from './state.ts';
import { type FetchEvent, worker } from './worker-scope.ts';

/** Inserted by the build. */
declare const BUILD: {
  /** Digest of the names of the files. */
  build: string;
  /** The script of the page for the time without the portal. */
  script: string;
  /** Addresses of all files of the page. Their names contain digests, so a cached one is never out of date. */
  files: string[];
  languages: readonly Language[];
};

const ownCache = `${cachePrefix}${BUILD.build}`;
const offlinePage = (language: Language): string => `/home/offline?language=${language}`;

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('message', (event) => event.waitUntil(receive(event.data as Report)));
worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  if (method !== 'GET') return;
  if (mode === 'navigate') event.respondWith(open(event));
  else if (new URL(url).pathname.startsWith('/home/files/')) event.respondWith(fileOf(event.request));
  // Everything else, the API above all, is left to the browser.
});

async function install(): Promise<void> {
  const cache = await caches.open(ownCache);
  await cache.addAll(BUILD.files.map((file) => new Request(file, { credentials: 'omit' })));
  for (const language of BUILD.languages) await storePage(language, 'reload');
}

/**
 * @param cache `default` accepts the page of the last hour, which can be of an earlier build
 * @throws Error if the page is of another build, as while several servers are upgraded
 */
async function storePage(language: Language, cache: RequestCache): Promise<void> {
  const answer = await fetch(offlinePage(language), { credentials: 'omit', cache });
  if (!answer.ok || !(await answer.clone().text()).includes(BUILD.script)) throw new Error('another build');
  await (await caches.open(ownCache)).put(offlinePage(language), answer);
}

/** Runs when no page of an earlier build is open any more, so the files of that build can be deleted. */
async function activate(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter(
    (name) => name.startsWith(cachePrefix) && name !== ownCache && !isStateCache(name),
  );
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.registration.navigationPreload?.enable();
  await worker.clients.claim();
}

/**
 * Pages are always those of the portal: they belong to a user. A gateway in front of the portal that cannot reach it
 * answers 502, 503 or 504; the portal's own answers have a request id and explain themselves.
 */
async function open(event: FetchEvent): Promise<Response> {
  let failed: Response | undefined;
  let reason: unknown;
  try {
    const answer = (await event.preloadResponse) ?? (await fetch(event.request));
    const isOfGateway = [502, 503, 504].includes(answer.status) && !answer.headers.has('x-request-id');
    if (!isOfGateway) {
      event.waitUntil(note({ failedAt: undefined }));
      return answer;
    }
    failed = answer;
  } catch (error) {
    reason = error;
  }
  event.waitUntil(note({ failedAt: Date.now() }));
  const { language = BUILD.languages[0] ?? 'en' } = await readState();
  const page = (await caches.match(offlinePage(language), { cacheName: ownCache })) ?? failed;
  if (page) return page;
  throw reason;
}

/** A page of an earlier build still gets the files that it loads later. */
const fileOf = async (request: Request): Promise<Response> =>
  (await caches.match(request.url, { ignoreVary: true })) ?? fetch(request);

async function receive({ build, isNew, ...state }: Report): Promise<void> {
  await note(state);
  if (build !== BUILD.build) return;
  // The name and the colours of the installation may have changed. The HTTP cache limits these requests.
  if (isNew)
    for (const language of BUILD.languages) await storePage(language, 'default').catch(() => undefined);
  await takeOver();
}

/** Replaces the worker of the earlier build if the only open page is of this build. */
async function takeOver(): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (windows.filter(({ url }) => new URL(url).pathname.startsWith('/home/')).length === 1)
    await worker.skipWaiting();
}

let writing: Promise<unknown> = Promise.resolve();

/** Changes are written one after the other. A later failure does not change the time of the first one. */
function note(change: OfflineState): Promise<unknown> {
  writing = writing
    .then(async () => {
      const state = await readState();
      const failedAt = change.failedAt && (state.failedAt ?? change.failedAt);
      await writeState({ ...state, ...change, failedAt });
    })
    .catch(() => undefined);
  return writing;
}
