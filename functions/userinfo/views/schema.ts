import { z } from 'zod';
import { mostViews } from '../../../db/repositories/settings/saved-views.ts';
import { Id, PlainName } from '../../../shared/shapes/fields.ts';

export const ViewParams = z.object({ id: Id.describe('Identifier of the view.') });

export const SavedViewWrite = z.strictObject({
  list: z
    .string()
    .regex(/^[a-z_]{1,64}$/i, 'Must contain only letters and _')
    .meta({ maxLength: 64, example: 'workplace' })
    .describe('Type of the records in the list, as in operation identifiers.'),
  name: PlainName.max(64)
    .meta({ example: 'Failed workplaces' })
    .describe('Name of the view, unique for the list.'),
  query: z
    .string()
    .max(2_000)
    .meta({ example: 'state=failed&sort=-name' })
    .describe('Query of the list in the console: search, filters, order and columns.'),
  is_default: z
    .boolean()
    .default(false)
    .describe(
      'The console opens the list with this view. The other views of the list are then not default. Default: false.',
    ),
});

export const SavedView = z.strictObject({
  id: Id.describe('Identifier of the view.'),
  list: z.string().meta({ example: 'workplace' }).describe('Type of the records in the list.'),
  name: z.string().meta({ example: 'Failed workplaces' }).describe('Name of the view.'),
  query: z
    .string()
    .meta({ example: 'state=failed&sort=-name' })
    .describe('Query of the list in the console: search, filters, order and columns.'),
  is_default: z.boolean().describe('True if the console opens the list with this view.'),
});

export const SavedViews = z.strictObject({
  items: z.array(SavedView).max(mostViews).describe("The caller's views, in the order of lists and names."),
});
