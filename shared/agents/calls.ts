import { z } from 'zod';
import type { BaseDeps } from '../context/context.ts';
import type { Notifier } from '../kernel/concurrency/notifier.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { escapeControls, startOf } from '../kernel/text.ts';
import { version } from '../kernel/version.ts';

/** Additional dependencies of the modules for agents. */
export type AgentDeps = BaseDeps & {
  /** Present if requests of one process can notify each other. */
  notifier?: Notifier;
};

/** Additional errors of every call with an agent token. */
export const agentErrors: readonly ErrorCode[] = ['invalid_token', 'locked_out', 'not_found'];

/** The envelope of all responses. */
export const resultOf = <R extends z.ZodType>(result: R) =>
  z.strictObject({
    result,
    stamp: z.int().meta({ example: 1_795_249_800 }).describe('Time of the response in Unix seconds.'),
    version: z.string().meta({ example: version }).describe('Version of the portal.'),
  });

/** The response of calls without a result. */
export const Done = resultOf(z.literal('ok').describe('Always `ok`.')).meta({ id: 'AgentDone' });

/*
 * Members as agents send them. `null` counts as absent. Values above the maximum length are truncated, not refused.
 */
export const absent = <S extends z.ZodType>(shape: S) =>
  shape.nullish().transform((value) => value ?? undefined);

export const cut = (length: number) => z.string().transform((text) => startOf(escapeControls(text), length));

export const Token = z.string().min(1).max(256);
export const UserName = z
  .string()
  .trim()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, 'Must not contain control characters')
  .meta({ example: 'ada' })
  .describe('Login name of the user: a plain name, `DOMAIN\\name` or `name@domain`.');
