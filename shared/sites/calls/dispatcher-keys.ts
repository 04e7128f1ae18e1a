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
import { canonicalJson } from '../../kernel/json/json.ts';
import type {
  DispatcherKeys,
  DispatcherPrincipal,
  DispatcherRemote,
  IssuedKey,
  Node,
  OwnKey,
  UserNameForm,
} from '../../remotes/dispatcher/port.ts';

export type FleetDeps = BaseDeps & {
  dispatchers: DispatcherRemote;
  signingKeys: SigningKeys;
  /** Single flight. Present if the process serves many requests and may share promises between them. */
  singleFlight?: SingleFlight;
};

export type CallDeps = Pick<
  FleetDeps,
  'db' | 'log' | 'sealer' | 'dispatchers' | 'memory' | 'singleFlight'
> & {
  /** Takes over the write of a key of the portal itself. By default it is written at once. */
  keepServiceKey?: (key: SealedKey) => void;
};

/** What is needed to obtain keys. */
type KeyDeps = Omit<CallDeps, 'dispatchers'> & { dispatchers: DispatcherKeys };

/** The part of a context that calls of nodes need. The caller may replace `upstream` by a semaphore of its own. */
export type CallCtx = Pick<
  Ctx<CallDeps>,
  'deps' | 'now' | 'parameters' | 'trace' | 'background' | 'later' | 'upstream'
>;
type KeyCtx = Omit<CallCtx, 'deps' | 'upstream'> & { deps: KeyDeps };

type StoredDestination = {
  id: string;
  kind: string;
  name: string;
  url: string;
  ca_certificate: string | null;
  verify_tls: boolean;
  timeout_ms: number;
  account_domain: string | null;
  account_name: string | null;
  account_password: string | null;
  public_url?: string | null;
  sends_client_address?: boolean;
  creates_users?: boolean;
  identity_domains?: readonly StoredIdentity[];
};

type StoredIdentity = { label: string; node_label: string; user_names: UserNameForm };

/**
 * Converts a stored node to a call destination.
 * @param limitMs time limit of each call in milliseconds; a shorter limit of the node takes precedence
 */
export const nodeOf = (row: StoredDestination, limitMs = row.timeout_ms): Node => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  url: row.url,
  caCertificate: row.ca_certificate ?? undefined,
  verifyTls: row.verify_tls,
  timeoutMs: Math.min(row.timeout_ms, limitMs),
  ...accountOf(row),
  publicUrl: row.public_url ?? undefined,
  sendsClientAddress: row.sends_client_address ?? false,
  identity: identityOf(row),
});

function accountOf({ account_domain, account_name, account_password }: StoredDestination) {
  if (account_domain === null || account_name === null || account_password === null) return {};
  return { account: { domain: account_domain, name: account_name, password: account_password } };
}

function identityOf({ creates_users = false, identity_domains = [] }: StoredDestination) {
  if (!creates_users && identity_domains.length === 0) return undefined;
  const domains = identity_domains.map(({ label, node_label, user_names }) => ({
    ...{ label, nodeLabel: node_label, userNames: user_names },
  }));
  return { createsUsers: creates_users, domains };
}

/** The principal of the portal itself. */
export const aggregator: DispatcherPrincipal = { user: null, subject: 'aggregator' };

/**
 * The dispatcher principal of a user. A change of name, label, groups or address changes the subject, so that new keys
 * are obtained.
 */
export const userPrincipal = (user: NonNullable<DispatcherPrincipal['user']>): DispatcherPrincipal => ({
  user,
  subject: sha256(canonicalJson(user)),
});

/**
 * The subject of the keys of a principal on a node. A change of the names that users have on the node changes it, so
 * that new keys are obtained.
 */
const subjectOn = ({ identity }: Node, { user, subject }: DispatcherPrincipal): string =>
  user === null || identity === undefined ? subject : sha256(`${subject} ${canonicalJson(identity)}`);

/** An encrypted session key of a node. */
export type CachedKey = { subject: string; sealed_key: string; expires_at: string };

/** A node, the principal of the call, and the stored keys of the node. */
export type KeyRequest = { node: Node; principal: DispatcherPrincipal; keys: readonly CachedKey[] };

/** A key is renewed this many seconds before it expires, so that it does not expire during a call. */
const marginS = 30;

/** @returns the stored key of the principal; undefined if no key is stored or if it expires within `marginS` */
export async function cachedKey(
  ctx: KeyCtx,
  { node, principal, keys }: KeyRequest,
): Promise<{ token: string; stored: CachedKey } | undefined> {
  const subject = subjectOn(node, principal);
  const stored = keys.find((key) => key.subject === subject);
  if (!stored || new Date(stored.expires_at) <= addSeconds(ctx.now, marginS)) return undefined;
  // The encryption key may have been removed. Then the stored key counts as absent.
  const token = await ctx.deps.sealer
    .open(stored.sealed_key, placeOf(node, { subject }))
    .catch(() => undefined);
  return token === undefined ? undefined : { token, stored };
}

/** Deletes a stored key that its node refused, after the response. */
export const dropCachedKey = (ctx: KeyCtx, node: Node, stored: CachedKey): void =>
  ctx.later(() => Promise.resolve(dropKey(ctx.deps.db, node.id, stored)));

/**
 * Obtains a key from the node and stores it encrypted. Only the time limit of the node ends this call. A request that
 * does not wait for the key leaves it to the next request.
 */
export function obtainKey(ctx: KeyCtx, of: KeyRequest): Promise<IssuedKey> {
  const { singleFlight } = ctx.deps;
  const work =
    singleFlight && of.principal.user === null && of.node.account
      ? singleFlight(`key of the portal ${of.node.id}`, () => obtainAndStore(ctx, of))
      : obtainAndStore(ctx, of);
  ctx.background(work.catch(() => undefined));
  return work;
}

async function obtainAndStore(ctx: KeyCtx, of: KeyRequest): Promise<IssuedKey> {
  const { deps, now, trace, parameters } = ctx;
  const { node, principal } = of;
  const lifeS = parameters['aggregator.access_token_ttl_s'];
  const ownKey = principal.user === null ? undefined : ownKeyOf(ctx, of);
  const issued = await deps.dispatchers.authorize({ node, principal, now, lifeS, trace, ownKey });
  const subject = subjectOn(node, principal);
  const sealedKey = await deps.sealer.seal(issued.token, placeOf(node, { subject }));
  const expiresAt = addSeconds(now, issued.expiresInS);
  const { user } = principal;
  const key = { node, userId: user?.id ?? null, subject, sealedKey, expiresAt };
  if (user === null && deps.keepServiceKey) {
    deps.keepServiceKey(key);
    return issued;
  }
  // The caller uses the key at once and does not wait for the write.
  ctx.later(() =>
    storeKey(deps.db, key).catch((error: unknown) =>
      deps.log.warn('a session key could not be stored', { error }),
    ),
  );
  return issued;
}

/** The key of the portal itself, from the stored keys of the node. It is obtained at most once for each function. */
export function ownKeyOf(ctx: KeyCtx, { node, keys }: KeyRequest): OwnKey {
  const own = { node, principal: aggregator, keys };
  const obtain = async (): Promise<string> => (await obtainKey(ctx, own)).token;
  const find = async (): Promise<string> => (await cachedKey(ctx, own))?.token ?? obtain();
  // Of this request only. The calls of a request that run at the same time use one key.
  const current: { key?: Promise<string> } = {};
  const first = (): Promise<string> => {
    if (!current.key) current.key = find();
    return current.key;
  };
  return async (refused) => {
    const found = await first();
    if (found !== refused) return found;
    const stored = keys.find(({ subject }) => subject === aggregator.subject);
    if (stored) dropCachedKey(ctx, node, stored);
    current.key = obtain();
    return current.key;
  };
}

/** If the user was deactivated in the meantime, the key is stored for logout. */
async function storeKey(db: Db, key: SealedKey): Promise<void> {
  const stored = await upsertNodeKey(db, key);
  if (stored.length === 0 && key.userId !== null) await storeEndedKey(db, key);
}

/** The table, row and column that the encryption of a stored key is bound to. */
export const placeOf = (
  node: Pick<Node, 'id'>,
  { subject }: Pick<DispatcherPrincipal, 'subject'>,
): SealedField => ({
  table: 'dispatcher_sessions',
  row: `${node.id}/${subject}`,
  column: 'sealed_key',
});
