import { sql } from 'drizzle-orm';
import type { Db } from '../client.ts';

/** True when the database answers the simplest of questions in time. */
export async function answersWithin(db: Db, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const answer = Promise.resolve(db.execute(sql`select 1`)).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
