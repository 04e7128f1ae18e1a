import { and, Column, eq, gt, is, SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { pageTokens } from '../../../schema/identity/page-tokens.ts';
import { peerSessions, peers } from '../../../schema/identity/peers.ts';
import { serviceTokens } from '../../../schema/identity/service-tokens.ts';
import { users } from '../../../schema/identity/users.ts';
import { isUsableToken } from '../service-tokens.ts';
import { rolesOfPeer } from './peer-sessions.ts';
import { mayAct, parameterOverrides, principalColumns } from './sessions.ts';

/** A token by its hash. `digest` is that of its row when it was last read, or empty. */
export type WatchedToken = { hash: string; kind: TokenKind; digest: string };
export type TokenKind = 'session' | 'page' | 'service' | 'peer';

/** A valid token. `row` is what the lookup of its kind returns, with times as text; null if the digest is as known. */
export type LiveToken = { hash: string; digest: string; row: Record<string, unknown> | null };

type Live = { tokens: LiveToken[]; parameters: Record<string, unknown> | null };

/** @throws Error if the result is not that of `liveTokens` */
export function liveTokensIn(result: unknown): Live {
  const [row] = (result as { rows: Live[] }).rows;
  if (!row) throw new Error('the lookup of tokens returned no row');
  return row;
}

/**
 * Looks up many tokens in one statement, together with the system parameters that differ from their defaults. Tokens that
 * are unknown, revoked or expired, and those of disabled accounts, are left out. The age of a session is not checked.
 * `liveTokensIn` reads the result.
 */
export const liveTokens = (db: Db, watched: readonly WatchedToken[], now: Date) =>
  db.execute(sql`
  with watched as (
    select * from jsonb_to_recordset(${JSON.stringify(watched)}::jsonb) as given(hash text, kind text, digest text)),
  live as (
    select watched.hash, watched.digest as known, md5(one.found::text) as digest, one.found
    from watched cross join lateral (${sql.join(lookups(now), sql` union all `)}) as one(found))
  select (select coalesce(json_agg(json_build_object('hash', hash, 'digest', digest,
      'row', case when digest = known then null else found end)), '[]') from live) as tokens,
    ${parameterOverrides} as parameters`);

const asked = sql`watched.hash`;
const isOfKind = (kind: TokenKind): SQL => sql`watched.kind = ${sql.raw(`'${kind}'`)}`;

const ofUser = sql`join ${users} on ${users.id} = owner.user_id
  join ${authenticators} on ${authenticators.id} = ${users.authenticator_id}`;
const account = {
  user: principalColumns.user,
  domain: principalColumns.domain,
  roles: principalColumns.roles,
};
const { id, portal, locale, created_at, last_seen_at, idle_until, user_id } = loginSessions;
const session = { id, portal, locale, created_at, last_seen_at, idle_until };

/** One select for each kind of token. */
const lookups = (now: Date): SQL[] => [
  sql`select ${jsonOf({ session, ...account })} from ${loginSessions}
    cross join lateral (select ${user_id}) as owner(user_id) ${ofUser}
    where ${isOfKind('session')} and ${loginSessions.token_hash} = ${asked} and ${mayAct}`,
  sql`select ${jsonOf({ session, ...account })} from ${pageTokens}
    join ${loginSessions} on ${loginSessions.id} = ${pageTokens.session_id}
    cross join lateral (select ${user_id}) as owner(user_id) ${ofUser}
    where ${isOfKind('page')} and ${pageTokens.token_hash} = ${asked} and ${gt(pageTokens.expires_at, now)} and ${mayAct}`,
  sql`select ${jsonOf({ token: serviceToken, subjects: authenticators.subjects, ...account })} from ${serviceTokens}
    cross join lateral (select ${serviceTokens.user_id}) as owner(user_id) ${ofUser}
    where ${isOfKind('service')} and ${serviceTokens.token_hash} = ${asked} and ${isUsableToken(now)}`,
  sql`select ${jsonOf({ session: peerSession, peer, roles: rolesOfPeer })} from ${peerSessions}
    join ${peers} on ${and(eq(peers.id, peerSessions.peer_id), peers.enabled)}
    where ${isOfKind('peer')} and ${peerSessions.token_hash} = ${asked}`,
];

const serviceToken = {
  id: serviceTokens.id,
  name: serviceTokens.name,
  permissions: serviceTokens.permissions,
  scopes: serviceTokens.scopes,
  created_at: serviceTokens.created_at,
  expires_at: serviceTokens.expires_at,
  last_seen_at: serviceTokens.last_seen_at,
  own: serviceTokens.own,
};
const peerSession = {
  id: peerSessions.id,
  created_at: peerSessions.created_at,
  last_seen_at: peerSessions.last_seen_at,
  idle_until: peerSessions.idle_until,
};
const peer = { id: peers.id, name: peers.name, issuer: peers.issuer };

type Columns = { readonly [name: string]: Column | SQL | Columns };

/** The columns of a select as one JSON object, with the same members. */
function jsonOf(columns: Columns): SQL {
  const members = Object.entries(columns).map(([name, value]) => {
    const text = is(value, Column) || is(value, SQL) ? sql`${value}` : jsonOf(value);
    return sql`${sql.raw(`'${name}'`)}, ${text}`;
  });
  return sql`jsonb_build_object(${sql.join(members, sql`, `)})`;
}
