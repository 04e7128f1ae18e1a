import type { Db } from '../../../db/client.ts';
import { findOverrides } from '../../../db/repositories/settings/system-parameters.ts';
import { type Parameters, parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import type { Job } from './process/loop.ts';

/** The system parameters, at most a few seconds old. */
export type CachedParameters = { current(): Parameters };

/** Reads the parameters every two seconds, so that changes take effect within five seconds. */
export function parametersJob(db: Db): CachedParameters & { job: Job } {
  let parameters = parametersFrom(null);
  const round = async () => {
    parameters = await readParameters(db);
  };
  return { current: () => parameters, job: { name: 'parameters', intervalMs: () => 2_000, round } };
}

/** Reads the current parameters. */
export const readParameters = async (db: Db): Promise<Parameters> => parametersFrom(await findOverrides(db));
