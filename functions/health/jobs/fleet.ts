import type { Connection } from '../../../db/client.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { createProcessMemory } from '../../../shared/context/process-memory.ts';
import { systemClock } from '../../../shared/kernel/clock.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import type { Log } from '../../../shared/kernel/observability/log.ts';
import type { Telemetry } from '../../../shared/kernel/observability/telemetry.ts';
import { createDispatchers } from '../../../shared/remotes/dispatcher/kinds.ts';
import { withDurations } from '../../../shared/remotes/http/durations.ts';
import type { NodeTransport } from '../../../shared/remotes/http/node.ts';
import { createOidcRemote } from '../../../shared/remotes/oidc/remote.ts';
import type { Config } from '../../../shared/runtime/config/config.ts';
import { createSingleFlight } from '../../../shared/runtime/node/single-flight.ts';
import { createLoginGuard } from '../../../shared/sites/calls/login-guard.ts';

type FleetParts = {
  config: Config;
  log: Log;
  jobsDb: Connection;
  telemetry: Telemetry;
  transport: NodeTransport;
};

export type Fleet = Awaited<ReturnType<typeof fleetOf>>;

/** The clients and keys that calls to dispatchers require. */
export async function fleetOf({ config, log, jobsDb, telemetry, transport }: FleetParts) {
  const { aggregatorJwtSslKey = '', aggregatorJwtSslKeySecond, baseUrl, secretKey } = config;
  const pems = [aggregatorJwtSslKey, ...(aggregatorJwtSslKeySecond ? [aggregatorJwtSslKeySecond] : [])];
  // Each job has its own concurrency limit. With a shared limit, unresponsive nodes would delay all jobs.
  const signing = await createSigningKeys(pems, baseUrl);
  const sealer = await createSealer(secretKey);
  const dispatchers = createDispatchers({
    transport: withDurations(transport, telemetry),
    signer: signing,
    logins: createLoginGuard({ db: jobsDb.db, sealer }),
  });
  const clock = systemClock;
  return {
    db: jobsDb.db,
    dispatchers,
    providers: createOidcRemote({ transport, singleFlight: createSingleFlight() }),
    signing,
    sealer,
    clock,
    log,
    memory: createProcessMemory(),
  };
}
