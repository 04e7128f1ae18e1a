import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createAuthority } from '../../simulator/authority.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { RunningGateway } from '../../support/gateways/gateway.ts';
import { type GatewayStand, startGatewayStand } from '../../support/gateways/stand.ts';
import {
  hasSpice,
  type Screen,
  type SpiceServer,
  startScreen,
  startSpiceServer,
  type Viewer,
} from '../../support/gateways/viewers.ts';
import { requireService } from '../../support/services.ts';

requireService('remote-viewer, Xvfb or qemu', hasSpice)('remote-viewer through a gateway', () => {
  let folder: string;
  let screen: Screen;
  let server: SpiceServer;
  let gateways: GatewayStand;
  let viewer: Viewer | undefined;
  let running: RunningGateway | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'viewers-'));
    const authority = await createAuthority('Hypervisors');
    const ca = authority.caPem;
    [screen, server] = await Promise.all([startScreen(), startSpiceServer(await authority.issue(), ca)]);
    const spice = { tls_port: server.tlsPort, ca, host_subject: 'CN=dispatcher', fullscreen: false };
    gateways = await startGatewayStand({ host: '127.0.0.1', port: server.port, spice });
  });
  afterAll(async () => {
    await viewer?.stop();
    await running?.close();
    await gateways?.close();
    await server?.stop();
    await screen?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('opens the display by one ticket for all channels, and the bytes are reported', async () => {
    const { stand } = gateways;
    const { registered, ...opened } = await gateways.open();
    running = opened.running;
    const stats = async () => (await stand.shown(registered)).stats;
    const headers = { accept: 'application/x-virt-viewer' };
    const content: string = (await stand.connect({ ip: '127.0.0.1', headers })).body;
    expect(content).not.toContain(String(server.tlsPort));
    await server.expect(/^password=(.*)$/m.exec(content)?.[1] ?? '');
    const file = join(folder, 'workplace.vv');
    await writeFile(file, content);
    viewer = screen.openSpice(file);
    const reached = async () => {
      const channels = (await server.channels()).map(({ channel }) => channel);
      // Main, display, inputs and cursor.
      expect(channels, viewer?.output()).toEqual(expect.arrayContaining([1, 2, 3, 4]));
    };
    await vi.waitFor(reached, { timeout: 15_000, interval: 100 });
    expect((await stats()).connections).toBeGreaterThanOrEqual(4);

    await viewer.stop();
    const ended = async () => expect(await stats()).toMatchObject({ connections: 0 });
    await vi.waitFor(ended, { timeout: 10_000, interval: 100 });
    const { sent, received } = await stats();
    expect([sent > 0, received > 0]).toEqual([true, true]);
    await syncAll(stand.world.portal, stand.farm);
    const { items } = (await stand.world.admin('GET /api/webui/aggregator/spsessions')).body;
    expect(items).toMatchObject([{ gateway_id: registered.id, tunnels: { connections: 0, sent, received } }]);
  }, 40_000);
});
