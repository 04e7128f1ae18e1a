import { and, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { signInTests as table } from '../../../schema/identity/providers/sign-in-tests.ts';
import { must } from '../../records/statements.ts';

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

type OwnTest = { id: string; domainId: string; sessionId: string };

const isOwn = ({ id, domainId, sessionId }: OwnTest, now: Date): SQL | undefined =>
  and(isLive(id, now), eq(table.authenticator_id, domainId), eq(table.session_id, sessionId));

/** The test that a session has asked for. */
export async function findOwnTest(db: Db, test: OwnTest, now: Date) {
  const [row] = await db.select().from(table).where(isOwn(test, now));
  return row;
}

/** Deletes the test that a session has asked for. Fails the batch with the reason `no_test` if it has ended: it proves one change. */
export const useUpTest = (h: Db, test: OwnTest, now: Date): Statement[] => [
  must(
    h,
    sql`(select ${table.id} from ${table} where ${isOwn(test, now)} for update) is not null`,
    'invalid_state:no_test',
  ),
  h.delete(table).where(eq(table.id, test.id)),
];

/** Stores the result once. */
export async function storeResult(db: Db, id: string, sealed: string, now: Date): Promise<void> {
  await db
    .update(table)
    .set({ sealed_result: sealed })
    .where(and(isLive(id, now), isNull(table.sealed_result)));
}
