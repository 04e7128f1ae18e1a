import { z } from 'zod';
import { patchBody } from '../../../shared/http/records/shapes.ts';
import {
  explainQuery,
  isExplainQueryValid,
  userIdWithoutExplain,
} from '../../../shared/routing/explain-query.ts';
import { Launch } from '../../../shared/services/service-shape.ts';
import { Flag, Moment } from '../../../shared/shapes/fields.ts';

export const ServicesQuery = z
  .strictObject({
    ...explainQuery,
    refresh: Flag.optional().describe(
      'If true, farms are called although their cached lists are fresh. Default: false.',
    ),
  })
  .refine(isExplainQueryValid, userIdWithoutExplain);
export type ServicesQuery = z.output<typeof ServicesQuery>;

const PreferencesWrite = z.object({
  favourite: z
    .boolean()
    .default(false)
    .describe('True if the service is a favourite of the caller. Default: false.'),
  launch: Launch.nullable()
    .default(null)
    .describe(
      'How the caller starts the service: `rdp` or `spice` for a file of that protocol, `link` for a link. Null: no choice.',
    ),
});

export const ServicePreferences = z.strictObject({
  id: z.string().describe('Identifier of the service, in lower case.'),
  ...PreferencesWrite.shape,
  last_used_at: Moment.nullable().describe(
    'When the caller last received connection parameters for the service. Null if it was not used. Set by the portal.',
  ),
});

/** Other members of the response are ignored. */
export const PreferencesChange = patchBody(PreferencesWrite, ['id', 'last_used_at']) as z.ZodType<{
  favourite?: boolean | null | undefined;
  launch?: z.output<typeof Launch> | null | undefined;
}>;
