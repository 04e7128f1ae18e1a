import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { claimDue, recordOutcome } from '../../../db/repositories/webhooks/attempts.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { webhookDeliveries } from '../../../db/schema/webhooks/deliveries.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { useWorld } from '../../support/factories.ts';
import { webhookStand } from '../../support/webhooks/stand.ts';

const world = useWorld();

it('attempts that end at once with a pause are all recorded', async () => {
  const { db } = world.portal;
  const stand = webhookStand(world);
  try {
    const { webhook } = await stand.add({ events: ['tag.created'] });
    const values = Array.from({ length: 300 }, () => ({
      ...{ id: newId(), webhook_id: webhook.id, event: 'tag.created', kind: 'tag', occurred_at: new Date() },
    }));
    await db.insert(webhookDeliveries).values(values.toSorted(() => Math.random() - 0.5));
    const claimed = await claimDue(db, {}, 40);
    expect(claimed).toHaveLength(40);
    const outcome = { state: 'waiting', status: 429, error: null, duration_ms: 5 } as const;
    await Promise.all(
      claimed.map((one) =>
        recordOutcome(db, one, { ...outcome, delay_ms: 60_000, pause_ms: 60_000 }, new Date()),
      ),
    );
    const rows = await db
      .select({ due: webhookDeliveries.due_at, status: webhookDeliveries.status })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhook_id, webhook.id));
    expect(rows.filter(({ status }) => status === 429)).toHaveLength(40);
    const journal = await db
      .select()
      .from(monitoringRecords)
      .where(eq(monitoringRecords.object_id, webhook.id));
    expect(journal).toMatchObject([{ code: 'webhook_failing', details: { status: 429, error: null } }]);
    expect(Math.min(...rows.map(({ due }) => due.getTime()))).toBeGreaterThan(Date.now() + 30_000);
  } finally {
    await stand.close();
  }
});
