import type { Db } from '../../../db/client.ts';
import { findOverrides } from '../../../db/repositories/settings/system-parameters.ts';
import { type Parameters, parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import type { Job } from './process/loop.ts';

/** The system parameters as they were a moment ago. */
export type KnownParameters = { current(): Parameters };

/** Reads the parameters every two seconds, so that they are in force within five. */
export function parametersJob(db: Db): KnownParameters & { job: Job } {
  let parameters = parametersFrom(null);
  const round = async () => {
    parameters = await readParameters(db);
  };
  return { current: () => parameters, job: { name: 'parameters', intervalMs: () => 2_000, round } };
}

/** The parameters in force now. */
export const readParameters = async (db: Db): Promise<Parameters> => parametersFrom(await findOverrides(db));
