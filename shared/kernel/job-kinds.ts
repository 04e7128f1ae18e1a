import { z } from 'zod';

/** A kind of queued job, shared by the code that enqueues it and the worker that runs it. */
export type JobKind<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Maximum number of attempts. The failure of the last one is written to the monitoring journal. */
  tries: number;
  /** Time limit of an attempt in seconds, even if its worker is alive. */
  timeLimitS: number;
  /** Maximum number of concurrent jobs of this kind in one sidecar. */
  atOnce: number;
  /** The minute at which a recurring job is queued each hour. At most one such job is queued. */
  hourlyAt?: number;
};

/** Payload of a job without parameters. */
export const EmptyPayload = z.strictObject({});
