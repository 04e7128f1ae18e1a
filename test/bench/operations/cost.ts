import { connectPg } from '../../../db/pg.ts';
import { rounded } from '../load.ts';
import { createBenchPortal } from '../portal/portal.ts';
import { sameForBoth } from '../settings.ts';
import type { Stand } from '../stand.ts';
import { type Operation, targetOf } from './cases.ts';

/** Of one request, including work after its response. CPU is that of the portal's process, on all its threads. */
export type Cost = { name: string; round_trips: number; upstream_calls: number; cpu_ms: number };

/** Sequential requests to a portal in this process. */
export async function measureCosts(
  { settings }: Stand,
  operations: readonly Operation[],
  requests: number,
): Promise<Cost[]> {
  const counts = { trips: 0, calls: 0 };
  const connection = connectPg({
    url: settings.databaseUrl,
    maxConnections: 2,
    onRoundTrip: () => void counts.trips++,
  });
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: console.error };
  const { portal, close } = await createBenchPortal(settings, connection.db, log, () => void counts.calls++);
  const later: Promise<unknown>[] = [];
  const invocation = {
    client: { ip: sameForBoth.host, secure: true, loopback: true },
    background: (work: Promise<unknown>) => void later.push(work),
  };
  const ask = async (operation: Operation): Promise<void> => {
    const { url, headers, body } = targetOf(settings.baseUrl, operation);
    const init = { method: operation.method, headers, ...(body !== undefined && { body }) };
    const answer = await portal.fetch(new Request(url, init), invocation);
    await answer.arrayBuffer();
    await Promise.all(later.splice(0));
    if (!answer.ok) throw new Error(`${operation.name} was ${answer.status}`);
  };
  try {
    const costs: Cost[] = [];
    for (const operation of operations) {
      const count = operation.isHeavy ? Math.ceil(requests / 10) : requests;
      for (let warm = 0; warm < count / 4; warm++) await ask(operation);
      Object.assign(counts, { trips: 0, calls: 0 });
      const before = process.cpuUsage();
      for (let asked = 0; asked < count; asked++) await ask(operation);
      const { user, system } = process.cpuUsage(before);
      costs.push({
        name: operation.name,
        round_trips: rounded(counts.trips / count, 2),
        upstream_calls: rounded(counts.calls / count, 2),
        cpu_ms: rounded((user + system) / 1_000 / count, 2),
      });
    }
    return costs;
  } finally {
    await close();
    await connection.close();
  }
}
