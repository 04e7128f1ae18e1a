import type { Db } from '../../../db/client.ts';
import {
  dropKey,
  type SealedKey,
  upsertNodeKey,
} from '../../../db/repositories/routing/dispatcher-sessions.ts';
import { storeEndedKey } from '../../../db/repositories/routing/ended-node-keys.ts';
import type { SigningKeys } from '../../access/signing-keys.ts';
import type { BaseDeps, Ctx } from '../../context/context.ts';
import { addSeconds } from '../../kernel/clock.ts';
import type { SingleFlight } from '../../kernel/concurrency/single-flight.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import type { SealedField } from '../../kernel/crypto/sealing.ts';
import type { DispatcherKindName } from '../../kernel/dispatcher-kinds.ts';
import { canonicalJson } from '../../kernel/json/json.ts';
import type {
  DispatcherPrincipal,
  DispatcherRemote,
  IssuedKey,
  Node,
} from '../../remotes/dispatcher/port.ts';

export type FleetDeps = BaseDeps & {
  dispatchers: DispatcherRemote;
  signingKeys: SigningKeys;
  /** Where a process serves many requests and may keep their promises. */
  singleFlight?: SingleFlight;
};
export type FleetCtx = Ctx<FleetDeps>;

export type CallDeps = Pick<FleetDeps, 'db' | 'log' | 'sealer' | 'dispatchers'>;

/** What calls of nodes need of a context: less than the whole, so that the caller may give them a lane of their own. */
export type CallCtx = Pick<
  Ctx<CallDeps>,
  'deps' | 'now' | 'parameters' | 'trace' | 'background' | 'later' | 'upstream'
>;

type StoredDestination = {
  id: string;
  kind: DispatcherKindName;
  name: string;
  url: string;
  ca_certificate: string | null;
  verify_tls: boolean;
  timeout_ms: number;
};

/**
 * A stored node as a destination of calls.
 * @param limitMs of each call; the time limit of the node counts if it is shorter
 */
export const nodeOf = (row: StoredDestination, limitMs = row.timeout_ms): Node => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  url: row.url,
  caCertificate: row.ca_certificate ?? undefined,
  verifyTls: row.verify_tls,
  timeoutMs: Math.min(row.timeout_ms, limitMs),
});

export const aggregator: DispatcherPrincipal = { user: null, subject: 'aggregator' };

/** A user towards dispatchers: a change of name, label, groups or address asks for new keys. */
export const userPrincipal = (user: NonNullable<DispatcherPrincipal['user']>): DispatcherPrincipal => ({
  user,
  subject: sha256(canonicalJson(user)),
});

/** A stored session key of a node, sealed. */
export type CachedKey = { subject: string; sealed_key: string; expires_at: string };

/** A node, the principal in whose name it is called, and the stored keys of the node. */
export type KeyQuestion = { node: Node; principal: DispatcherPrincipal; keys: readonly CachedKey[] };

/** A key is renewed this many seconds before it expires, so that it does not expire during a call. */
const marginS = 30;

/** @returns the key of the principal that is stored and still good; undefined without one */
export async function cachedKey(
  ctx: CallCtx,
  { node, principal, keys }: KeyQuestion,
): Promise<{ token: string; stored: CachedKey } | undefined> {
  const stored = keys.find(({ subject }) => subject === principal.subject);
  if (!stored || new Date(stored.expires_at) <= addSeconds(ctx.now, marginS)) return undefined;
  // Sealed by a key of ours that is gone: as if none were stored.
  const token = await ctx.deps.sealer
    .open(stored.sealed_key, placeOf(node, principal))
    .catch(() => undefined);
  return token === undefined ? undefined : { token, stored };
}

/** Deletes a stored key that its node refused, after the answer. */
export const dropCachedKey = (ctx: CallCtx, node: Node, stored: CachedKey): void =>
  ctx.later(() => Promise.resolve(dropKey(ctx.deps.db, node.id, stored)));

/**
 * Obtains a key from the node and stores it sealed. Only the time limit of the node ends this: when a list cannot wait for
 * it, the next one finds the key.
 */
export function obtainKey(ctx: CallCtx, node: Node, principal: DispatcherPrincipal): Promise<IssuedKey> {
  const work = obtainAndStore(ctx, node, principal);
  ctx.background(work.catch(() => undefined));
  return work;
}

async function obtainAndStore(ctx: CallCtx, node: Node, principal: DispatcherPrincipal): Promise<IssuedKey> {
  const { deps, now, trace, parameters } = ctx;
  const lifeS = parameters['aggregator.access_token_ttl_s'];
  const issued = await deps.dispatchers.authorize({ node, principal, now, lifeS, trace });
  const sealedKey = await deps.sealer.seal(issued.token, placeOf(node, principal));
  const expiresAt = addSeconds(now, issued.expiresInS);
  const { user, subject } = principal;
  const key = { node, userId: user?.id ?? null, subject, sealedKey, expiresAt };
  // The caller goes on with the key and does not wait until it is stored.
  ctx.later(() =>
    storeKey(deps.db, key).catch((error: unknown) =>
      deps.log.warn('a session key could not be stored', { error }),
    ),
  );
  return issued;
}

/** The key of a user who was deactivated meanwhile is stored to be logged out. */
async function storeKey(db: Db, key: SealedKey): Promise<void> {
  const kept = await upsertNodeKey(db, key);
  if (kept.length === 0 && key.userId !== null) await storeEndedKey(db, key);
}

/** The place that a stored key is sealed for. */
export const placeOf = (
  node: Pick<Node, 'id'>,
  { subject }: Pick<DispatcherPrincipal, 'subject'>,
): SealedField => ({
  table: 'dispatcher_sessions',
  row: `${node.id}/${subject}`,
  column: 'sealed_key',
});
