import { and, isNotNull } from 'drizzle-orm';
import { workplaces } from '../../../../db/schema/snapshot/workplaces.ts';
import { openSession } from '../../../simulator/data/sessions.ts';
import { seededBroker } from '../../../simulator/openuds/seed.ts';
import { startOpenUds } from '../../../simulator/openuds/start.ts';
import {
  addFarm,
  addGateway,
  addGroup,
  addMember,
  addMonitoringRecord,
  addNode,
  addPicture,
  addPriorityGroup,
  addRole,
  addRule,
  addSite,
  addTemplate,
  addUser,
  addWebhook,
  base,
  create,
  goodPassword,
  type Member,
  memberOf,
  pool,
  type World,
} from '../../factories.ts';
import { readFirst } from '../../fleet/first-reads.ts';
import { addPortal } from '../../fleet/portal-rows.ts';
import { addPeer } from '../../identity/peers.ts';
import { addServiceToken, addServiceUser } from '../../identity/service-tokens.ts';
import { addBroker } from '../../openuds/site.ts';
import type { Json } from '../../portal.ts';
import { addHostilePeople, type HostilePeople } from './people.ts';
import { hostile, hostileTexts } from './values.ts';

/** A portal in which every text that people, programs or other systems set is hostile. */
export type HostileWorld = { people: HostilePeople; member: Member; close(): Promise<void> };

export async function startHostileWorld(world: World, origin: string): Promise<HostileWorld> {
  const people = await addHostilePeople(world);
  const brokers = await addBrokers(world, origin);
  await addRecords(world);
  await addTraces(world);
  await addAgentLines(world);
  const member = await addMember(world, [], '*', {
    ...{ name: hostile(), real_name: hostile(), comments: hostile() },
  });
  await world.admin(`PATCH ${base}/sites/${world.site.id}`, { authenticators: [world.domain.id] });
  const close = async () => {
    await brokers.close();
    await people.close();
  };
  return { people, member, close };
}

/** Pools, workplaces, sessions and tags of a dispatcher and of a broker, as the portal reads them, and rules for them. */
async function addBrokers(world: World, origin: string) {
  const { admin, portal, site } = world;
  const farm = await addFarm(admin, site, { name: hostile(), comments: hostile() });
  const { simulator, dispatcher } = await addNode(world, farm, {
    simulator: { issuer: origin },
    pools: [1, 2].map(() => pool(hostile(), { comments: hostile(), tags: [hostile(64)], workplaces: 2 })),
  });
  for (const workplace of simulator.state.pools.all().flatMap(({ members }) => members)) {
    Object.assign(workplace, { name: hostile(), hostname: hostile() });
    const person = { domain: world.domain.small_name, name: hostile() };
    openSession(simulator.state, workplace, { person, protocol: 'rdp', client_host: hostile() });
  }
  const broker = await startOpenUds({ state: brokerState(), wrongPasswordMs: 0 });
  const { farm: other, node } = await addBroker(world, broker, {
    farm: { name: hostile() },
    // The name of a node is not the address of another one.
    node: { name: '<img hostile src=x onerror=alert(globalThis.hasRun=1)>' },
  });
  await readFirst(portal, node.name);
  await readFirst(portal, dispatcher.name);
  const [own] = simulator.state.pools.all();
  await addRule(admin, site, {
    ...{ name: hostile(), display_name: hostile(), comments: hostile() },
    members: [
      memberOf(farm, { servicepool_uuid: own?.uuid }),
      memberOf(other, { servicepool_uuid: broker.state.pools[0]?.id, priority: 2 }),
    ],
  });
  return {
    close: async () => {
      await simulator.close();
      await broker.close();
    },
  };
}

function brokerState() {
  const users = [{ name: hostile(), groups: ['staff'] }];
  const pools = [{ name: hostile(), groups: ['staff'], desktops: 2, tags: [hostile(64)] }];
  const state = seededBroker({ users, pools });
  for (const desktop of state.desktops)
    Object.assign(desktop, {
      name: hostile(),
      owner: state.users[0]?.id,
      inUse: true,
      inUseAt: 1_700_000_000,
    });
  for (const transport of state.transports) Object.assign(transport, { name: hostile(), label: hostile() });
  return state;
}

/** Records of each kind, as administrators write them. */
async function addRecords(world: World): Promise<void> {
  const { admin, portal, domain, farm } = world;
  const named = () => ({ name: hostile(), comments: hostile() });
  const site = await addSite(admin, named());
  await addGateway(admin, { name: hostile(), sites: [site.id] });
  await addRole(admin, ['sites.read'], named());
  const group = await addGroup(admin, domain, named());
  await addUser(admin, domain, { ...named(), real_name: hostile(), groups: [group.id] });
  await addPriorityGroup(admin, { ...named(), farms: [{ farm_id: farm.id, priority: 1 }] });
  const template = await addTemplate(admin, { name: hostile(), title: hostile(), message: hostile() });
  await admin(`PATCH ${base}/sites/${site.id}`, { maintenance: true, maintenance_template_id: template.id });
  await addWebhook(admin, named());
  await addPicture(admin, { name: hostile() });
  await addPeer(admin, [], { name: hostile() });
  const { user } = await addServiceUser(world, ['sites.read'], { name: hostile() });
  await addServiceToken(world, user, { name: hostile(64) });
  await create(admin, '/api/userinfo/views', { list: 'site', name: hostile(64), query: 'sort=-name' });
  await addPortal(portal, {
    name: hostile(),
    fqdn: hostile(),
    os: hostile(),
    version: hostile(),
    tags: [hostile()],
  });
  const theme = {
    site_name: hostile(64),
    login_text: hostile(),
    footer_text: hostile(),
    copyright: hostile(),
  };
  const stored = (await admin('GET /api/userinfo/themes')).body;
  const { status, body } = await admin('PUT /api/userinfo/themes', { ...stored, ...theme });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** What callers leave in the audit log, the journal and the lists of sessions: names as typed, user agents, messages. */
async function addTraces({ portal, admin, domain }: World): Promise<void> {
  for (const text of hostileTexts) {
    const headers = { 'user-agent': text };
    const wrong = { username: text, password: 'wrong', authId: domain.id };
    await portal.send('POST /api/auth/v7.0/login', { body: wrong, headers, ip: '198.51.100.7' });
    await addMonitoringRecord(admin, {
      ...{ level: 'error', message: text, object_type: 'farm', object_name: text },
      details: { [text]: text, list: [text] },
    });
  }
  const user = await addUser(admin, domain, { name: hostile() });
  for (const text of hostileTexts) {
    const body = {
      username: user.name,
      password: goodPassword,
      authId: domain.id,
      platform: text.slice(0, 32),
    };
    await portal.send('POST /api/auth/v7.0/login', { body, headers: { 'user-agent': text } });
  }
}

/** What the agent of a workplace says of its system, its user and its address, and in lines of its log. */
async function addAgentLines({ admin, portal }: World): Promise<void> {
  const call = async (path: string, body: Json): Promise<Json> => {
    const answer = await portal.send(`POST /api/agent/v7.0/${path}`, { body });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.result;
  };
  const registered = await admin('POST /api/agent/v7.0/register', { hostname: hostile() });
  const [machine] = await portal.db
    .select({ mac: workplaces.unique_id, ip: workplaces.ip })
    .from(workplaces)
    .where(and(isNotNull(workplaces.unique_id), isNotNull(workplaces.ip)))
    .limit(1);
  const own = { type: 'managed', version: hostile(64), token: registered.body.result, id: [machine] };
  const { own_token: token } = await call('initialize', own);
  await call('version', { token, version: hostile(64) });
  await call('login', { token, username: hostile(), session_type: hostile(64) });
  for (const message of hostileTexts) await call('log', { token, level: 'error', message });
}
