/** Whether the database accepts writes, by the results of writes of this process. */
export type WriteWitness = {
  /** Runs a write, whose result then counts. @throws what it throws */
  observe<T>(write: () => PromiseLike<T>): Promise<T>;
  /** Resolves within a second, however many callers there are; never rejects. */
  acceptsWrites(): Promise<boolean>;
};

type Parts = {
  /** Writes, and proves that there is free space. */
  checkWrite: () => Promise<void>;
  /** Proves that there is free space, without a write. */
  checkSpace: () => Promise<void>;
  /** Is called with the error when a check fails. */
  onFailure: (error: unknown) => void;
  /** Monotonic, in milliseconds. */
  now?: () => number;
};

/** For this time after a write no further one is needed, unless one fails. */
const provenMs = 60_000;
/** Shortest time from one check of a kind to the next one. */
const checkEveryMs = 5_000;
const spaceEveryMs = 10_000;
/** A check that takes longer counts as failed, until it ends. */
const checkPatienceMs = 900;
const lookEveryMs = 20;
/** A check that has not even counted as failed by then runs no more. */
const abandonedMs = 1_000;

/**
 * A write that succeeded is a proof for a minute. A write that fails, a check included, makes the database count as not
 * writable until a check succeeds; there is at most one check every five seconds. Space is checked beside that, since
 * most writes still succeed on a full disk: they reuse space of their tables.
 *
 * One caller runs the check and the others wait for its result by looking, not for its promise: on Workers a promise
 * belongs to the request that made it.
 */
export function createWriteWitness(parts: Parts): WriteWitness {
  const { now = () => performance.now() } = parts;
  const evidence = createEvidence();
  let spaceAt = never;
  let check = { startedAt: never, isRunning: false };

  function nextCheck(): Check | undefined {
    if (!mayStart(now() - check.startedAt, check.isRunning)) return undefined;
    if (!evidence.isProven(now())) return 'checkWrite';
    return now() - spaceAt >= spaceEveryMs ? 'checkSpace' : undefined;
  }

  async function run(kind: Check): Promise<void> {
    const startedAt = now();
    const running = { startedAt, isRunning: true };
    check = running;
    const succeed = (): void => {
      spaceAt = startedAt;
      if (kind === 'checkWrite') evidence.note(startedAt, 'checked');
    };
    const fail = (error: unknown): void => {
      evidence.note(startedAt, 'failed');
      parts.onFailure(error);
    };
    if (!(await isInTime(parts[kind]().then(succeed, fail)))) evidence.note(startedAt, 'failed');
    running.isRunning = false;
  }

  return {
    observe: (write) => observe(write, now(), evidence),
    acceptsWrites: async () => {
      const due = nextCheck();
      if (due) await run(due);
      while (check.isRunning && now() - check.startedAt < checkPatienceMs) await pause(lookEveryMs);
      return evidence.isAccepting();
    },
  };
}

/** On Workers a check ends without a result when its caller leaves. */
const mayStart = (sinceLastMs: number, isRunning: boolean): boolean =>
  sinceLastMs >= (isRunning ? abandonedMs : checkEveryMs);

type Check = 'checkWrite' | 'checkSpace';
type Evidence = ReturnType<typeof createEvidence>;

const never = Number.NEGATIVE_INFINITY;

/** What the results of writes say, each with the time at which its write started. */
function createEvidence() {
  let isFailing = false;
  let knownAt = never;
  let provenAt = never;
  return {
    /** A result is out of date when that of a later write is known. */
    note: (at: number, result: 'succeeded' | 'failed' | 'checked'): void => {
      if (at < knownAt) return;
      knownAt = at;
      if (result === 'failed') isFailing = true;
      if (result === 'checked') isFailing = false;
      if (!isFailing) provenAt = at;
    },
    isProven: (now: number): boolean => !isFailing && now - provenAt <= provenMs,
    /** A proof that has just become too old stands until the next check may run. */
    isAccepting: (): boolean => !isFailing && provenAt > never,
  };
}

async function observe<T>(write: () => PromiseLike<T>, startedAt: number, evidence: Evidence): Promise<T> {
  try {
    const result = await write();
    evidence.note(startedAt, 'succeeded');
    return result;
  } catch (error) {
    evidence.note(startedAt, 'failed');
    throw error;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @returns false when `work` does not end within the patience */
async function isInTime(work: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), checkPatienceMs);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
