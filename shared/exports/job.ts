import { z } from 'zod';
import type { JobKind } from '../kernel/job-kinds.ts';

/** The job that builds the file of an export; its id is that of the export. */
export const buildExport: JobKind<{ export_id: string }> = {
  name: 'build-export',
  payload: z.strictObject({ export_id: z.uuid() }),
  tries: 4,
  timeLimitS: 3_600,
  atOnce: 1,
};
