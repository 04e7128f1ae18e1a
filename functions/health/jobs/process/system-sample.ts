import type { SystemSampler } from '../../system.ts';
import type { Job } from './loop.ts';

/** Looks at the host every five seconds, so that no scrape has to. */
export const systemSampleJob = (sampler: SystemSampler): Job => ({
  name: 'system-sample',
  intervalMs: () => 5_000,
  round: () => sampler.sample(),
});
