import { setTimeout as delay } from 'node:timers/promises';
import { atomically } from '../../../../db/client.ts';
import {
  claimGrants,
  grantFigures,
  postponeDue,
} from '../../../../db/repositories/identity/login/provider-grants.ts';
import {
  noteLateChecks,
  noteProviderAnswer,
  noteProviderFault,
} from '../../../../db/repositories/identity/login/provider-states.ts';
import { isOfProvider } from '../../../../shared/identity/providers/provider-faults.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import type { Task } from '../process/agenda.ts';
import { check, intervalOf, type ProviderCheckParts, retryAfterS, type Verdict } from './check.ts';
import { slotsOfNewDomains, Turns } from './turns.ts';

type Parts = ProviderCheckParts;
type Domain = { id: string; name: string };

/** Interval in milliseconds at which due checks are looked for while others are running. */
const everyMs = 500;
/** Interval in milliseconds at which the number of checks at once is adapted. */
const figuresMs = 30_000;

/**
 * Asks identity providers whether sessions may continue, and which groups their users have. A round lasts while checks
 * are running, and begins further ones meanwhile, so that a slow provider delays no other.
 */
export function providerCheckTask(parts: Parts): Task {
  const turns = new Turns();
  let figuresAt = Number.NEGATIVE_INFINITY;
  const adapt = async (): Promise<void> => {
    if (performance.now() - figuresAt < figuresMs) return;
    figuresAt = performance.now();
    await adaptTo(parts, turns);
  };
  return {
    name: 'provider checks',
    intervalMs: () => 1_000,
    dueIn: ({ provider_grants }) => (intervalOf(parts) === 0 ? null : provider_grants),
    round: async (signal) => {
      const running = new Set<Promise<void>>();
      while (intervalOf(parts) > 0 && !signal.aborted) {
        await adapt();
        // Running checks leave no free slots for others, and can end while others are looked for.
        const wasIdle = running.size === 0;
        const begun = await begin(parts, turns, signal);
        for (const work of begun) {
          running.add(work);
          void work.finally(() => running.delete(work));
        }
        if (wasIdle && begun.length === 0) break;
        if (running.size > 0) await Promise.race([...running, pause(signal)]);
      }
      await Promise.all(running);
    },
  };
}

const pause = (signal: AbortSignal): Promise<void> =>
  delay(everyMs, undefined, { signal }).catch(() => undefined);

/** Claims due grants, as many as there are free slots, and starts their checks. */
async function begin(parts: Parts, turns: Turns, signal: AbortSignal): Promise<Promise<void>[]> {
  const claim = newId();
  const most = { byDomain: turns.free(), otherwise: slotsOfNewDomains };
  const claimed = await claimGrants(parts.db, claim, most);
  return claimed.map(async (one) => {
    const { domain } = one;
    turns.begin(domain.id);
    const isKnownToFail = turns.isKnownToFail(domain.id, performance.now());
    const verdict = await check(parts, { ...one, claim }, isKnownToFail, signal);
    turns.end(domain.id);
    await judge(parts, turns, domain, verdict).catch((error: unknown) => {
      if (!signal.aborted)
        parts.log.error('the state of a provider was not noted', { domain: domain.id, error });
    });
  });
}

/** Draws the conclusions for the other sessions of a domain. */
async function judge(parts: Parts, turns: Turns, domain: Domain, verdict: Verdict): Promise<void> {
  const { db, clock, log } = parts;
  if (verdict === 'unknown') return;
  if (verdict === 'answered' || !isOfProvider(verdict.fault)) {
    const isNews = turns.noteAnswer(domain.id);
    if (isNews) await atomically(db, (h) => [noteProviderAnswer(h, domain, 'check', clock())]);
    return;
  }
  const { reason, providerCode } = verdict.fault;
  const isFirst = turns.noteFault(domain.id, performance.now());
  if (isFirst) {
    log.warn('a provider could not check sessions', { domain: domain.id, reason, providerCode });
    await atomically(db, (h) => [noteProviderFault(h, domain, 'check', providerCode ?? reason, clock())]);
  }
  if (turns.isFailing(domain.id)) await postponeDue(db, domain.id, retryAfterS(parts));
}

/** A check is late if the one before it was this many intervals ago. */
const lateAfter = 1.5;
const allowedS = 60;

/** Adapts the number of checks at once to the number of sessions, and notes which domains are behind. */
async function adaptTo(parts: Parts, turns: Turns): Promise<void> {
  const { db, clock } = parts;
  const intervalS = intervalOf(parts);
  for (const { domain, grants, oldestS } of await grantFigures(db)) {
    turns.resize(domain.id, grants / intervalS);
    const isLate = oldestS > intervalS * lateAfter + allowedS;
    await atomically(db, (h) => [
      noteLateChecks(h, domain, isLate ? oldestS : undefined, clock()),
      // Sign-ins can have noted a failure meanwhile.
      ...(turns.isAnswering(domain.id) ? [noteProviderAnswer(h, domain, 'check', clock())] : []),
    ]);
  }
}
