import { facts } from '../facts.ts';
import { attemptsName } from './attempts.ts';
import type { Report } from './state.ts';

/** Milliseconds between two reports to the service worker. */
const everyMs = 30_000;

let registration: ServiceWorkerRegistration | undefined;
let reportedAt = 0;

/**
 * Installs the service worker once the page is loaded. Without one, as in private windows of some browsers, the page
 * works as before.
 */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  const start = () => void register().catch(() => undefined);
  if (document.readyState === 'complete') start();
  else addEventListener('load', start, { once: true });
}

async function register(): Promise<void> {
  sessionStorage.removeItem(attemptsName);
  registration = await navigator.serviceWorker.register('/home/worker.js', {
    scope: '/home/',
    updateViaCache: 'none',
  });
  const watch = () => registration?.installing?.addEventListener('statechange', () => report(false));
  watch();
  registration.addEventListener('updatefound', watch);
  await navigator.serviceWorker.ready;
  report(true);
}

/** Reports that the portal has answered. */
export function noteAnswer(): void {
  if (Date.now() - reportedAt > everyMs) report(false);
}

/** A worker that waits is reported to as well: it may take over. */
function report(isNew: boolean): void {
  reportedAt = Date.now();
  const content: Report = {
    build: facts.build,
    isNew,
    language: facts.language,
    answeredAt: reportedAt,
  };
  for (const worker of [registration?.active, registration?.waiting]) worker?.postMessage(content);
}
