import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConnectionResponse } from '../../../functions/client/connections/connection-response.ts';
import { rdpFile } from '../../../functions/client/connections/rdp-file.ts';
import { virtViewerFile } from '../../../functions/client/connections/virt-viewer-file.ts';
import { linesOf, settingsOf } from '../../support/gateways/rdp-files.ts';

const plain: ConnectionResponse = {
  protocol: 'rdp',
  method: 'new',
  session_uuid: undefined,
  host: 'desk.test',
  port: 3389,
  username: 'ada',
  domain: 'corp',
  password: 'once',
  expires_in: 60,
  rdp: undefined,
  spice: undefined,
};
const spice = {
  tls_port: undefined,
  ca: undefined,
  host_subject: undefined,
  proxy: undefined,
  secure_channels: undefined,
  usb_redirection: undefined,
  fullscreen: undefined,
  title: undefined,
};

/** Characters that may end a line, or begin another. */
const hostile = fc.string({
  unit: fc.constantFrom(...'a:=[]\\;# \r\n\t\0\u0085\u2028\u2029\u000b\u000c\ud800\ufeffä'),
});
const gateway = { host: 'gw.test', port: 443, ticket: 'T'.repeat(48) };

/** Characters at which readers may split texts. */
const anyLineEnd = /[\p{Cc}\p{Zl}\p{Zp}]/u;

describe('an .rdp file', () => {
  it('has the same settings for any texts', () =>
    fc.assert(
      fc.asyncProperty(hostile, hostile, async (username, domain) => {
        const names = Object.keys(settingsOf(await rdpFile(plain, undefined)));
        const file = await rdpFile({ ...plain, username, domain }, undefined);
        expect(Object.keys(settingsOf(file))).toEqual(names);
        for (const line of linesOf(file)) expect(line.split(anyLineEnd)).toHaveLength(1);
      }),
    ));

  it('sends the ticket of a gateway to the gateway', async () => {
    const settings = settingsOf(await rdpFile({ ...plain, gateway }, undefined));
    expect(settings).toMatchObject({
      'full address': 's:gw.test:443',
      'alternate full address': 's:gw.test:443',
      'server port': 'i:443',
      loadbalanceinfo: `s:${gateway.ticket}`,
      'autoreconnection enabled': 'i:0',
    });
    expect(settings).not.toHaveProperty('redirectclipboard');
  });

  it.each([
    ['1280x1024', { 'screen mode id': 'i:1', desktopwidth: 'i:1280', desktopheight: 'i:1024' }],
    ['fullscreen', { 'screen mode id': 'i:2' }],
  ])('has the screen %s', async (screen_size, expected) => {
    const rdp = {
      screen_size,
      color_depth: 24,
      multimon: true,
      redirect: undefined,
      certificate_fingerprint: undefined,
    };
    const settings = settingsOf(await rdpFile({ ...plain, rdp }, undefined));
    expect(settings).toMatchObject({ ...expected, 'session bpp': 'i:24', 'use multimon': 'i:1' });
  });
});

describe('a .vv file', () => {
  const membersOf = (offered: ConnectionResponse): [string, string][] => {
    const [head, ...lines] = Buffer.from(virtViewerFile(offered)).toString().trimEnd().split('\n');
    expect(head).toBe('[virt-viewer]');
    return lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  };

  it('has the same keys for any texts, and reads them back as one line each', () =>
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (title, subject, password, ca) => {
        const offered = { ...plain, password, spice: { ...spice, title, host_subject: subject, ca } };
        const members = membersOf(offered);
        expect(members.map(([name]) => name)).toEqual([
          'type',
          'host',
          'port',
          'password',
          'ca',
          'host-subject',
          'title',
          'delete-this-file',
        ]);
        for (const [, value] of members) {
          expect(value.split(anyLineEnd)).toHaveLength(1);
          // Of a key file of GLib: every backslash begins one of its escapes.
          expect(value.replaceAll(/\\[sntr\\]/g, '')).not.toContain('\\');
        }
        // Only a certificate has line breaks.
        expect(Object.fromEntries(members).title?.replaceAll('\\\\', '')).not.toContain('\\n');
      }),
    ));

  it('has no channel without TLS where only a TLS port is given', () => {
    const tls = membersOf({ ...plain, spice: { ...spice, tls_port: 5901 } });
    expect(tls.map(([name]) => name)).not.toContain('port');
    const both = membersOf({
      ...plain,
      spice: { ...spice, tls_port: 5901, secure_channels: ['main', 'inputs'] },
    });
    expect(Object.fromEntries(both)).toMatchObject({
      port: '3389',
      'tls-port': '5901',
      'secure-channels': 'main;inputs',
    });
  });

  it('uses the gateway with its ticket in place of any other proxy', () => {
    const offered = { ...plain, gateway, spice: { ...spice, proxy: 'http://proxy.test:3128' } };
    expect(Object.fromEntries(membersOf(offered))).toMatchObject({
      host: 'gw.test',
      port: '443',
      proxy: `http://ticket:${gateway.ticket}@gw.test:443`,
    });
    const secure_channels = ['main'];
    const safe = { ...plain, gateway, spice: { ...spice, tls_port: 443, secure_channels } };
    expect(Object.fromEntries(membersOf(safe))).toMatchObject({ host: 'gw.test', 'tls-port': '443' });
    expect(Object.fromEntries(membersOf(safe))).not.toHaveProperty('port');
    const own = { ...plain, spice: { ...spice, proxy: 'http://proxy.test:3128' } };
    expect(Object.fromEntries(membersOf(own))).toMatchObject({
      host: 'desk.test',
      proxy: 'http://proxy.test:3128',
    });
  });
});
