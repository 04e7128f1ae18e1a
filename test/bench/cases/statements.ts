import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { createBenchPortal } from '../portal/portal.ts';
import { type Settings, sameForBoth } from '../settings.ts';

export type Statement = { text: string; values: unknown[] };
/** The statements of the portal for one page, and its number of items or services; any other response counts as one. */
type Watched = { statements: Statement[]; items: number };

export type WatchedPortal = {
  /** @throws Error when the answer is a refusal, or a page without items */
  ask(path: string): Promise<Watched>;
  close(): Promise<void>;
};

/** The portal in this process, with every statement of a request recorded. */
export async function watchPortal(settings: Settings, token: string): Promise<WatchedPortal> {
  const statements: Statement[] = [];
  const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 1 });
  const logQuery = (text: string, values: unknown[]) => void statements.push({ text, values });
  const db = drizzle({ client: pool, logger: { logQuery } });
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const { portal } = await createBenchPortal(settings, db, log);
  const later: Promise<unknown>[] = [];
  const invocation = {
    client: { ip: sameForBoth.host, secure: true, loopback: true },
    background: (work: Promise<unknown>) => void later.push(work),
  };
  const ask = async (path: string): Promise<Watched> => {
    statements.splice(0);
    const request = new Request(settings.baseUrl + path, { headers: { 'x-auth-token': token } });
    const answer = await portal.fetch(request, invocation);
    await Promise.all(later.splice(0));
    const text = await answer.text();
    const items = answer.ok ? countIn(JSON.parse(text)) : 0;
    if (items === 0) throw new Error(`${path} is no page with items: ${answer.status} ${text}`);
    return { statements: [...statements], items };
  };
  return {
    ask: async (path) => {
      // Once a minute a request also updates the last use of the session; the second request does not.
      await ask(path);
      return ask(path);
    },
    close: () => pool.end(),
  };
}

type Answered = { services?: unknown[]; items?: unknown[] } | unknown[];

const countIn = (body: Answered): number =>
  Array.isArray(body) ? body.length : (body.services ?? body.items ?? [body]).length;
