import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portalAccount, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import { type GuardedWorkers, startGuardedWorkers } from '../../support/workers/guarded-workers.ts';
import type { Json } from '../../support/workers/local-workers.ts';

const webui = '/api/webui/aggregator';
const password = 'correct horse battery staple';
const alicePassword = 'seven purple lanterns drift';

describe('an OpenUDS broker called by Workers', () => {
  let workers: GuardedWorkers;
  let broker: Broker;
  let admin: string;
  beforeAll(async () => {
    workers = await startGuardedWorkers(password);
    const users = [{ name: 'alice', groups: ['staff'] }];
    const pools = [
      { name: 'Large', groups: ['staff'], desktops: 3_000 },
      { name: 'Studio', groups: ['staff'], transports: ['spice' as const] },
    ];
    const state = seededBroker({ users, pools });
    broker = await startOpenUds({ state, authority: workers.authority, wrongPasswordMs: 0 });
    admin = await workers.login('admin', password, 'builtin');
  });
  afterAll(async () => {
    await workers?.stop();
    await broker?.close();
  });
  async function create(path: string, body: object): Promise<Json> {
    const answer = await workers.send(`POST ${webui}${path}`, { token: admin, body });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  it('is tested, read in long lists, and connects users by tickets and links', async () => {
    const domain = await create('/authenticators', { name: 'Staff', small_name: 'staff', type: 'internal' });
    await create(`/authenticators/${domain.id}/users`, { name: 'Alice', password: alicePassword });
    const site = await create('/sites', { name: 'North', uri: 'north', authenticators: [domain.id] });
    const identity_domains = [{ label: 'staff', node_label: 'corp', user_names: 'lower_case' }];
    const farm = await create('/farms', { name: 'Farm', site_id: site.id, identity_domains });
    const node = await create('/dispatchers', {
      ...{ name: 'broker', kind: 'openuds', farm_id: farm.id, account_domain: 'corp' },
      ...{ account_name: portalAccount.name, account_password: portalAccount.password },
      url: broker.url.replace('127.0.0.1', 'localhost'),
    });
    const test = await workers.send(`POST ${webui}/dispatchers/${node.id}/test`, { token: admin });
    expect(test.body).toMatchObject({ success: true, pools: 2, version: '3.6.0' });
    const list = await workers.send(`GET ${webui}/workplaces?refresh=true&count=exact&limit=1`, {
      token: admin,
    });
    expect(list.body).toMatchObject({ total: 3_000 });
    const alice = await workers.login('Alice', alicePassword, 'staff');
    const client = '/aggregator/api/client/v7.0/north';
    const services = await workers.send(`GET ${client}/servicesList/`, { token: alice });
    const studio = services.body.services.find(({ name }: Json) => name === 'Studio');
    const connection = await workers.send(`GET ${client}/connectionInfo/${studio.id}`, { token: alice });
    expect(connection.body).toMatchObject({
      method: 'link',
      link: expect.stringMatching(/^udss:\/\/localhost:\d+\/\w+\/\w+$/),
    });
  }, 60_000);
});
