import { sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { issuedConnections } from '../../schema/routing/issued-connections.ts';
import { rules } from '../../schema/routing/rules.ts';
import { farms } from '../../schema/sites/farms.ts';

export type IssuedConnection = {
  userId: string;
  ruleId: string;
  farmId: string;
  pool: string;
  at: Date;
  outcome: (typeof issuedConnections.$inferSelect)['outcome'];
};

/** Stores the pool of the last request of a user through a rule; does nothing if the rule or the farm was deleted meanwhile. */
export const storeIssued = (
  h: Db,
  { userId, ruleId, farmId, pool, at, outcome }: IssuedConnection,
): Statement =>
  h
    .insert(issuedConnections)
    .select(
      sql`select ${userId}::uuid, ${rules.id}, ${farms.id}, ${pool}::uuid, ${at.toISOString()}::timestamptz, ${outcome}::text
        from ${rules} cross join ${farms} where ${rules.id} = ${ruleId}::uuid and ${farms.id} = ${farmId}::uuid`,
    )
    .onConflictDoUpdate({
      target: [issuedConnections.user_id, issuedConnections.rule_id],
      set: {
        farm_id: sql`excluded.farm_id`,
        servicepool_uuid: sql`excluded.servicepool_uuid`,
        issued_at: sql`excluded.issued_at`,
        outcome: sql`excluded.outcome`,
      },
    });
