import { startCountingProxy } from '../../support/database/counting-proxy.ts';
import { obey, tellReady } from '../child-process.ts';

/** `delayMs` is the delay of each direction in milliseconds. */
export type ProxySettings = { url: string; delayMs: number };

/** The network between portal and database. Any command returns the number of round trips so far. */
const { url, delayMs }: ProxySettings = JSON.parse(process.argv[2] ?? '{}');
const proxy = await startCountingProxy(url, { delayMs });
obey(() => proxy.trips());
tellReady({ url: proxy.url });
