import { beforeAll, expect, it } from 'vitest';
import { pool, useStand } from '../../support/factories.ts';
import { settingsOf } from '../../support/gateways/rdp-files.ts';
import { startTicketStand } from '../../support/gateways/tickets.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(() => startTicketStand({ pools: [pool('Office', { protocols: ['rdp', 'spice'] })] }));
let gateway: Json;
beforeAll(async () => {
  gateway = await stand.gateway();
});

it('an .rdp file contains the gateway address and a ticket that the gateway accepts', async () => {
  const { status, body } = await stand.connect({ headers: { accept: 'application/x-rdp' } });
  const settings = settingsOf(body);
  expect([status, settings['full address']]).toEqual([200, `s:${gateway.host}:${gateway.port}`]);
  const ticket = settings.loadbalanceinfo?.slice('s:'.length) ?? '';
  expect(ticket).toMatch(/^[A-Za-z0-9]{48}$/);
  expect(await stand.use(ticket, gateway)).toMatchObject({ status: 200, body: { port: 3389 } });
});

it('a .vv file has the ticket as the password for the gateway', async () => {
  const { status, body } = await stand.connect({ headers: { accept: 'application/x-virt-viewer' } });
  const [, ticket = ''] = /^proxy=http:\/\/ticket:([A-Za-z0-9]{48})@/m.exec(body) ?? [];
  expect([status, body]).toEqual([200, expect.stringContaining(`\nhost=${gateway.host}\n`)]);
  expect(body).toContain(`@${gateway.host}:${gateway.port}\n`);
  expect(await stand.use(ticket, gateway)).toMatchObject({ status: 200 });
  expect(JSON.stringify(stand.world.portal.log)).not.toContain(ticket);
});
