import { type QueryClient, useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { type Change, followChanges } from '../../../../shared/web/live/follow-changes.ts';

/** Milliseconds in which changes are collected before what they concern is read again. */
const collectMs = 300;
/** Milliseconds between two times at which something is read again. */
const betweenMs = 1_500;
/** Milliseconds after which a page that is not visible stops following. */
const hiddenMs = 60_000;

/** The types of the lists of a farm. */
const listTypes: Readonly<Record<string, string>> = {
  servicespools: 'servicespool',
  workplaces: 'workplace',
  spsessions: 'spsession',
};

/** Lists and pages that show records of another type. */
const shownIn: Readonly<Record<string, readonly string[]>> = {
  // Pictures name the number of rules that show them.
  rule: ['picture'],
  user: ['portalUser', 'userAccess'],
  group: ['userAccess'],
  lock_out: ['lockOut', 'portalUser', 'user', 'userAccess'],
  role: ['userAccess'],
  session: ['loginSession', 'userSession', 'userAccess'],
  service_token: ['issuedToken', 'serviceToken', 'userAccess'],
};

/** Reads what the console shows again as soon as it has changed. */
export function useLive(): void {
  const client = useQueryClient();
  useEffect(() => {
    const renewal = renewalOf(client);
    const stop = whileVisible((signal) =>
      followChanges({ onChanges: renewal.add, onReset: renewal.all }, signal),
    );
    return () => {
      stop();
      renewal.stop();
    };
  }, [client]);
}

/** Collects changes and reads again what they concern. */
function renewalOf(client: QueryClient) {
  let kinds = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewedAt = 0;
  const renew = () => {
    const changed = kinds;
    kinds = new Set();
    timer = undefined;
    renewedAt = performance.now();
    // Answers that are being read may be older than the change.
    void client.invalidateQueries({ predicate: ({ queryKey }) => concerns(queryKey, changed) });
  };
  return {
    add: (changes: readonly Change[]) => {
      for (const { kind, list = '' } of changes) {
        kinds.add(kind === 'snapshot' ? (listTypes[list] ?? kind) : kind);
        for (const type of shownIn[kind] ?? []) kinds.add(type);
      }
      timer ??= setTimeout(renew, Math.max(collectMs, renewedAt + betweenMs - performance.now()));
    },
    all: () => void client.invalidateQueries({ predicate: ({ queryKey: [what] }) => !lasting.has(what) }),
    stop: () => clearTimeout(timer),
  };
}

/** Keys of what is not data of records: code, and tests that only a user starts. */
const lasting = new Set<unknown>(['catalogue', 'extension', 'connection']);

/** The key of a query is `[what, type of the records, …]`; a query without a type shows records of several types. */
function concerns([what, type]: readonly unknown[], kinds: ReadonlySet<string>): boolean {
  if (lasting.has(what)) return false;
  return typeof type !== 'string' || kinds.has(type);
}

/** Runs work while the page is visible, and a while longer. @returns ends it */
function whileVisible(work: (signal: AbortSignal) => Promise<void>): () => void {
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    running?.abort();
    running = undefined;
  };
  const note = () => {
    clearTimeout(timer);
    if (document.visibilityState === 'hidden') timer = setTimeout(stop, hiddenMs);
    else if (!running) {
      running = new AbortController();
      void work(running.signal);
    }
  };
  note();
  document.addEventListener('visibilitychange', note);
  return () => {
    document.removeEventListener('visibilitychange', note);
    clearTimeout(timer);
    stop();
  };
}
