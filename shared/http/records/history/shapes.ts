import { z } from 'zod';
import { ActorOfEvent } from '../../../shapes/actor.ts';
import { Changes, Id, Moment } from '../../../shapes/fields.ts';
import { listOf, listQuery } from '../../../shapes/list.ts';

const Text = z.string().nullable();

/** The audit actions of writes, by their names in a history. */
export const actionNames = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  restore: 'restored',
} as const;

const versionShape = {
  version: Id.describe('Identifier of the version, of its audit event.'),
  at: Moment.describe('When the change was requested.'),
  actor: ActorOfEvent,
  user: Text.describe('Name of the user, or `system` for a background job. Null if unknown.'),
  domain: Text.describe('Label of the domain of the user. Null if unknown.'),
  service_token: Text.describe('Name of the service token of the request. Null if it used none.'),
  action: z
    .enum(Object.values(actionNames))
    .describe('`created`, `updated`, `deleted`, or `restored`: set to the state of an earlier version.'),
  request_id: Text.describe('Identifier of the request. Null without a request.'),
};

const RecordVersion = z
  .strictObject({
    ...versionShape,
    changes: Changes.describe('Changed members with their old and new values. Secrets are masked.'),
  })
  .meta({ id: 'RecordVersion' });

const isWhole = z
  .boolean()
  .describe('True if the creation of the object is in its history. Retention removes old versions.');

export const HistoryPage = listOf(RecordVersion).extend({ complete: isWhole }).meta({ id: 'RecordHistory' });
export const HistoryQuery = listQuery(['at'], {}, '-at').omit({ search: true });

const Names = z.array(z.string().meta({ example: 'comments' }));

/** The whole state of a record at a version. @param members of the record in a response */
export const versionStateOf = (members: z.ZodObject) =>
  z.strictObject({
    ...versionShape,
    state: members
      .partial()
      .describe('Members that a write can set, with their values at that time. Secrets are left out.'),
    absent: Names.describe('Members that the object did not have at that time.'),
    uncertain: Names.describe(
      'Members that changed without an audit event. `state` has their values at the next known time.',
    ),
    complete: z
      .boolean()
      .describe('True if the history begins with the creation of the object and no member is uncertain.'),
  });

export const RestoreBody = z
  .strictObject({ version: Id.describe('Identifier of a version of the history of the object.') })
  .meta({ id: 'RecordRestoration' });

export const Skipped = Names.describe(
  'Members that keep their present values: secrets, and members that are absent or uncertain in the version.',
);
