import { eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { providerGrants } from '../../../../db/schema/identity/providers/grants.ts';
import { createAuthority } from '../../../simulator/authority.ts';
import { addProvider, base, startWorld, useStand, type World } from '../../../support/factories.ts';
import {
  addCheckedSessions,
  type RefreshServer,
  startRefreshServer,
} from '../../../support/federation/checked-sessions.ts';
import { checkTaskOf } from '../../../support/federation/checks.ts';
import type { Json } from '../../../support/portal.ts';

const people = 40;

describe('checks of many sessions at two providers', () => {
  const stand = useStand(async () => {
    const world = await startWorld();
    const authority = await createAuthority('Identity provider');
    const [well, ill] = await Promise.all([startRefreshServer(authority), startRefreshServer(authority)]);
    const close = () => Promise.all([world.portal.close(), well.close(), ill.close()]);
    const at = async (server: RefreshServer) => ({ server, domain: await domainAt(world, server) });
    return { world, well: await at(well), ill: await at(ill), close };
  });
  let made = 0;

  async function signIn({ server, domain }: { server: RefreshServer; domain: Json }): Promise<void> {
    const { database, deps } = stand.world.portal;
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    const at = { id: domain.id, issuer: server.issuer };
    await addCheckedSessions(client, deps.sealer, at, { count: people, prefix: `person-${++made}-` });
    await client.end();
  }
  const grantsOf = ({ domain }: { domain: Json }) =>
    stand.world.portal.ownerDb
      .select({ failing: sql<boolean>`failing_since is not null`, due: sql<boolean>`next_check_at <= now()` })
      .from(providerGrants)
      .where(eq(providerGrants.authenticator_id, domain.id));
  const change = ({ domain }: { domain: Json }, set: Record<string, unknown>) =>
    stand.world.portal.ownerDb
      .update(providerGrants)
      .set({ next_check_at: sql`now() - interval '1 second'`, ...set })
      .where(eq(providerGrants.authenticator_id, domain.id));
  const journalOf = async ({ domain }: { domain: Json }): Promise<string[]> => {
    const answer = await stand.world.admin(`GET ${base}/monitoring?object_id=${domain.id}&sort=at`);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body.items.map(({ code }: Json) => code);
  };

  it('do not wait for a provider that hangs, which is asked one question at a time', async () => {
    const { world, well, ill } = stand;
    await signIn(well);
    await signIn(ill);
    ill.server.mode = 'nothing';
    const round = checkTaskOf(world.portal);
    const rounds = round();
    await expect.poll(async () => (await grantsOf(well)).filter(({ due }) => due).length).toBe(0);
    await expect.poll(() => [well.server.asked, ill.server.asked]).toEqual([people, 4]);
    ill.server.fail();
    await rounds;
    expect(ill.server.asked).toBeLessThan(10);
    expect(await grantsOf(ill)).toEqual(
      Array.from({ length: people }, () => ({ failing: true, due: false })),
    );
    expect(await journalOf(ill)).toEqual(['provider_failing']);
    expect(await journalOf(well)).toEqual([]);

    // The provider answers again: one question, and then all of them.
    ill.server.mode = 'tokens';
    await change(ill, {});
    await round();
    expect(await grantsOf(ill)).toEqual(
      Array.from({ length: people }, () => ({ failing: false, due: false })),
    );
    expect(await journalOf(ill)).toEqual(['provider_failing', 'provider_answers']);
  });

  it('end all sessions of a provider that has failed for two hours, without a question for each', async () => {
    const { world, ill } = stand;
    await stand.world.portal.ownerDb.delete(providerGrants);
    await signIn(ill);
    await change(ill, { failing_since: sql`now() - interval '121 minutes'` });
    const before = ill.server.asked;
    ill.server.mode = 'nothing';
    const round = checkTaskOf(world.portal)();
    await expect.poll(() => ill.server.asked - before).toBe(4);
    ill.server.fail();
    await round;
    expect(ill.server.asked - before).toBeLessThan(10);
    expect(await grantsOf(ill)).toEqual([]);
  });

  it('that are late are in the journal, and their end is', async () => {
    const { world, well } = stand;
    await signIn(well);
    await change(well, { checked_at: sql`now() - interval '1 hour'` });
    await checkTaskOf(world.portal)();
    await change(well, {});
    await checkTaskOf(world.portal)();
    expect(await journalOf(well)).toEqual(['provider_checks_late', 'provider_checks_in_time']);
  });
});

const domainAt = (world: World, { issuer, caPem }: RefreshServer): Promise<Json> =>
  addProvider(world.admin, {
    issuer,
    client_secret: 'a secret',
    ca_certificate: caPem,
    groups_claim: '',
    recheck: true,
    timeout_s: 30,
  });
