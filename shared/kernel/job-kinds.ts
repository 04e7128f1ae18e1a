import { z } from 'zod';

/** A kind of queued job, as those who want one and those who work it must agree on it. */
export type JobKind<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Attempts in all; after the last one the failure is in the monitoring journal. */
  tries: number;
  /** Seconds after which an attempt is given up, however alive its worker is. */
  timeLimitS: number;
  /** How many of them one sidecar works at the same time. */
  atOnce: number;
  /** When it is wanted by itself, in cron's five fields, UTC; such a job is queued once at most. */
  cron?: string;
};

/** The payload of a job that needs to know nothing. */
export const Nothing = z.strictObject({});
