import { and, eq, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { peerRoles, peerSessions, peers, usedPeerTokens } from '../../../schema/identity/peers.ts';
import { roles } from '../../../schema/identity/roles.ts';
import { must } from '../../records/statements.ts';
import { isOver, parameterOverrides, type Role, roleList, type SessionLimits } from './sessions.ts';

/** The roles and permissions of a peer as one JSON array. */
export const rolesOfPeer: SQL<Role[]> = roleList(
  sql`${peerRoles} join ${roles} on ${roles.id} = ${peerRoles.role_id} where ${peerRoles.peer_id} = ${peers.id}`,
);

/** Returns the enabled peer with this issuer, its roles, and the system parameters; one statement. */
export async function findPeer(db: Db, issuer: string) {
  const [row] = await db
    .select({ peer: peers, roles: rolesOfPeer, parameters: parameterOverrides })
    .from(peers)
    .where(and(eq(peers.issuer, issuer), peers.enabled));
  return row;
}

/**
 * Returns session, peer, roles and parameters by the hash of a token, in one statement without a cache. Disabled
 * peers give no row.
 */
export async function findPeerSession(db: Db, tokenHash: string) {
  const [row] = await db
    .select({
      session: peerSessions,
      peer: { id: peers.id, name: peers.name, issuer: peers.issuer },
      roles: rolesOfPeer,
      parameters: parameterOverrides,
    })
    .from(peerSessions)
    .innerJoin(peers, eq(peers.id, peerSessions.peer_id))
    .where(and(eq(peerSessions.token_hash, tokenHash), peers.enabled));
  return row;
}

/** Digest of an exchanged peer token, and the end of its validity. */
export type ExchangedToken = { digest: string; keptUntil: Date };

/**
 * Starts the session of a peer for one of its tokens, and deletes expired rows. Fails with a unique violation if the
 * token was exchanged before, and with `invalid_token` if the peer has changed since the token was verified.
 */
export function startPeerSession(
  h: Db,
  session: typeof peerSessions.$inferInsert,
  { revision, used, oldest }: { revision: number; used: ExchangedToken; oldest: Date },
): Statement[] {
  return [
    must(
      h,
      sql`(select ${peers.revision} from ${peers} where ${peers.id} = ${session.peer_id} for share) = ${revision}`,
      'invalid_token',
    ),
    h.insert(usedPeerTokens).values({ digest: used.digest, kept_until: used.keptUntil }),
    h.insert(peerSessions).values(session),
    h.delete(usedPeerTokens).where(lt(usedPeerTokens.kept_until, session.created_at)),
    h.delete(peerSessions).where(lt(peerSessions.created_at, oldest)),
  ];
}

export const endPeerSession = (h: Db, id: string): Statement =>
  h.delete(peerSessions).where(eq(peerSessions.id, id));

export const endSessionsOfPeer = (h: Db, peerId: string): Statement =>
  h.delete(peerSessions).where(eq(peerSessions.peer_id, peerId));

/** See `removeEnded`. The portal of a peer session follows from its roles, so the shorter age applies. */
export const removeEndedOfPeers = (
  h: Db,
  { idleS, adminAbsoluteS, userAbsoluteS }: SessionLimits,
  now: Date,
): Statement =>
  h
    .delete(peerSessions)
    .where(
      or(
        isOver(peerSessions.last_seen_at, idleS, now),
        isOver(peerSessions.created_at, Math.min(adminAbsoluteS, userAbsoluteS), now),
      ),
    );

/** Stores the last use of the session and its idle end, at most once a minute. */
export async function touchPeerSession(db: Db, id: string, now: Date, idleUntil: Date): Promise<void> {
  const before = new Date(now.getTime() - 60_000);
  await db
    .update(peerSessions)
    .set({ last_seen_at: now, idle_until: idleUntil })
    .where(and(eq(peerSessions.id, id), lt(peerSessions.last_seen_at, before)));
}
