import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { ConnectionResponse } from '../../../functions/client/connections/connection-response.ts';
import { rdpFile } from '../../../functions/client/connections/rdp-file.ts';
import { virtViewerFile } from '../../../functions/client/connections/virt-viewer-file.ts';
import { createRdpSigner as signerOf } from '../../../functions/client/rdp-signing.ts';
import { createAuthority } from '../../simulator/authority.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  type Member,
  pool,
  startWorld,
  type World,
} from '../../support/factories.ts';
import { type Relay, startRelay } from '../../support/gateways/first-words.ts';
import { createRdpSigner } from '../../support/gateways/rdp-files.ts';
import {
  hasRdp,
  hasSpice,
  type RdpServer,
  type Screen,
  type SpiceServer,
  startRdpServer,
  startScreen,
  startSpiceServer,
  type Viewer,
} from '../../support/gateways/viewers.ts';
import { requireService } from '../../support/services.ts';

const ticket = 'Ab3'.repeat(16);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'viewers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function stored(content: Uint8Array | string, extension: string): Promise<string> {
  const file = join(folder, `${files++}.${extension}`);
  await writeFile(file, content);
  return file;
}

/** A user, and a node whose pool leads to a real server. */
async function startPath(endpoint: NonNullable<Parameters<typeof pool>[1]>['endpoint'], options = {}) {
  const world: World = await startWorld(options);
  const site = await addSite(world.admin, { authenticators: [world.domain.id] });
  const farm = await addFarm(world.admin, site);
  const { simulator } = await addNode(world, farm, { pools: [pool('Desk', { endpoint: endpoint ?? null })] });
  const member: Member = await addMember(world, []);
  const path = `/aggregator/api/client/v7.0/${site.uri}/connectionInfo/${farm.id}.${simulator.state.poolNamed('Desk').uuid}`;
  return {
    get: async (accept: string) => (await member.ask(`GET ${path}`, undefined, { accept })).body,
    stop: async () => {
      await simulator.close();
      await world.portal.close();
    },
  };
}
type Path = Awaited<ReturnType<typeof startPath>>;

requireService('remote-viewer, Xvfb or qemu', hasSpice)('remote-viewer', () => {
  let screen: Screen;
  let server: SpiceServer;
  let path: Path;
  let relay: Relay | undefined;
  let viewer: Viewer | undefined;
  let ca: string;
  const virtViewer = 'application/x-virt-viewer';

  beforeAll(async () => {
    const authority = await createAuthority('Hypervisors');
    ca = authority.caPem;
    [screen, server] = await Promise.all([startScreen(), startSpiceServer(await authority.issue(), ca)]);
    const spice = { tls_port: server.tlsPort, ca, host_subject: 'CN=dispatcher', fullscreen: false };
    path = await startPath({ host: '127.0.0.1', port: server.port, spice });
  });
  afterEach(async () => {
    await viewer?.stop();
    await relay?.stop();
    relay = undefined;
    await vi.waitFor(async () => expect(await server.channels()).toEqual([]), { timeout: 10_000 });
  });
  afterAll(async () => {
    await path?.stop();
    await server?.stop();
    await screen?.stop();
  });

  const passwordIn = (file: string): string => /^password=(.*)$/m.exec(file)?.[1] ?? '';
  const seen = (atLeast = 4) =>
    vi.waitFor(
      async () => {
        const channels = await server.channels();
        expect(channels.length, viewer?.output()).toBeGreaterThanOrEqual(atLeast);
        return channels;
      },
      { timeout: 15_000, interval: 100 },
    );

  it('opens the file over TLS, is admitted by its password and deletes it', async () => {
    const content: string = await path.get(virtViewer);
    await server.expect(passwordIn(content));
    const file = await stored(content, 'vv');
    viewer = screen.openSpice(file);
    const channels = await seen();
    // Main, display, inputs and cursor.
    expect(new Set(channels.map(({ channel }) => channel))).toEqual(new Set([1, 2, 3, 4]));
    expect(channels.every(({ tls }) => tls)).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it('is refused with the password of another file', async () => {
    await server.expect(passwordIn(await path.get(virtViewer)));
    viewer = screen.openSpice(await stored(await path.get(virtViewer), 'vv'));
    await vi.waitFor(() => expect(server.log.join('\n')).toMatch(/invalid password/i), { timeout: 15_000 });
    expect(await server.channels()).toEqual([]);
  });

  it('does not trust a host of another subject', async () => {
    const content: string = await path.get(virtViewer);
    await server.expect(passwordIn(content));
    const other = content.replace('host-subject=CN=dispatcher', 'host-subject=CN=elsewhere');
    viewer = screen.openSpice(await stored(other, 'vv'));
    await vi.waitFor(() => expect(viewer?.output()).toMatch(/verification failed/), { timeout: 15_000 });
    expect(await server.channels()).toEqual([]);
  });

  it('sends a gateway its ticket for each channel', async () => {
    relay = await startRelay({ to: server.tlsPort, answer: 'HTTP/1.0 200 OK\r\n\r\n' });
    await server.expect('through');
    const gateway = { host: '127.0.0.1', port: relay.port, ticket };
    viewer = screen.openSpice(await stored(virtViewerFile(offered({ gateway, password: 'through' })), 'vv'));
    await seen();
    const credentials = Buffer.from(`ticket:${ticket}`).toString('base64');
    for (const words of relay.beginnings) {
      expect(words).toMatch(/^CONNECT 127\.0\.0\.1:\d+ HTTP\/1\.\d\r\n/);
      expect(words).toContain(`Proxy-Authorization: Basic ${credentials}\r\n`);
    }
    expect(relay.beginnings.length).toBeGreaterThanOrEqual(4);
  });

  const offered = (given: Partial<ConnectionResponse>): ConnectionResponse => ({
    protocol: 'spice',
    method: 'new',
    session_uuid: undefined,
    host: 'gateway.test',
    port: 443,
    username: 'ada',
    domain: 'corp',
    password: undefined,
    expires_in: 60,
    rdp: undefined,
    spice: {
      tls_port: server.tlsPort,
      ca,
      host_subject: 'CN=dispatcher',
      proxy: undefined,
      secure_channels: undefined,
      usb_redirection: undefined,
      fullscreen: false,
      title: undefined,
    },
    ...given,
  });
});

requireService('xfreerdp, Xvfb or xrdp', hasRdp)('FreeRDP', () => {
  let screen: Screen;
  let server: RdpServer;
  let path: Path;

  beforeAll(async () => {
    const certificate = await (await createAuthority('Desks')).issue();
    [screen, server] = await Promise.all([startScreen(), startRdpServer(certificate)]);
    path = await startPath({ host: '127.0.0.1', port: server.port }, { rdpSigning: await createRdpSigner() });
  });
  afterAll(async () => {
    await path?.stop();
    await server?.stop();
    await screen?.stop();
  });

  it('opens the signed file, and connects to the server that it names', async () => {
    const viewer = screen.openRdp(await stored(await path.get('application/x-rdp'), 'rdp'));
    expect([await viewer.ended, viewer.output()]).toEqual([0, expect.any(String)]);
    await vi.waitFor(async () => expect(await server.log()).toMatch(/TLS connection established/));
  });

  it('sends a gateway its ticket before anything else', async () => {
    const relay = await startRelay({ to: server.port });
    const offered: ConnectionResponse = {
      protocol: 'rdp',
      method: 'new',
      session_uuid: undefined,
      host: 'desk.test',
      port: 3389,
      username: 'ada',
      domain: 'corp',
      password: undefined,
      expires_in: 60,
      rdp: undefined,
      spice: undefined,
      gateway: { host: '127.0.0.1', port: relay.port, ticket },
    };
    const sign = await signerOf(await createRdpSigner());
    const viewer = screen.openRdp(await stored(await rdpFile(offered, sign), 'rdp'));
    expect([await viewer.ended, viewer.output()]).toEqual([0, expect.any(String)]);
    // After the TPKT and X.224 headers of eleven bytes.
    expect(relay.beginnings[0]?.slice(11, 11 + ticket.length + 2)).toBe(`${ticket}\r\n`);
    await relay.stop();
  });
});
