import { and, eq, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { peerRoles, peerSessions, peers, usedPeerTokens } from '../../../schema/identity/peers.ts';
import { roles } from '../../../schema/identity/roles.ts';
import { must } from '../../records/statements.ts';
import { isOver, parameterOverrides, type Role, roleList, type SessionLimits } from './sessions.ts';

/** The roles of a peer with their rights, as one JSON array. */
const rolesOfPeer: SQL<Role[]> = roleList(
  sql`${peerRoles} join ${roles} on ${roles.id} = ${peerRoles.role_id} where ${peerRoles.peer_id} = ${peers.id}`,
);

/** The enabled peer that signs as this issuer, its rights, and the system parameters, in one statement. */
export async function findPeer(db: Db, issuer: string) {
  const [row] = await db
    .select({ peer: peers, roles: rolesOfPeer, parameters: parameterOverrides })
    .from(peers)
    .where(and(eq(peers.issuer, issuer), peers.enabled));
  return row;
}

/**
 * Session, peer, rights and parameters by the hash of a token, in one statement that nothing caches. Peers that are
 * disabled give no row.
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

/** What a token of a peer is known by after it has been exchanged, and until when it could come again. */
export type Exchanged = { digest: string; keptUntil: Date };

/**
 * Begins the session of a peer for one token of its, and takes out what time has ended. The batch fails with a unique
 * violation when the token has been exchanged before, and with `invalid_token` when the peer is no longer what the token
 * was checked against.
 */
export function startPeerSession(
  h: Db,
  session: typeof peerSessions.$inferInsert,
  { revision, used, oldest }: { revision: number; used: Exchanged; oldest: Date },
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

/** As `removeEnded`. The portal of a peer follows from its roles, so that the shorter age counts. */
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

/** Writes that the session was used, and when it ends if it is not used again; at most once a minute. */
export async function touchPeerSession(db: Db, id: string, now: Date, idleUntil: Date): Promise<void> {
  const before = new Date(now.getTime() - 60_000);
  await db
    .update(peerSessions)
    .set({ last_seen_at: now, idle_until: idleUntil })
    .where(and(eq(peerSessions.id, id), lt(peerSessions.last_seen_at, before)));
}
