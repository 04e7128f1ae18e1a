import { sql } from 'drizzle-orm';
import { providerGrants } from '../../../db/schema/identity/providers/grants.ts';
import { providerCheckTask } from '../../../functions/health/jobs/provider-checks.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { createOidcRemote } from '../../../shared/remotes/oidc/remote.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import type { TestPortal } from '../portal.ts';

/** Checks all sessions at their providers now, as so many sidecars do at once with these overrides of parameters. */
export function checksOf({ sidecarDb: db, deps }: TestPortal) {
  const { sealer, transport, clock } = deps;
  const providers = createOidcRemote({ transport });
  const log = createLog({ level: 'error', write: () => undefined });
  return async (overrides: Record<string, unknown> = {}, sidecars = 1): Promise<void> => {
    const parameters = { current: () => parametersFrom(overrides) };
    await db.update(providerGrants).set({ next_check_at: sql`now() - interval '1 second'` });
    const tasks = Array.from({ length: sidecars }, () =>
      providerCheckTask({ db, sealer, providers, clock, log, parameters }),
    );
    await Promise.all(tasks.map((task) => task.round(new AbortController().signal)));
  };
}
