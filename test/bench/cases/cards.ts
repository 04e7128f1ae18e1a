import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectPg } from '../../../db/pg.ts';
import { createPortal, type Portal } from '../../../functions/portal.ts';
import type { KdcRemote } from '../../../shared/remotes/kerberos/transport.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { quantile } from '../../structure/sizes.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { hasKdc } from '../../support/pkinit/kdc.ts';
import { addCardDomain, addCardUser, path, startRealm } from '../../support/pkinit/pkinit.ts';
import type { Json } from '../../support/portal.ts';
import { createBenchPortal } from '../portal/portal.ts';
import type { Settings } from '../settings.ts';

type Times = { p50_ms: number; p99_ms: number };

/** `finalize`, the response time of the KDC in it, and the rest. */
export type CardFigures = { logins: number; portal: Times; floor: Times; besides: Times };

/** Logins by certificate, sequentially, through the whole portal in this process. */
export async function measureCards(settings: Settings, logins: number): Promise<CardFigures | null> {
  if (!hasKdc || !hasSlapd) return null;
  const kdc = await startRealm();
  const stopwatch = { ms: 0 };
  const connection = connectPg({ url: settings.databaseUrl });
  try {
    const card = await kdc.issue({ name: 'alice' });
    const key = createPrivateKey(await readFile(join(kdc.folder, 'alice.key')));
    const domain = await addCardDomain(connection, kdc);
    await addCardUser(connection, domain, 'alice');
    const { deps } = await createBenchPortal(settings, connection.db, createLog({ level: 'error' }));
    const portal = createPortal({ ...deps, kdcs: timed(deps.kdcs, stopwatch) });
    const once = () => measureLogin(portal, domain, { certificate: card.certificate, key }, stopwatch);
    for (let at = 0; at < 5; at++) await once();
    const taken = [];
    while (taken.length < logins) taken.push(await once());
    return {
      logins,
      portal: timesOf(taken.map(({ whole }) => whole)),
      floor: timesOf(taken.map((one) => one.kdc)),
      besides: timesOf(taken.map(({ besides }) => besides)),
    };
  } finally {
    await connection.close();
    await kdc.stop();
  }
}

async function measureLogin(
  portal: Portal,
  domain: Json,
  { certificate, key }: { certificate: string; key: KeyObject },
  stopwatch: { ms: number },
) {
  const { challenge_id, data_to_sign } = await send(portal, path(domain, 'login'), { certificate });
  const signature = sign('sha256', Buffer.from(data_to_sign, 'base64'), key).toString('base64');
  stopwatch.ms = 0;
  const started = performance.now();
  await send(portal, path(domain, 'finalize'), { challenge_id, signature });
  const whole = performance.now() - started;
  return { whole, kdc: stopwatch.ms, besides: whole - stopwatch.ms };
}

/** Measures the time from opening a connection until the reply. */
const timed = (kdcs: KdcRemote, stopwatch: { ms: number }): KdcRemote => ({
  ask: async (call, message) => {
    const started = performance.now();
    try {
      return await kdcs.ask(call, message);
    } finally {
      stopwatch.ms += performance.now() - started;
    }
  },
});

async function send(portal: Portal, route: string, body: Json): Promise<Json> {
  const [method = '', target = ''] = route.split(' ');
  const headers = { 'content-type': 'application/json' };
  const request = new Request(`https://bench.test${target}`, { method, headers, body: JSON.stringify(body) });
  const client = { ip: '127.0.0.1', secure: true, loopback: true };
  const answer = await portal.fetch(request, {
    client,
    background: (work) => void work.catch(() => undefined),
  });
  if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const timesOf = (times: readonly number[]): Times => ({
  p50_ms: quantile(times, 0.5),
  p99_ms: quantile(times, 0.99),
});
