import { z } from 'zod';
import { dryRun } from '../../../db/client.ts';
import { eventsOfRequest } from '../../../db/repositories/records/request-events.ts';
import type { BaseDeps } from '../../context/context.ts';
import { ownerOf, type SignedIn } from '../../context/principal.ts';
import { Changes } from '../../shapes/fields.ts';
import type { RequestCtx } from '../context.ts';
import type { Operation } from '../declare/operation.ts';
import { withCharset } from '../serve/answer.ts';
import { type Run, runWithin, withoutSecrets } from './transactional.ts';

/** The effect of a write: its response and its audit events. */
export const DryRun = z
  .strictObject({
    dry_run: z.literal(true).describe('Always true: nothing was changed.'),
    would: z
      .strictObject({
        status: z.int().meta({ example: 204 }).describe('HTTP status of the response.'),
        body: z.unknown().meta({ example: null }).describe('Body of the response. Null if it has none.'),
        events: z
          .array(
            z.strictObject({
              event: z.string().describe('Name of the event, such as `portal.EntityAction`.'),
              action: z
                .string()
                .nullable()
                .describe('Action, such as `create`. Null if the event has no action.'),
              object_type: z
                .string()
                .nullable()
                .describe(
                  'Type of the object, as in operation identifiers. Null if the event concerns no object.',
                ),
              object_id: z
                .string()
                .nullable()
                .describe('Identifier of the object. Null if the event concerns no object.'),
              object_name: z
                .string()
                .nullable()
                .describe('Name of the object at that time. Null if the event concerns no object.'),
              changes: Changes,
            }),
          )
          .describe('Audit events that the request would write.'),
      })
      .describe('Effect that the request would have without `X-Dry-Run`.'),
  })
  .meta({ id: 'DryRun' });

/** Runs a write, rolls it back, and returns its effect. Errors are the same as those of the write. */
export async function describeWrite<D extends BaseDeps>(
  ctx: RequestCtx<D, SignedIn>,
  { shownOnce }: Pick<Operation<D>, 'shownOnce'>,
  run: Run<D>,
): Promise<Response> {
  const by = { requestId: ctx.requestId, userId: ownerOf(ctx.principal).id, at: ctx.now };
  const would = await dryRun(ctx.deps.db, async (handle) => {
    const response = await runWithin(ctx, handle, run, []);
    const body = withoutSecrets(await response.text(), shownOnce);
    return {
      status: response.status,
      body: body === '' ? null : JSON.parse(body),
      events: await eventsOfRequest(handle, by),
    };
  });
  const body = { dry_run: true, would } satisfies z.input<typeof DryRun>;
  return Response.json(body, { headers: { 'content-type': withCharset('application/json') } });
}
