import type { Db } from '../../../db/client.ts';
import { dropKey, keepKey, type SealedKey } from '../../../db/repositories/routing/dispatcher-sessions.ts';
import { keepEndedKey } from '../../../db/repositories/routing/ended-node-keys.ts';
import type { DispatcherClaims, SigningKeys } from '../../access/signing-keys.ts';
import type { BaseDeps, Ctx } from '../../context/context.ts';
import { addSeconds } from '../../kernel/clock.ts';
import type { SingleFlight } from '../../kernel/concurrency/single-flight.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import type { Place } from '../../kernel/crypto/sealing.ts';
import { canonicalJson } from '../../kernel/json/json.ts';
import { isUnauthorized } from '../../remotes/dispatcher/failures.ts';
import type { DispatcherRemote, Node } from '../../remotes/dispatcher/port.ts';

export type FleetDeps = BaseDeps & {
  dispatchers: DispatcherRemote;
  signingKeys: SigningKeys;
  /** Where a process serves many requests and may keep their promises. */
  singleFlight?: SingleFlight;
};
export type FleetCtx = Ctx<FleetDeps>;

export type CallDeps = Pick<FleetDeps, 'db' | 'log' | 'sealer' | 'signingKeys' | 'dispatchers'>;

/** What calls of nodes need of a context: less than the whole, so that the caller may give them a lane of their own. */
export type CallCtx = Pick<
  Ctx<CallDeps>,
  'deps' | 'now' | 'parameters' | 'trace' | 'background' | 'later' | 'upstream'
>;

/** A stored node in the form that the remote calls. */
export const nodeOf = (row: StoredDestination): Node => ({
  id: row.id,
  name: row.name,
  url: row.url,
  caCertificate: row.ca_certificate ?? undefined,
  verifyTls: row.verify_tls,
  timeoutMs: row.timeout_ms,
});

type StoredDestination = {
  id: string;
  name: string;
  url: string;
  ca_certificate: string | null;
  verify_tls: boolean;
  timeout_ms: number;
};

/** For whom a session key of a node speaks. */
export type Speaker = {
  /** Null for the aggregator itself. */
  userId: string | null;
  /** Distinguishes the keys of one node; moves with everything the key's rights depend on. */
  subject: string;
  claims: DispatcherClaims;
};

export type KeptKey = { subject: string; sealed_key: string; expires_at: string };

export const aggregator: Speaker = { userId: null, subject: 'aggregator', claims: { sub: 'aggregator' } };

/** The user as dispatchers are told of him: a change of his name, label, groups or address asks for new keys. */
export function userSpeaker(userId: string, claims: Required<Omit<DispatcherClaims, never>>): Speaker {
  return { userId, subject: sha256(canonicalJson([userId, claims])), claims };
}

/** A key is renewed this long before it ends, so that it does not end on the way. */
const marginS = 30;

/**
 * Calls a node with the kept key of the speaker, or a new one; a key that the node no longer knows is renewed once.
 * New keys are stored after the answer.
 */
export async function callWithKey<T>(
  ctx: CallCtx,
  node: Node,
  speaker: Speaker,
  kept: readonly KeptKey[],
  call: (key: string) => Promise<T>,
): Promise<T> {
  const found = kept.find(({ subject }) => subject === speaker.subject);
  const key = found && (await openKept(ctx, node, speaker, found));
  if (found && key !== undefined) {
    try {
      return await call(key);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      ctx.later(() => Promise.resolve(dropKey(ctx.deps.db, node.id, found)));
    }
  }
  return call((await obtainKey(ctx, node, speaker)).token);
}

/**
 * Asks the node for a key and stores it sealed. No deadline but the node's own ends this: when a list cannot wait for
 * it, the next one finds the key.
 * @returns the key and its life in seconds
 */
export function obtainKey(ctx: CallCtx, node: Node, speaker: Speaker): Promise<Granted> {
  const work = askAndKeep(ctx, node, speaker);
  ctx.background(work.catch(() => undefined));
  return work;
}

type Granted = { token: string; expiresInS: number };

async function askAndKeep(ctx: CallCtx, node: Node, speaker: Speaker): Promise<Granted> {
  const { deps, now, trace, parameters } = ctx;
  const lifeS = parameters['aggregator.access_token_ttl_s'];
  const jwt = await deps.signingKeys.signFor(node.name, speaker.claims, now, lifeS);
  const granted = await deps.dispatchers.authorize({ node, jwt, trace });
  const sealedKey = await deps.sealer.seal(granted.token, placeOf(node, speaker));
  const expiresAt = addSeconds(now, granted.expiresInS);
  const { userId, subject } = speaker;
  const key = { node, userId, subject, sealedKey, expiresAt };
  // The caller goes on with the key and does not wait until it is stored.
  ctx.later(() =>
    storeKey(deps.db, key).catch((error: unknown) =>
      deps.log.warn('a session key could not be stored', { error }),
    ),
  );
  return granted;
}

/** The key of a user who may not act any more is kept to be logged out. */
async function storeKey(db: Db, key: SealedKey): Promise<void> {
  const kept = await keepKey(db, key);
  if (kept.length === 0 && key.userId !== null) await keepEndedKey(db, key);
}

async function openKept(
  ctx: CallCtx,
  node: Node,
  speaker: Speaker,
  found: KeptKey,
): Promise<string | undefined> {
  if (new Date(found.expires_at) <= addSeconds(ctx.now, marginS)) return undefined;
  // Sealed by a key of ours that is gone: as good as none.
  return ctx.deps.sealer.open(found.sealed_key, placeOf(node, speaker)).catch(() => undefined);
}

/** The place that a stored key is sealed for. */
export const placeOf = (node: Pick<Node, 'id'>, { subject }: Pick<Speaker, 'subject'>): Place => ({
  table: 'dispatcher_sessions',
  row: `${node.id}/${subject}`,
  column: 'sealed_key',
});
