import { z } from 'zod';
import { Id, Instant, Moment } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';

const Category = z.enum(['auth', 'config', 'session', 'workplace', 'system']);
const Result = z.enum(['success', 'failure']);
const Text = z.string().nullable();
const Hash = z.string().nullable().meta({ description: 'SHA-256, hexadecimal; null until sealed' });

export const AuditEvent = z.strictObject({
  id: Id,
  seq: z.int().nullable().meta({ description: 'Place in the chain; null until sealed' }),
  at: Moment,
  event: z.string().meta({ example: 'portal.EntityAction' }),
  category: Category,
  level: z.enum(['info', 'warning', 'error']),
  result: Result,
  user: Text,
  user_id: Id.nullable(),
  domain: Text,
  portal: Text,
  service_token: Text,
  source_ip: Text,
  user_agent: Text,
  request_id: Text,
  method: Text,
  path: Text.meta({ description: 'The route, not the address' }),
  object_type: Text,
  object_id: Text,
  object_name: Text,
  action: Text,
  changes: z.array(z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() })),
  details: z.record(z.string(), z.unknown()),
  message: z.string(),
  count: z.int().meta({ description: 'How many occurrences the event stands for' }),
  prev_hash: Hash,
  hash: Hash,
});

const Exactly = z.string().max(256).optional();

export const auditFilters = {
  from: Instant.optional().meta({ description: 'Events at or after this moment' }),
  to: Instant.optional().meta({ description: 'Events before this moment' }),
  event: Exactly,
  category: Category.optional(),
  result: Result.optional(),
  user: Exactly.meta({ description: 'Name of the user, without regard to case' }),
  object_type: Exactly,
  object_id: Exactly,
  source_ip: Exactly,
};

/** Events are found by what they say, not by a name: there is no `search`. */
export const AuditQuery = listQuery(['at'], auditFilters, '-at').omit({ search: true });

const Seq = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

export const VerifyQuery = z
  .strictObject({
    from: Seq.default(1).meta({ description: '`seq` of the first event', example: 1 }),
    to: Seq.optional().meta({ description: '`seq` of the last event; the last sealed one when absent' }),
  })
  .refine(({ from, to = from }) => from <= to, { path: ['to'], message: 'Must not be less than `from`' });

export const Verification = z.strictObject({
  ok: z.boolean().meta({ description: 'All events that were looked at are as they were sealed' }),
  checked: z.int().meta({
    description: 'How many events were looked at, from `from` on, those that retention has removed included',
  }),
  sealed_to: z.int().meta({ description: '`seq` of the last event that was sealed; 0 before the first' }),
  first_bad: z.int().optional().meta({
    description:
      '`seq` of the first event that was changed, is missing, does not follow the one before, or is not what a signed checkpoint says',
  }),
});
