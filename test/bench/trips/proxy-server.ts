import { startCountingProxy } from '../../support/database/counting-proxy.ts';
import { obey, tellReady } from '../child-process.ts';
import type { ProxySettings, ProxyState } from './proxy.ts';

/** The network between portal and database. Any command returns what has passed so far. */
const { url, delayMs }: ProxySettings = JSON.parse(process.argv[2] ?? '{}');
const proxy = await startCountingProxy(url, { delayMs });
obey((): ProxyState => ({ trips: proxy.trips(), ...proxy.bytes() }));
tellReady({ url: proxy.url });
