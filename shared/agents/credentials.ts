import { type AgentRecord, findAgent, findRegistration } from '../../db/repositories/agents/agents.ts';
import { countAgentFailure } from '../../db/repositories/agents/failures.ts';
import { findSessionAgent } from '../../db/repositories/agents/sessions.ts';
import { isAgentToken, isRegistrationToken, isSessionAgentToken } from '../access/agent-tokens.ts';
import type { BaseDeps, ClientCtx } from '../context/context.ts';
import type { AgentPrincipal } from '../context/principal.ts';
import { perProcess } from '../context/process-memory.ts';
import { createTokenBuckets } from '../kernel/concurrency/token-buckets.ts';
import { sha256 } from '../kernel/crypto/digests.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { networkOf } from '../kernel/networks.ts';

type AnyCtx = ClientCtx<BaseDeps>;

/** Calls per minute of one agent, far above normal use. */
const perMinute = 300;
/** Calls per minute of all copies of one image, which share a registration token and may start at the same time. */
const perMinuteOfAll = 6_000;

type As<R extends AgentPrincipal['role']> = AgentPrincipal & { role: R };
type WithWorkplace<A extends AgentRecord> = A & { workplace: NonNullable<A['workplace']> };

/** The agent of a workplace in the snapshot. */
export type Agent = As<'workplace' | 'session'> & WithWorkplace<AgentRecord>;
export type SessionAgent = As<'session'> &
  WithWorkplace<NonNullable<Awaited<ReturnType<typeof findSessionAgent>>>>;
export type Registration = As<'registration'> & NonNullable<Awaited<ReturnType<typeof findRegistration>>>;

/**
 * Finds the agent of a token in one round trip. A wrong token costs one more. After five wrong tokens of a network,
 * further wrong tokens are refused with `locked_out` for 300 s. A valid token is never refused because of failures of
 * its network.
 * @throws AppError `invalid_token`, `locked_out`, `rate_limited`; `not_found` while the workplace is not in the
 *   snapshot
 */
export const agentOf = async (ctx: AnyCtx, token: string): Promise<Agent> => {
  // Agents of machines without a matching workplace have no other token. It is valid, so it does not count as a
  // failure.
  if (isRegistrationToken(token)) {
    await registrationOf(ctx, token);
    throw notFound();
  }
  const found = await proven(ctx, token, { matches: isAgentToken, find: findAgent, perMinute });
  return { kind: 'agent', role: 'workplace', ...withWorkplace(found) };
};

/**
 * Like `agentOf`, for a session agent. A token in the form of a session agent token never counts as a failure.
 * @param token absent if the caller sent no token, which is refused as `unauthenticated`
 */
export const sessionAgentOf = async (ctx: AnyCtx, token: string | undefined): Promise<SessionAgent> => {
  if (token === undefined) throw new AppError('unauthenticated', 'A session agent token is required');
  const kind = { matches: isSessionAgentToken, find: findSessionAgent, perMinute, ends: true } as const;
  const found = await proven(ctx, token, kind);
  return { kind: 'agent', role: 'session', ...withWorkplace(found) };
};

/** Like `agentOf`, for a registration token. */
const registrationOf = async (ctx: AnyCtx, token: string): Promise<Registration> => {
  const kind = { matches: isRegistrationToken, find: findRegistration, perMinute: perMinuteOfAll };
  return { kind: 'agent', role: 'registration', ...(await proven(ctx, token, kind)) };
};

/** The agent or the registration of a token, for the calls that take both. */
export const agentOrRegistrationOf = (ctx: AnyCtx, token: string): Promise<Agent | Registration> =>
  isRegistrationToken(token) ? registrationOf(ctx, token) : agentOf(ctx, token);

type Kind<A> = {
  matches: (token: string) => boolean;
  find: (db: BaseDeps['db'], tokenHash: string) => Promise<A | undefined>;
  perMinute: number;
  /**
   * The token expires with its session, and a waiting client sends it once more. That is not a guess, so it does not
   * count as a failure.
   */
  ends?: true;
};

async function proven<A>(ctx: AnyCtx, token: string, kind: Kind<A>): Promise<A> {
  const { deps, client, now } = ctx;
  const hash = sha256(token);
  const found = kind.matches(token) ? await kind.find(deps.db, hash) : undefined;
  if (!found) {
    if (kind.ends && kind.matches(token)) throw new AppError('invalid_token');
    const until = await countAgentFailure(deps.db, networkOf(client.ip), now);
    throw until ? lockedUntil(until, now) : new AppError('invalid_token');
  }
  takeTurn(ctx, hash, kind.perMinute);
  return found;
}

const lockedUntil = (until: Date, now: Date): AppError =>
  new AppError('locked_out', undefined, { retry_after_s: (until.getTime() - now.getTime()) / 1000 });

const mostAgents = 20_000;
const turnsOf = perProcess(() => createTokenBuckets(mostAgents));

/** Each agent has its own rate limit. */
function takeTurn({ deps, now }: AnyCtx, tokenHash: string, limit: number): void {
  const retry_after_s = turnsOf(deps).take(tokenHash, limit, now.getTime());
  if (retry_after_s === 0) return;
  throw new AppError('rate_limited', undefined, {
    policy: 'session',
    limit_per_minute: limit,
    retry_after_s,
  });
}

function withWorkplace<A extends AgentRecord>(agent: A): WithWorkplace<A> {
  const { workplace } = agent;
  if (!workplace) throw notFound();
  return { ...agent, workplace };
}
