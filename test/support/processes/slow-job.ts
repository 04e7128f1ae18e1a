import { z } from 'zod';
import type { JobKind } from '../../../shared/kernel/job-kinds.ts';

/** A job that the process named `holder` never ends. */
export const slowKind: JobKind<{ holder: string }> = {
  name: 'slow',
  payload: z.strictObject({ holder: z.string() }),
  tries: 5,
  timeLimitS: 600,
  atOnce: 4,
};
