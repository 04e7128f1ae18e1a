import type { Connection, ConnectOptions } from '../../../db/client.ts';
import { connectNeon } from '../../../db/neon.ts';
import { connectPg } from '../../../db/pg.ts';
import { startNeonProxy } from '../../../shared/tooling/embedded/neon-proxy.ts';

export { type NeonProxy, startNeonProxy } from '../../../shared/tooling/embedded/neon-proxy.ts';

export type Driver = 'pg' | 'neon';

/** Returns the URL of something on the network between a driver and the server that it speaks to. */
export type Between = (url: string) => Promise<string>;

/** Connects to any PostgreSQL by one of the drivers; Neon's uses a separate proxy, which closes with it. */
export async function connectBy(
  driver: Driver,
  options: ConnectOptions,
  between: Between = async (url) => url,
): Promise<Connection> {
  if (driver === 'pg') return connectPg({ ...options, url: await between(options.url) });
  const proxy = await startNeonProxy({ databaseUrl: options.url });
  // The proxy has the address of the database; the address in the driver must not matter.
  const { db, close } = connectNeon({
    ...options,
    url: 'postgres://nobody:none@db.test/portal',
    proxy: await between(proxy.url),
  });
  return { db, close: () => close().then(() => proxy.close()) };
}
