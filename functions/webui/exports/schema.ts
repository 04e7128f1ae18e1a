import { z } from 'zod';
import { Moment } from '../../../shared/shapes/fields.ts';
import { Report } from '../export-operations.ts';

/** Exports of one response. A user who orders more finds the older ones by their identifiers. */
export const mostExports = 100;

const OwnExport = z.strictObject({
  ...Report.shape,
  object_type: z
    .enum(['audit', 'monitoring_record', 'portal', 'tag'])
    .describe('Type of the exported objects: `audit`, `monitoring_record`, `portal` or `tag`.'),
  filters: z
    .record(z.string(), z.unknown())
    .describe('Filters of the list with which the export was ordered.'),
  ordered_at: Moment.describe('When the export was ordered.'),
});

export const OwnExports = z.strictObject({
  items: z.array(OwnExport).max(mostExports).describe('The exports, the newest first.'),
});
