import { problemOf } from '../../../../shared/web/problems/problem.ts';
import { facts } from '../facts.ts';
import { attemptsName } from './attempts.ts';
import type { Report } from './state.ts';

let registration: ServiceWorkerRegistration | undefined;
/** Of the first failure since the last answer. */
let failedAt: number | undefined;

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

/** Reports the first answer after failures. */
export function noteAnswer(): void {
  if (failedAt === undefined) return;
  failedAt = undefined;
  report(false);
}

/** Reports the first request that had no answer. */
export function noteFailure(error: unknown): void {
  if (failedAt !== undefined || problemOf(error).code !== 'connection_failed') return;
  failedAt = Date.now();
  report(false);
}

/** A worker that waits is reported to as well: it may take over. */
function report(isNew: boolean): void {
  const content: Report = { build: facts.build, isNew, language: facts.language, failedAt };
  for (const worker of [registration?.active, registration?.waiting]) worker?.postMessage(content);
}
