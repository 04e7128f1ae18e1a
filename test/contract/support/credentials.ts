import { agentRegistrations, workplaceAgents } from '../../../db/schema/agents/agents.ts';
import { sessionAgents } from '../../../db/schema/agents/session-agents.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { newSessionAgentToken } from '../../../shared/access/agent-tokens.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { addPart, addWorkplaces } from '../../support/fleet/snapshot-rows.ts';
import type { TestPortal } from '../../support/portal.ts';
import { everyOperation, type Registered } from '../generated/described.ts';
import { createGround } from '../generated/ground.ts';

/** The credentials of operations that are sent in a header in place of a session token. */
export type Credentials = {
  /** Headers for a request of the operation; none for most. */
  of(operation: Registered): Record<string, string>;
  /** Renews a credential that a request has ended. */
  renew(operation: Registered): Promise<void>;
};

/** Creates a gateway, and a session agent for each operation, because an agent has a quota. */
export async function createCredentials(
  portal: Pick<TestPortal, 'send' | 'db'>,
  token: string,
): Promise<Credentials> {
  const ground = createGround(portal, token);
  const made = async (collection: string) =>
    (await ground.valuesFor(`/api/webui/aggregator/${collection}/{id}`)).last;
  const [gateway, farm] = [await made('gateways'), await made('farms')];
  if (!gateway || !farm) throw new Error('gateways and farms have no operation that creates them');
  const tokens = new Map(everyOperation.map(({ id }) => [id, newSessionAgentToken()]));
  const agents = await addSessionAgents(portal, farm, tokens);
  return {
    of: ({ credential, id, module }) =>
      credential?.in === 'header'
        ? { authorization: `Bearer ${module === 'ssa' ? tokens.get(id) : gateway.shown.token}` }
        : {},
    renew: async ({ id }) => {
      const own = agents.filter(({ token_hash }) => token_hash === sha256(tokens.get(id) ?? ''));
      await portal.db.insert(sessionAgents).values(own).onConflictDoNothing();
    },
  };
}

async function addSessionAgents(
  { db }: Pick<TestPortal, 'db'>,
  farm: { id: string },
  tokens: Map<string, string>,
) {
  await addPart(db, farm, 'workplaces');
  await addWorkplaces(db, farm, ['agent']);
  const [workplace] = await db.select({ uuid: workplaces.uuid }).from(workplaces);
  const [id, agent_id, created_at] = [newId(), newId(), new Date()];
  await db.insert(agentRegistrations).values({ id, name: id, machine: id, token_hash: id, created_at });
  await db.insert(workplaceAgents).values({
    id: agent_id,
    registration_id: id,
    farm_id: farm.id,
    workplace_uuid: workplace?.uuid ?? '',
    token_hash: agent_id,
    created_at,
  });
  const agents = [...tokens.values()].map((token) => ({
    id: newId(),
    agent_id,
    session_uuid: newId(),
    user_name: 'grace',
    user_key: 'grace',
    token_hash: sha256(token),
    created_at,
    last_seen_at: created_at,
  }));
  await db.insert(sessionAgents).values(agents);
  return agents;
}
