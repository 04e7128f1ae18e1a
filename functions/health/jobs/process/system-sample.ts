import type { SystemSampler } from '../../system-sampler.ts';
import type { Job } from './loop.ts';

/** Samples the host every five seconds, so that scrapes read cached values. */
export const systemSampleJob = (sampler: SystemSampler): Job => ({
  name: 'system-sample',
  intervalMs: () => 5_000,
  round: () => sampler.sample(),
});
