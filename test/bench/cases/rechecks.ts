import { sql } from 'drizzle-orm';
import pg from 'pg';
import type { Db } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { authenticators } from '../../../db/schema/identity/authenticators.ts';
import { providerGrants } from '../../../db/schema/identity/providers/grants.ts';
import type { Sealer } from '../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { OidcClient } from '../../../shared/remotes/oidc/port.ts';
import { createOidcRemote } from '../../../shared/remotes/oidc/remote.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { createAuthority } from '../../simulator/authority.ts';
import {
  addCheckedSessions,
  type RefreshServer,
  startRefreshServer,
} from '../../support/federation/checked-sessions.ts';
import { checkTaskOf } from '../../support/federation/checks.ts';
import { rounded } from '../load.ts';
import { createBenchPortal } from '../portal/portal.ts';
import { row } from '../rows.ts';
import type { Settings } from '../settings.ts';

export type RechecksEffort = { sessions: number; seconds: number };

type Rate = { checks_per_s: number; cpu_ms: number };
export type RechecksFigures = {
  sessions: number;
  /** That check each session every 900 seconds. */
  needed_per_s: number;
  /** The same requests without the portal: 32 at once. */
  floor: Rate;
  alone: Rate;
  /** Beside a provider with a tenth of the sessions that does not answer. */
  beside_hanging: Rate & { asked_in_vain: number };
};

const intervalS = 900;

/** Checks of sessions at an identity provider on this machine, by the task of one sidecar. `cpu_ms` is of this process, a check. */
export async function measureRechecks(
  settings: Settings,
  { sessions, seconds }: RechecksEffort,
): Promise<RechecksFigures> {
  const authority = await createAuthority('Identity provider');
  const [well, ill] = await Promise.all([startRefreshServer(authority), startRefreshServer(authority)]);
  const connection = connectPg({ url: settings.databaseUrl });
  const client = new pg.Client({ connectionString: settings.databaseUrl });
  await client.connect();
  const { deps } = await createBenchPortal(settings, connection.db, createLog({ level: 'error' }));
  const signIn = async (server: RefreshServer, count: number): Promise<void> => {
    const id = await addDomain(connection.db, deps.sealer, server);
    await addCheckedSessions(
      client,
      deps.sealer,
      { id, issuer: server.issuer },
      { count, prefix: 'checked' },
    );
  };
  try {
    await signIn(well, sessions);
    await client.query('analyze');
    const floor = await measured(well, seconds, (signal) => refreshing(deps.transport, well, signal));
    const task = checkTaskOf({ sidecarDb: connection.db, deps });
    const alone = await measured(well, seconds, task);
    await signIn(ill, Math.ceil(sessions / 10));
    ill.mode = 'nothing';
    await connection.db.update(providerGrants).set({ next_check_at: sql`now() - interval '1 second'` });
    const beside = await measured(well, seconds, task);
    return {
      sessions,
      needed_per_s: rounded(sessions / intervalS, 1),
      floor,
      alone,
      beside_hanging: { ...beside, asked_in_vain: ill.asked },
    };
  } finally {
    await client.query("delete from authenticators where type = 'oidc'");
    await client.end();
    await connection.close();
    await well.close();
    await ill.close();
  }
}

async function addDomain(db: Db, sealer: Sealer, { issuer, caPem }: RefreshServer): Promise<string> {
  const [id, name] = [newId(), issuer];
  const place = { table: 'authenticators', row: id, column: 'params.client_secret' };
  const secret = await sealer.seal('a secret', place);
  const params = {
    issuer,
    ca_certificate: caPem,
    client_id: 'portal',
    client_secret: secret,
    groups_claim: '',
  };
  await db.insert(authenticators).values({
    ...{ id, name, name_key: name, small_name: name, small_name_key: name, type: 'oidc' },
    params: { ...params, recheck: true, timeout_s: 10 },
  });
  return id;
}

/** @param work ends with the signal, or earlier */
async function measured(
  server: RefreshServer,
  seconds: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<Rate> {
  const [asked, cpu, start] = [server.asked, process.cpuUsage(), performance.now()];
  await work(AbortSignal.timeout(seconds * 1_000));
  const { user, system } = process.cpuUsage(cpu);
  const checks = server.asked - asked;
  return {
    checks_per_s: rounded((checks * 1_000) / (performance.now() - start), 1),
    cpu_ms: rounded((user + system) / 1_000 / checks, 2),
  };
}

async function refreshing(
  transport: Parameters<typeof createOidcRemote>[0]['transport'],
  { issuer, caPem }: RefreshServer,
  signal: AbortSignal,
): Promise<void> {
  const remote = createOidcRemote({ transport });
  const login = { issuer, sub: 'a', subject: 'a', loginName: 'a', idToken: '' };
  const one = async (): Promise<void> => {
    while (!signal.aborted) await remote.refresh(clientAt(issuer, caPem), { refreshToken: 'first', login });
  };
  await Promise.all(Array.from({ length: 32 }, one));
}

const clientAt = (issuer: string, ca: string): OidcClient => ({
  ...{
    issuer,
    discoveryUrl: undefined,
    ca,
    clientId: 'portal',
    authentication: { kind: 'secret', secret: 'a secret' },
  },
  ...{
    scopes: ['openid'],
    isOffline: true,
    subjectClaim: 'sub',
    loginNameClaim: 'sub',
    groupsClaim: undefined,
  },
  ...{ requiredClaims: [], trustsEmail: false, allowedTenants: [], acrValues: [], amrValues: [] },
  ...{ authorizationParameters: {}, prompt: undefined, deadlineMs: 10_000 },
});

export const rechecksLines = (figures: RechecksFigures | undefined): string[] =>
  figures === undefined
    ? []
    : [
        row(`checks of ${figures.sessions} sessions`, 'checks/s', 'CPU ms'),
        ...(['floor', 'alone', 'beside_hanging'] as const).map((name) =>
          row(`  ${names[name]}`, String(figures[name].checks_per_s), String(figures[name].cpu_ms)),
        ),
        `needed: ${figures.needed_per_s} checks/s; the hanging provider was asked ${figures.beside_hanging.asked_in_vain} times\n`,
      ];

const names = { floor: 'requests alone', alone: 'task', beside_hanging: 'beside a hanging one' };
