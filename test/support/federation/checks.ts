import { sql } from 'drizzle-orm';
import { providerGrants } from '../../../db/schema/identity/providers/grants.ts';
import { providerCheckTask } from '../../../functions/health/jobs/providers/task.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { createOidcRemote } from '../../../shared/remotes/oidc/remote.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import type { TestPortal } from '../portal.ts';

type Parts = Pick<TestPortal, 'sidecarDb'> & {
  deps: Pick<TestPortal['deps'], 'sealer' | 'transport' | 'clock'>;
};

/** The task of one sidecar with these overrides of parameters. */
export function checkTaskOf(
  { sidecarDb: db, deps: { sealer, transport, clock } }: Parts,
  overrides: Record<string, unknown> = {},
) {
  const providers = createOidcRemote({ transport });
  const log = createLog({ level: 'error', write: () => undefined });
  const parameters = { current: () => parametersFrom(overrides) };
  const task = providerCheckTask({ db, sealer, providers, clock, log, parameters });
  return (signal = new AbortController().signal): Promise<void> => task.round(signal);
}

/** Checks all sessions at their providers now, as so many sidecars do at once with these overrides of parameters. */
export function checksOf(portal: TestPortal) {
  return async (overrides: Record<string, unknown> = {}, sidecars = 1): Promise<void> => {
    await portal.sidecarDb.update(providerGrants).set({ next_check_at: sql`now() - interval '1 second'` });
    const rounds = Array.from({ length: sidecars }, () => checkTaskOf(portal, overrides));
    await Promise.all(rounds.map((round) => round()));
  };
}
