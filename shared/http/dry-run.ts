import { z } from 'zod';
import { rehearse } from '../../db/client.ts';
import { eventsWritten } from '../../db/repositories/written-events.ts';
import { ownerOf, type SignedIn } from '../access/principal.ts';
import type { BaseDeps, Ctx } from './context.ts';
import type { Operation } from './operation.ts';
import { type Run, runWithin, withoutSecrets } from './transactional.ts';

/** What a write would do: the answer it would give, and the audit events it would leave. */
export const DryRun = z
  .strictObject({
    dry_run: z.literal(true),
    would: z.strictObject({
      status: z.int().meta({ example: 204 }),
      body: z.unknown().meta({ description: 'The answer, `null` when it has no body', example: null }),
      events: z.array(
        z.strictObject({
          event: z.string(),
          action: z.string().nullable(),
          object_type: z.string().nullable(),
          object_id: z.string().nullable(),
          object_name: z.string().nullable(),
          changes: z.array(z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() })),
        }),
      ),
    }),
  })
  .meta({ id: 'DryRun' });

/** Runs a write, takes it back, and answers what it would have done. It is refused as the write itself would be. */
export async function describeWrite<D extends BaseDeps>(
  ctx: Ctx<D, SignedIn>,
  { shownOnce }: Pick<Operation<D>, 'shownOnce'>,
  run: Run<D>,
): Promise<Response> {
  const by = { requestId: ctx.requestId, userId: ownerOf(ctx.principal).id, at: ctx.now };
  const would = await rehearse(ctx.deps.db, async (handle) => {
    const response = await runWithin(ctx, handle, run, []);
    const body = withoutSecrets(await response.text(), shownOnce);
    return {
      status: response.status,
      body: body === '' ? null : JSON.parse(body),
      events: await eventsWritten(handle, by),
    };
  });
  return Response.json({ dry_run: true, would } satisfies z.input<typeof DryRun>);
}
