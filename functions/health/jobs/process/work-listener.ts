import { randomUUID } from 'node:crypto';
import type { NoticeConnection } from '../../../../db/postgres/listen.ts';
import { freeNotice, restNotice } from '../../../../db/repositories/jobs/leases.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { Rest } from './rest.ts';
import { pause, systemTiming, type Timing } from './timing.ts';

export type ListenerParts = {
  connect: (onNotice: (payload: string) => void) => Promise<NoticeConnection>;
  /** Sends a notification over another connection. */
  send: (payload: string) => Promise<void>;
  /** There is work. */
  onWork: () => void;
  /** A connection was opened or lost, so that there may be work of which no notification has arrived. */
  onChange: () => void;
  /** The leader has released its lease. */
  onFreeLease: () => void;
  rest: Pick<Rest, 'isResting' | 'changedAt' | 'whenAwake' | 'follow' | 'limit'>;
  log: Pick<Log, 'info' | 'warn'>;
  timing?: Timing;
};

/** Receives notifications of work from the database. */
export type WorkListener = {
  /** False while notifications do not arrive, so that the caller has to poll. */
  isListening(): boolean;
  /** Connects, and again after each loss, until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>;
};

/** Time in milliseconds in which a notification must arrive to prove that the connection receives them. */
const proofMs = 3_000;
/** Without a notification for this time, the connection counts as lost. Heartbeats are sent every ten seconds. */
const silenceMs = 35_000;
const silenceCheckMs = 5_000;
/** Bounds of the pause before a new connection. */
const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;
/** Pause after a connection on which no notification arrives, because a pooler or proxy is in between. */
const unheardPauseMs = 300_000;

export const createWorkListener = (parts: ListenerParts): WorkListener => new ReconnectingListener(parts);

type Outcome = 'unheard' | 'lost' | 'failed';

class ReconnectingListener implements WorkListener {
  readonly #parts: ListenerParts;
  readonly #timing: Timing;
  #isListening = false;
  /** The last reported outcome, so that a repeated one is not logged again. */
  #reported: Outcome | undefined;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#timing = parts.timing ?? systemTiming;
  }

  isListening = (): boolean => this.#isListening;

  run = async (signal: AbortSignal): Promise<void> => {
    let failures = 0;
    for (; !signal.aborted; await this.#parts.rest.whenAwake(signal)) {
      let error: unknown;
      const outcome = await this.#listen(signal).catch((reason: unknown): Outcome => {
        error = reason;
        return 'failed';
      });
      if (signal.aborted) return;
      this.#report(outcome, error);
      failures = outcome === 'failed' ? failures + 1 : 0;
      if (this.#parts.rest.isResting()) {
        this.#parts.rest.limit();
        continue;
      }
      this.#parts.onChange();
      const backoffMs = Math.min(longestPauseMs, shortestPauseMs * 2 ** failures);
      await pause(this.#timing, outcome === 'unheard' ? unheardPauseMs : backoffMs, signal);
    }
  };

  async #listen(signal: AbortSignal): Promise<Outcome> {
    const session = createSession(this.#parts, this.#timing);
    const connection = await this.#parts.connect(session.onNotice);
    try {
      const isProven = await Promise.race([session.isProven(signal), connection.ended]);
      if (isProven === undefined) return 'lost';
      if (!isProven) return 'unheard';
      if (this.#reported) this.#parts.log.info('notifications of the database arrive again');
      this.#reported = undefined;
      this.#isListening = true;
      this.#parts.onChange();
      await session.isSilent(connection.ended, signal);
      return 'lost';
    } finally {
      this.#isListening = false;
      connection.close();
    }
  }

  #report(outcome: Outcome, error: unknown): void {
    if (this.#reported !== outcome) this.#parts.log.warn(messages[outcome], error ? { error } : undefined);
    this.#reported = outcome;
  }
}

const messages: Record<Outcome, string> = {
  unheard:
    'the database connection receives no notifications, so the sidecar polls; set DATABASE_LISTEN_URL to a direct address',
  lost: 'the connection for notifications is lost',
  failed: 'the connection for notifications could not be opened',
};

/** Detects on one connection that notifications arrive, and that they no longer do. */
function createSession({ send, onWork, onFreeLease, rest }: ListenerParts, timing: Timing) {
  const proof = `proof ${randomUUID()}`;
  const proven = Promise.withResolvers<true>();
  let noticedAt = timing.now();
  const onNotice = (payload: string): void => {
    noticedAt = timing.now();
    if (payload === '') onWork();
    else if (payload === freeNotice) onFreeLease();
    else if (payload === restNotice) rest.follow();
    else if (payload === proof) proven.resolve(true);
  };
  return { onNotice, isProven, isSilent };

  async function isProven(signal: AbortSignal): Promise<boolean> {
    await send(proof);
    const late = pause(timing, proofMs, signal).then(() => false);
    return Promise.race([proven.promise, late]);
  }

  /** Resolves when the connection has ended, or receives not even heartbeats. */
  async function isSilent(ended: Promise<void>, signal: AbortSignal): Promise<void> {
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    const isHeard = () =>
      rest.isResting() || timing.now() - Math.max(noticedAt, rest.changedAt()) < silenceMs;
    while (!hasEnded && !signal.aborted && isHeard())
      await Promise.race([ended, pause(timing, silenceCheckMs, signal)]);
  }
}
