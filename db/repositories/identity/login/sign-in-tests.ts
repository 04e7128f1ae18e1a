import { and, eq, gt, inArray, isNull, lte, type SQL } from 'drizzle-orm';
import { atomically, type Db } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { signInTests as table } from '../../../schema/identity/providers/sign-in-tests.ts';

type Test = Pick<typeof table.$inferInsert, 'id' | 'authenticator_id' | 'session_id' | 'expires_at'>;

/** Number of expired rows removed per insert. */
const sweptAtOnce = 100;

/** Adds a test. Another one of the same session ends. */
export async function addSignInTest(db: Db, test: Test, now: Date): Promise<void> {
  await atomically(db, (h) => [
    h.delete(table).where(eq(table.session_id, test.session_id)),
    h
      .delete(table)
      .where(
        inArray(
          table.id,
          h
            .select({ id: table.id })
            .from(table)
            .where(lte(table.expires_at, now))
            .limit(sweptAtOnce)
            .for('update', { skipLocked: true }),
        ),
      ),
    h.insert(table).values(test),
  ]);
}

const isLive = (id: string, now: Date): SQL | undefined => and(eq(table.id, id), gt(table.expires_at, now));

/** A test that the browser with this session may begin, with its domain. */
export async function findBegun(
  db: Db,
  { id, domainId, tokenHash }: { id: string; domainId: string; tokenHash: string },
  now: Date,
) {
  const [row] = await db
    .select({ domain: authenticators })
    .from(table)
    .innerJoin(authenticators, eq(authenticators.id, table.authenticator_id))
    .innerJoin(loginSessions, eq(loginSessions.id, table.session_id))
    .where(
      and(
        isLive(id, now),
        isNull(table.sealed_result),
        eq(table.authenticator_id, domainId),
        eq(loginSessions.token_hash, tokenHash),
      ),
    );
  return row?.domain;
}

/** The test that a session has asked for. */
export async function findOwnTest(
  db: Db,
  { id, domainId, sessionId }: { id: string; domainId: string; sessionId: string },
  now: Date,
) {
  const [row] = await db
    .select()
    .from(table)
    .where(and(isLive(id, now), eq(table.authenticator_id, domainId), eq(table.session_id, sessionId)));
  return row;
}

/** Stores the result once. */
export async function storeResult(db: Db, id: string, sealed: string, now: Date): Promise<void> {
  await db
    .update(table)
    .set({ sealed_result: sealed })
    .where(and(isLive(id, now), isNull(table.sealed_result)));
}
