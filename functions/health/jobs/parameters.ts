import type { Db } from '../../../db/client.ts';
import { findOverrides } from '../../../db/repositories/settings/system-parameters.ts';
import { type Parameters, parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import type { AgendaReader } from './process/agenda.ts';

/** The system parameters of the last agenda. A change notifies the sidecars, so it takes effect within seconds. */
export type CachedParameters = { current(): Parameters };

export function parametersOf(reader: Pick<AgendaReader, 'current'>): CachedParameters {
  let overrides: Record<string, unknown> | null = null;
  let parameters = parametersFrom(overrides);
  return {
    current: () => {
      const latest = reader.current()?.agenda.overrides;
      if (latest === undefined || latest === overrides) return parameters;
      overrides = latest;
      parameters = parametersFrom(overrides);
      return parameters;
    },
  };
}

/** Reads the current parameters. */
export const readParameters = async (db: Db): Promise<Parameters> => parametersFrom(await findOverrides(db));
