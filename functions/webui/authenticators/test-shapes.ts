import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';
import { AuthenticatorWrite, ownFields } from './schema.ts';

/** The fields of a domain, all optional. The id of a stored domain replaces its secrets. */
export const TestBody = z.object({
  id: Id.optional().describe(
    'Identifier of a stored domain whose secrets are used if the destination is the same.',
  ),
  ...Object.fromEntries(
    Object.keys(ownFields).map((name) => [
      name,
      z
        .unknown()
        .optional()
        .describe('Same as the field of a domain. Only the fields in the request are checked.'),
    ]),
  ),
  params: AuthenticatorWrite.shape.params,
  username: z
    .string()
    .max(256)
    .optional()
    .describe('Login name of a user to search for. The response shows the groups of the user.'),
  password: z.string().max(1024).optional().describe('Password of that user, to test a login.'),
});

export const TestResult = z.strictObject({
  success: z.boolean().describe('True if no check failed.'),
  message: z.string().describe('Result of the test in one sentence.'),
  checks: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the check.'),
        status: z
          .enum(['pass', 'fail', 'skipped'])
          .describe('`pass`, `fail`, or `skipped` if an earlier check failed or there was nothing to check.'),
        detail: z.string().describe('Details of the result. Empty if there are none.'),
        took_ms: z.int().describe('Duration of the check in milliseconds.'),
      }),
    )
    .describe('Individual checks in the order in which they were run.'),
});
