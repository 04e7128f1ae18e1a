import { z } from 'zod';
import { ActorOfEvent } from '../../../shared/shapes/actor.ts';
import { Changes, Id, idOf, Moment } from '../../../shared/shapes/fields.ts';
import { listQuery } from '../../../shared/shapes/list.ts';
import { lowerBoundOf, upperBoundOf } from '../../../shared/shapes/ranges.ts';

const Category = z.enum(['auth', 'config', 'session', 'workplace', 'system']);
const Result = z.enum(['success', 'failure']);
const Text = z.string().nullable();
const Hash = z.string().nullable().describe('SHA-256 in hexadecimal. Null until the event is sealed.');

export const AuditEvent = z.strictObject({
  id: Id.describe('Identifier of the event.'),
  seq: z
    .int()
    .nullable()
    .describe('Position in the hash chain, counted from 1. Null until the event is sealed.'),
  at: Moment.describe('When the event happened.'),
  event: z
    .string()
    .meta({ example: 'portal.EntityAction' })
    .describe('Name of the event, such as `portal.EntityAction`.'),
  category: Category.describe(
    '`auth`: logins and access; `config`: objects and parameters; `session`, `workplace`: actions and connections on dispatchers; `system`: exports and the portal itself.',
  ),
  level: z
    .enum(['info', 'warning', 'error'])
    .describe('Severity: `info`, `warning` for rejected or failed requests, or `error`.'),
  result: Result.describe('`success`, or `failure` if the request was rejected or failed.'),
  actor: ActorOfEvent,
  user: Text.describe(
    'Login name of the user, name of the peer, or `system` for a background job. Null if unknown.',
  ),
  user_id: idOf('user').nullable().describe('Identifier of the user or peer. Null if unknown.'),
  domain: Text.describe('Label of the domain of the user, or issuer of the peer. Null if unknown.'),
  portal: Text.describe('Portal of the session: `admin` or `user`. Null without a session.'),
  service_token: Text.describe('Name of the service token of the request. Null if it used none.'),
  source_ip: Text.describe('IP address of the caller. Null without a request.'),
  user_agent: Text.describe('Header `User-Agent` of the request. Null without a request.'),
  request_id: Text.describe('Identifier of the request. Null without a request.'),
  method: Text.describe('HTTP method of the request. Null without a request.'),
  path: Text.describe('Route of the request with its placeholders. Null without a request.'),
  object_type: Text.describe(
    'Type of the object, as in operation identifiers. Null if the event concerns no object.',
  ),
  object_id: Text.describe('Identifier of the object. Null if the event concerns no object.'),
  object_name: Text.describe('Name of the object at that time. Null if the event concerns no object.'),
  action: Text.describe('Action, such as `create`. Null if the event has no action.'),
  changes: Changes,
  details: z
    .record(z.string(), z.unknown())
    .describe('Further details of the event. The fields depend on the event.'),
  message: z.string().describe('Text of the event in English. Empty if it has none.'),
  count: z.int().describe('Number of identical occurrences that this event summarises.'),
  prev_hash: Hash.describe('`hash` of the previous event of the chain. Null until the event is sealed.'),
  hash: Hash.describe(
    'SHA-256 of the event and `prev_hash`, in hexadecimal. Null until the event is sealed.',
  ),
});

/** The document omits the largest safe integer, which stands for no limit. */
const Seq = z.coerce.number().int().min(1).max(1e15);

const Exactly = z.string().max(256).optional();

export const auditFilters = {
  from: lowerBoundOf('at').describe('Only events at or after this time.'),
  to: upperBoundOf('at').describe('Only events before this time.'),
  seq: Seq.optional().describe('Only the event at this position of the hash chain.'),
  event: Exactly.describe('Only events with this name.'),
  category: Category.optional().describe('Only events of this category.'),
  result: Result.optional().describe('Only events with this result.'),
  user: Exactly.describe('Only events of the user with this login name. Case is ignored.'),
  object_type: Exactly.describe('Only events about objects of this type.'),
  object_id: Exactly.describe('Only events about the object with this identifier.'),
  source_ip: Exactly.describe('Only events from this IP address.'),
};

/** Events have no name, so there is no `search`. */
export const AuditQuery = listQuery(['at'], auditFilters, '-at').omit({ search: true });

export const VerifyQuery = z
  .strictObject({
    from: Seq.default(1).meta({ example: 1 }).describe('Position (`seq`) of the first event. Default 1.'),
    to: Seq.optional().describe('Position (`seq`) of the last event. Default: the last sealed event.'),
  })
  .refine(({ from, to = from }) => from <= to, { path: ['to'], message: 'Must not be less than `from`' });

export const Verification = z.strictObject({
  ok: z.boolean().describe('True if all checked events are unchanged since they were sealed.'),
  checked: z
    .int()
    .describe('Number of checked events from `from` on, including events that the retention has removed.'),
  sealed_to: z.int().describe('Position (`seq`) of the last sealed event. 0 before the first.'),
  first_bad: z
    .int()
    .optional()
    .describe(
      'Position (`seq`) of the first event that was changed, is missing, breaks the chain or contradicts a signed checkpoint. Absent if `ok` is true.',
    ),
});
