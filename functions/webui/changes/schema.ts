import { z } from 'zod';
import { cursorPattern } from '../../../shared/changes/cursor.ts';
import { announcedTypes, snapshotListNames } from '../../../shared/changes/visibility.ts';

const Cursor = z
  .string()
  .max(46)
  .regex(cursorPattern, 'Must be a cursor of this operation')
  .meta({ example: '9b1deb4d.102345.812' });

export const ChangesQuery = z.strictObject({
  after: Cursor.optional().describe(
    'Returns the changes after this cursor: the `id` of an event, or `next` of the last response. Default: no changes, but the cursor of the next ones.',
  ),
});

const Change = z.strictObject({
  kind: z
    .enum(['snapshot', ...announcedTypes])
    .describe('Type of the object. `snapshot`: a list of a farm was synchronized.'),
  id: z
    .string()
    .nullable()
    .meta({ example: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' })
    .describe(
      'Identifier of the object, of the farm for `snapshot`, or name of the system parameter. Null if one write has changed so many objects that they are not listed.',
    ),
  list: z
    .enum(snapshotListNames)
    .optional()
    .describe(
      'The list of the farm that has changed: `servicespools`, `workplaces` or `spsessions`. Present for `snapshot` only.',
    ),
});

export const Changes = z.strictObject({
  items: z.array(Change).max(1_000).describe('Changes that the caller may see, oldest first.'),
  next: Cursor.describe('Cursor for the next request. Unchanged while there are no changes.'),
  reset: z
    .boolean()
    .describe(
      'True if changes may be missing: without `after`, or if the cursor is older than 24 hours or belongs to another database. Read again what you show, then continue with `next`.',
    ),
});
