import { z } from 'zod';
import { Id, Moment } from '../shapes/fields.ts';

/** A maintenance that is in effect or ordered. */
export const Maintenance = z.strictObject({
  object_type: z
    .enum(['site', 'farm', 'servicespool', 'workplace'])
    .describe('Type of the object in maintenance: `site`, `farm`, `servicespool` or `workplace`.'),
  object_id: Id.describe(
    'Identifier of the object. That of a pool or workplace is assigned by the dispatcher.',
  ),
  object_name: z.string().describe('Name of the object.'),
  site_id: Id.describe('Identifier of the site.'),
  site_name: z.string().describe('Name of the site.'),
  farm_name: z.string().nullable().describe('Name of the farm. Null for a site.'),
  title: z
    .string()
    .nullable()
    .describe('Title of the maintenance template, or its name. Null without a template.'),
  message: z.string().nullable().describe('Message for users. Null if there is no message.'),
  start_at: Moment.nullable().describe('Start of the maintenance. Null: it started when it was ordered.'),
  end_at: Moment.nullable().describe('End of the maintenance. Null: when it is switched off.'),
  in_effect: z.boolean().describe('True if the maintenance has started.'),
});
