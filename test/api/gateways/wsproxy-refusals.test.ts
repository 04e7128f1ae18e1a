import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everyOperation } from '../../contract/generated/described.ts';
import { oddSegments } from '../../contract/generated/hostile.ts';
import { expectProblem } from '../../contract/support/problems.ts';
import { expectHarmless } from '../../contract/support/unharmed.ts';
import { useStand } from '../../support/factories.ts';
import { clientIp, startTicketStand, type TicketStand, wsproxy } from '../../support/gateways/tickets.ts';
import { type Json, startPortal } from '../../support/portal.ts';

const stand = useStand(startTicketStand);
let gateway: Json;

beforeEach(async () => {
  gateway = await stand.gateway();
});
afterEach(() => stand.clear());

const operationOf = (id: string) => {
  const operation = everyOperation.find((one) => one.id === id);
  if (!operation) throw new Error(`there is no ${id}`);
  return operation;
};
const send: TicketStand['world']['portal']['send'] = (...asked) => stand.world.portal.send(...asked);
const pathsTo = (ticket: string, ip: string, token: string) =>
  [
    [`${wsproxy}/ticket/${ticket}/${ip}/${token}`, operationOf('tunnel.begin')],
    [`${wsproxy}/ticket/${ticket}/stop/${token}`, operationOf('tunnel.end')],
  ] as const;

describe('a request of a gateway', () => {
  it('is refused with the same error for every cause', async () => {
    const ticket = await stand.ticketOf(gateway);
    const used = await stand.ticketOf(gateway);
    const { notify } = (await stand.use(used, gateway)).body;
    for (let more = 1; more < 4; more++) await stand.use(used, gateway);
    await stand.stop(notify, gateway);
    const refused = [
      await stand.use(used, gateway),
      await stand.use(ticket, gateway, '198.51.100.1'),
      await stand.use(ticket, { token: 'x' }),
      await stand.use('x', gateway),
      await stand.use(ticket, { token: 'x'.repeat(129) }),
      await stand.stop(notify, gateway),
      await stand.stop(notify, gateway, '?sent=x'),
      await send(`GET ${wsproxy}/ticket/${ticket}/${clientIp}/${gateway.token}?a=1&a=2`),
    ];
    const bodies = refused.map(({ body: { instance: _, ...body } }) => body);
    for (const answer of refused) expectProblem(answer, 'forbidden', operationOf('tunnel.begin'));
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect((await stand.use(ticket, gateway)).status).toBe(200);
  });

  it('needs no session and accepts none', async () => {
    const { token } = stand.member;
    for (const [path, operation] of pathsTo('A'.repeat(48), clientIp, 'B'.repeat(48)))
      for (const given of [token, 'x', undefined])
        expectProblem(await send(`GET ${path}`, { token: given }), 'forbidden', operation);
  });

  it('may have unknown parameters', async () => {
    const ticket = await stand.ticketOf(gateway);
    const path = `${wsproxy}/ticket/${ticket}/${clientIp}/${gateway.token}/?version=4&node=7`;
    expect((await send(`GET ${path}`)).status).toBe(200);
  });

  it('with a malformed body is refused like any other', async () => {
    for (const segment of oddSegments)
      for (const [path, operation] of [
        ...pathsTo(segment, clientIp, gateway.token),
        ...pathsTo('A'.repeat(48), segment, gateway.token),
        ...pathsTo('A'.repeat(48), clientIp, segment),
      ]) {
        const answer = await send(`GET ${path}`);
        expectHarmless(answer, operation, path);
        expect([403, 404], path).toContain(answer.status);
      }
  });

  it('is refused over plain HTTP and above the rate limit of its address', async () => {
    const [[path = '', operation] = []] = pathsTo('A'.repeat(48), clientIp, 'B'.repeat(48));
    expectProblem(await send(`GET ${path}`, { secure: false }), 'https_required', operation);
    const ip = '198.51.100.77';
    const limit = { limits: { anonymous_per_ip_per_minute: { value: 60 } } };
    expect((await stand.world.admin('PUT /api/webui/aggregator/tconfig', limit)).status).toBe(200);
    stand.world.portal.advance(5);
    await send(`GET ${path}`, { ip });
    await stand.world.portal.settled();
    const statuses: number[] = [];
    for (let n = 0; n < 70; n++) statuses.push((await send(`GET ${path}`, { ip })).status);
    expect([...new Set(statuses)]).toEqual([403, 429]);
  });

  it('is served by the user portal, and by no administrator portal', async () => {
    const other = await startPortal({ portalType: 'admin' });
    for (const [path] of pathsTo('A'.repeat(48), clientIp, 'B'.repeat(48)))
      expectProblem(await other.send(`GET ${path}`), 'not_found');
    expectProblem(await other.send(`POST ${wsproxy}/heartbeat`, { body: {} }), 'not_found');
    await other.close();
  });
});
