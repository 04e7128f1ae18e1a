/** Whether the database accepts writes, derived from the results of the writes of this process. */
export type WriteMonitor = {
  /** Runs a write and records its result. @throws the error of the write */
  observe<T>(write: () => PromiseLike<T>): Promise<T>;
  /** Resolves within a second, independent of the number of callers; never rejects. */
  acceptsWrites(): Promise<boolean>;
};

type MonitorOptions = {
  /** Writes a row, and checks that there is free disk space. */
  checkWrite: () => Promise<void>;
  /** Checks that there is free disk space, without a write. */
  checkSpace: () => Promise<void>;
  /** Receives the error of a failed check. */
  onFailure: (error: unknown) => void;
  /** A successful write is valid until a later write fails, so that no check keeps the database awake. */
  isSpared?: boolean;
  /** Monotonic clock in milliseconds. */
  now?: () => number;
};

/** Validity of a successful write in milliseconds, unless a later write fails. */
const provenMs = 60_000;
/** Minimum time between two checks of one kind. */
const checkEveryMs = 5_000;
const spaceEveryMs = 10_000;
/** A check that takes longer counts as failed until it ends. */
const checkTimeoutMs = 900;
const pollEveryMs = 20;
/** A check that has not even timed out by then is considered abandoned. */
const abandonedMs = 1_000;

/**
 * A successful write is valid as proof for a minute. A failed write or check makes the database count as not writable
 * until a check succeeds; at most one check runs every five seconds. Free space is checked separately, because most
 * writes still succeed on a full disk by reusing space of their tables.
 *
 * One caller runs the check and the others poll its result instead of awaiting its promise: on Workers a promise
 * belongs to the request that created it.
 */
export function createWriteMonitor(parts: MonitorOptions): WriteMonitor {
  const { now = () => performance.now(), isSpared = false } = parts;
  const evidence = createEvidence(isSpared ? Number.POSITIVE_INFINITY : provenMs);
  let spaceAt = never;
  let check = { startedAt: never, isRunning: false };

  function nextCheck(): Check | undefined {
    if (!mayStart(now() - check.startedAt, check.isRunning)) return undefined;
    if (!evidence.isProven(now())) return 'checkWrite';
    return !isSpared && now() - spaceAt >= spaceEveryMs ? 'checkSpace' : undefined;
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
      while (check.isRunning && now() - check.startedAt < checkTimeoutMs) await pause(pollEveryMs);
      return evidence.isAccepting();
    },
  };
}

/** On Workers a check ends without a result when its client disconnects. */
const mayStart = (sinceLastMs: number, isRunning: boolean): boolean =>
  sinceLastMs >= (isRunning ? abandonedMs : checkEveryMs);

type Check = 'checkWrite' | 'checkSpace';
type Evidence = ReturnType<typeof createEvidence>;

const never = Number.NEGATIVE_INFINITY;

/** The results of writes, each with the start time of its write. */
function createEvidence(validMs: number) {
  let isFailing = false;
  let knownAt = never;
  let provenAt = never;
  return {
    /** A result is ignored if the result of a later write is recorded. */
    note: (at: number, result: 'succeeded' | 'failed' | 'checked'): void => {
      if (at < knownAt) return;
      knownAt = at;
      if (result === 'failed') isFailing = true;
      if (result === 'checked') isFailing = false;
      if (!isFailing) provenAt = at;
    },
    isProven: (now: number): boolean => !isFailing && provenAt > never && now - provenAt <= validMs,
    /** An expired proof stays valid until the next check may run. */
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

/** @returns false if `work` takes longer than `checkPatienceMs` */
async function isInTime(work: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), checkTimeoutMs);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
