import { z } from 'zod';
import { subjectPattern } from '../../../shared/identity/providers/person.ts';
import { Id } from '../../../shared/shapes/fields.ts';

const Subject = z
  .string()
  .max(255)
  .regex(subjectPattern, 'Must be 1 to 255 visible ASCII characters')
  .meta({ example: '00ujl29u0le5T6Aj10h7' })
  .describe(
    'Identifier of the person at the identity provider: the value of the claim that the domain has as `subject_claim`.',
  );
const Tenant = z
  .string()
  .max(64)
  .optional()
  .describe(
    'Tenant of the person. Required if the issuer of the domain is for several tenants and more than one is allowed.',
  );

/** A person at an identity provider. */
export const PersonAtProvider = z.strictObject({ subject: Subject, tenant: Tenant });
export type Person = z.output<typeof PersonAtProvider>;

const most = 100;

const BindItem = z.strictObject({
  id: Id.describe('Identifier of the user.'),
  subject: Subject.optional().describe(
    'Identifier of the person at the identity provider: the value of the claim that the domain has as `subject_claim`. Absent in a directory domain.',
  ),
  tenant: Tenant,
});
export type Item = z.output<typeof BindItem>;

export const BindUsers = z.strictObject({
  items: z
    .array(BindItem)
    .min(1)
    .max(most)
    .describe(`Users to bind, each with its person, at most ${most}. They are bound in this order.`),
});

export const BindResult = z.strictObject({
  bound_count: z.int().describe('Number of users that were bound.'),
  bound: z.array(Id).describe('Identifiers of the users that were bound.'),
  failed_count: z.int().describe('Number of users that could not be bound.'),
  failed: z
    .array(
      z.strictObject({
        id: z.string().describe('Identifier of the user.'),
        code: z.string().describe('Problem code, such as `invalid_state`.'),
        reason: z
          .string()
          .nullable()
          .describe('Reason, such as `bound` or `entry_in_use`. Null if the problem has none.'),
        detail: z.string().describe('Sentence about the reason.'),
      }),
    )
    .describe('Users that could not be bound.'),
});
