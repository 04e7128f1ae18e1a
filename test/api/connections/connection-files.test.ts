import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRdpSigner as signerOf } from '../../../functions/client/rdp-signing.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  audited,
  type Member,
  pool,
  type SimulatedNode,
  startWorld,
  type World,
} from '../../support/factories.ts';
import {
  createRdpSigner,
  hasOpenssl,
  linesOf,
  type RdpSigner,
  settingsOf,
  verify,
} from '../../support/gateways/rdp-files.ts';
import type { Json } from '../../support/portal.ts';
import { startPortal } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const rdp = 'application/x-rdp';
const virtViewer = 'application/x-virt-viewer';

let signer: RdpSigner;
let world: World;
let member: Member;
let site: Json;
let farm: Json;
let node: SimulatedNode;

beforeAll(async () => {
  signer = await createRdpSigner();
  world = await startWorld({ rdpSigning: signer });
  member = await addMember(world, []);
  site = await addSite(world.admin, { authenticators: [world.domain.id] });
  farm = await addFarm(world.admin, site);
  const ca = '-----BEGIN CERTIFICATE-----\nMII\\x\n-----END CERTIFICATE-----\n';
  node = await addNode(world, farm, {
    pools: [
      pool('Both'),
      pool('Desk', { protocols: ['rdp'] }),
      pool('Six', { endpoint: { host: 'fd00::7', port: 3390 } }),
      pool('Safe', {
        endpoint: { host: 'pve.test', port: 5900, spice: { tls_port: 5901, ca, title: ' a\\b' } },
      }),
      pool('Still', { state: 'preparing', percent: 30 }),
    ],
  });
});
afterAll(async () => {
  await node?.simulator.close();
  await world?.portal.close();
});

const get = (name: string, accept: string, query = '') => {
  const id = `${farm.id}.${node.simulator.state.poolNamed(name).uuid}`;
  const path = `/aggregator/api/client/v7.0/${site.uri}/connectionInfo/${id}${query}`;
  return member.ask(`GET ${path}`, undefined, { accept });
};

describe('an .rdp file', () => {
  it('contains the address and the user name, and no password', async () => {
    const { result, events } = await audited(world.portal, () => get('Both', rdp));
    expect([result.status, result.headers.get('content-type')]).toEqual([200, rdp]);
    expect(result.headers.get('cache-control')).toBe('private, no-store');
    expect(result.headers.get('content-disposition')).toBe(
      'attachment; filename="workplace.rdp"; filename*=UTF-8\'\'workplace.rdp',
    );
    const settings = settingsOf(result.body);
    const [workplace] = node.simulator.state.poolNamed('Both').members;
    expect(settings).toMatchObject({
      'full address': `s:${workplace?.ip}:3389`,
      'alternate full address': `s:${workplace?.ip}:3389`,
      'server port': 'i:3389',
      username: `s:${member.user.name}`,
      domain: `s:${world.domain.small_name}`,
      'prompt for credentials': 'i:1',
      'screen mode id': 'i:2',
      'session bpp': 'i:32',
      redirectclipboard: 'i:1',
      redirectdrives: 'i:0',
      drivestoredirect: 's:',
    });
    expect(linesOf(result.body).filter((line) => /password/i.test(line))).toEqual([]);
    expect(events).toMatchObject([{ event: 'aggregator.ConnectionIssued', details: { protocol: 'rdp' } }]);
  });

  it('puts an IPv6 address in brackets', async () =>
    expect(settingsOf((await get('Six', rdp)).body)['full address']).toBe('s:[fd00::7]:3390'));
});

requireService('openssl', hasOpenssl)('a signed .rdp file', () => {
  it('has a signature that openssl accepts, and rejects when a signed setting is changed', async () => {
    const { body } = await get('Both', rdp);
    await expect(verify(body, signer.caPem)).resolves.toBeUndefined();
    const text: string = body.toString('utf16le');
    for (const [from, to] of [
      ['full address:s:', 'full address:s:1'],
      ['redirectdrives:i:0', 'redirectdrives:i:1'],
      ['prompt for credentials:i:1', 'prompt for credentials:i:0'],
      [',Server Port', ''],
    ] as const) {
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      await expect(verify(Buffer.from(changed, 'utf16le'), signer.caPem)).rejects.toThrow(
        /erification failure/,
      );
    }
    await expect(verify(body, (await createRdpSigner()).caPem)).rejects.toThrow(/erif/);
  });

  it('signs every setting that rdpsign signs, in the same order', async () => {
    const { signscope } = settingsOf((await get('Desk', rdp)).body);
    expect(signscope).toBe(
      's:Full Address,Alternate Full Address,Server Port,Negotiate Security Layer,EnableCredSspSupport,AutoReconnection Enabled,Prompt For Credentials,Authentication Level,AudioMode,RedirectDrives,RedirectPrinters,RedirectSmartCards,RedirectClipboard,DrivesToRedirect',
    );
  });

  it('may be signed by a key in PKCS #1 form', async () => {
    const pkcs1 = createPrivateKey(signer.key).export({ type: 'pkcs1', format: 'pem' }).toString();
    const message = Buffer.from('anything');
    const [older, newer] = await Promise.all([signerOf({ ...signer, key: pkcs1 }), signerOf(signer)]);
    expect(Buffer.from(await older(message)).equals(Buffer.from(await newer(message)))).toBe(true);
  });
});

describe('the key that signs connection files', () => {
  it('is rejected unless key and certificate match, and the error names the variable', async () => {
    const { key } = await createRdpSigner();
    await expect(signerOf({ ...signer, key })).rejects.toThrow(/^RDP_SIGNING_CERT: /);
    await expect(signerOf({ ...signer, key: 'x' })).rejects.toThrow(/^RDP_SIGNING_KEY: /);
    const certificates = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
    await expect(signerOf({ ...signer, certificates })).rejects.toThrow(/^RDP_SIGNING_CERT: /);
    await expect(startPortal({ rdpSigning: { ...signer, key } })).rejects.toThrow(/^RDP_SIGNING_CERT: /);
  });

  it('is optional: files are unsigned without it', async () => {
    const plain = await startWorld();
    try {
      const here = await addSite(plain.admin, { authenticators: [plain.domain.id] });
      const at = await addFarm(plain.admin, here);
      const { simulator } = await addNode(plain, at, { pools: [pool('Office')] });
      const { ask } = await addMember(plain, []);
      const id = `${at.id}.${simulator.state.poolNamed('Office').uuid}`;
      const path = `/aggregator/api/client/v7.0/${here.uri}/connectionInfo/${id}`;
      const { body } = await ask(`GET ${path}`, undefined, { accept: rdp });
      expect(Object.keys(settingsOf(body)).filter((name) => name.startsWith('sign'))).toEqual([]);
      await simulator.close();
    } finally {
      await plain.portal.close();
    }
  });
});

describe('a .vv file', () => {
  it('has a password that works once, and is deleted when the viewer opens it', async () => {
    const { status, headers, body } = await get('Safe', virtViewer);
    expect([status, headers.get('content-type')]).toEqual([200, virtViewer]);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="workplace.vv"; filename*=UTF-8\'\'workplace.vv',
    );
    const [head, ...lines] = body.trimEnd().split('\n');
    const [workplace] = node.simulator.state.poolNamed('Safe').members;
    expect([head, lines.toSorted()]).toEqual([
      '[virt-viewer]',
      [
        'ca=-----BEGIN CERTIFICATE-----\\nMII\\\\x\\n-----END CERTIFICATE-----\\n',
        'delete-this-file=1',
        'enable-usbredir=0',
        'fullscreen=1',
        `host-subject=CN=${workplace?.hostname}`,
        'host=pve.test',
        expect.stringMatching(/^password=[\w-]{20}$/),
        'port=5900',
        'secure-channels=main;inputs;display;cursor',
        'title=\\sa\\\\b',
        'tls-port=5901',
        'type=spice',
      ],
    ]);
    const [, password = ''] = /^password=(.*)$/m.exec(body) ?? [];
    expect(JSON.stringify(world.portal.log)).not.toContain(password);
    expect((await get('Safe', virtViewer)).body).not.toContain(password);
  });
});

describe('the Accept header of a connection', () => {
  it.each([
    ['*/*', 'rdp'],
    ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'rdp'],
    ['application/json', 'rdp'],
  ])('selects JSON for %s', async (accept, protocol) => {
    const { headers, body } = await get('Both', accept);
    expect([headers.get('content-type'), body.protocol]).toEqual([
      'application/json; charset=utf-8',
      protocol,
    ]);
  });

  it('selects the protocol when it names one file type', async () => {
    expect((await get('Both', virtViewer)).body).toContain('type=spice');
    expect((await get('Both', `${rdp}, ${virtViewer}`)).headers.get('content-type')).toBe(rdp);
    const spice = await get('Both', `${rdp}, ${virtViewer}`, '?protocol=spice');
    expect(spice.headers.get('content-type')).toBe(virtViewer);
    const other = await get('Desk', virtViewer);
    expect([other.status, other.body.code]).toEqual([406, 'not_acceptable']);
    const either = await get('Desk', `${virtViewer}, application/json;q=0.5`);
    expect([either.status, either.body.reason_code]).toEqual([409, 'protocol_not_offered']);
    const contrary = await get('Both', virtViewer, '?protocol=rdp');
    expect([contrary.status, contrary.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '?protocol' })],
    ]);
  });

  it('still returns a problem document when there is no connection', async () => {
    const { status, headers, body } = await get('Still', rdp);
    expect([status, body.code, body.percent]).toEqual([409, 'service_in_preparation', 30]);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(headers.get('retry-after')).toBe('2');
  });
});
