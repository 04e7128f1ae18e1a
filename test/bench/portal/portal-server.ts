import { connectPg } from '../../../db/pg.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import { tellReady } from '../child-process.ts';
import { type Settings, sameForBoth } from '../settings.ts';
import { createBenchPortal } from './portal.ts';

const settings: Settings = JSON.parse(process.argv[2] ?? '{}');
const { host, trustProxy } = sameForBoth;
// One line per request, as in production.
const log = createLog({ level: 'info' });
const { db } = connectPg({ url: settings.databaseUrl });
const { portal, deps } = await createBenchPortal(settings, db, log);
await prepareInstallation(db, deps.hasher, settings.adminPassword);
// One session sends as fast as it can; its quota is not measured.
const quotas = ['limits.per_token_per_minute', 'limits.anonymous_per_ip_per_minute'];
await db.insert(systemParameters).values(quotas.map((name) => ({ name, value: 0, updated_at: new Date() })));
const { port } = await serveNode({ fetch: portal.fetch, host, port: 0, trustProxy, log });
tellReady({ url: `http://${host}:${port}` });
