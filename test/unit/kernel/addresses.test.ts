import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAddress, isSafeLink, spellingOf } from '../../../shared/kernel/addresses/check.ts';
import { parseHost, parsePeer, urlHost } from '../../../shared/kernel/addresses/hosts.ts';
import { type ProfileName, profiles } from '../../../shared/kernel/addresses/profiles.ts';
import { splitQuery, withQuery } from '../../../shared/kernel/addresses/secret-query.ts';

describe('the stored spelling of a host', () => {
  it.each([
    ['gw.example.com', 'gw.example.com'],
    [' GW.Example.com\n', 'gw.example.com'],
    ['gw.example.com.', 'gw.example.com'],
    ['WIN_10-042', 'win_10-042'],
    ['_service.example.com', '_service.example.com'],
    ['шлюз.рф', 'xn--g1ah2bza.xn--p1ai'],
    ['ШЛЮЗ。РФ。', 'xn--g1ah2bza.xn--p1ai'],
    ['xn--g1ah2bza.xn--p1ai', 'xn--g1ah2bza.xn--p1ai'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3.', '10.1.2.3'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::ffff:10.0.0.1', '::ffff:a00:1'],
    ['a'.repeat(63), 'a'.repeat(63)],
  ])('of %j is %s', (text, host) => {
    expect(parseHost(text)).toBe(host);
    expect(parseHost(host)).toBe(host);
  });

  it.each([
    ...['', ' ', '.', 'gw..example.com', 'gw.example.com..', '-gw', 'gw-', 'a b', 'a\tb', 'a\nb', 'a*b'],
    ...[
      'gw:443',
      'gw/path',
      'u@gw',
      'gw?x',
      'gw#x',
      'gw\\x',
      'https://gw',
      '10.0.0.0/8',
      'a,b',
      "a'b",
      'a=b',
    ],
    ...['10.1', '0x7f.1', '2130706433', '0177.0.0.1', '１０.1.2.3', '256.1.1.1', '1.2.3.4.5', 'gw.1'],
    ...['fe80::1%eth0', '[fe80::1%25eth0]', '[::1', '::1]', '[gw]', '1::2::3', '\u0000'],
    ...['a'.repeat(64), 'abcdefgh.'.repeat(29)],
  ])('does not exist for %j', (text) => {
    expect(parseHost(text)).toBeUndefined();
  });

  it('is the host that URL parsers connect to', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.webAuthority()), (text) => {
        const host = parseHost(text);
        if (host !== undefined) expect(new URL(`https://${urlHost(host)}/`).hostname).toBe(urlHost(host));
      }),
    );
  });

  it.each([
    ['KDC.example.com:088', { host: 'kdc.example.com', port: '88' }],
    ['[::1]:88', { host: '::1', port: '88' }],
    ['kdc', { host: 'kdc', port: '' }],
    ['kdc:0', undefined],
    ['kdc:65536', undefined],
    ['::1:88', undefined],
  ])('of %s is divided from its port', (text, peer) => {
    expect(parsePeer(text)).toEqual(peer);
  });
});

const flow =
  'powerautomate/automations/direct/workflows/86ff/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=a-B_c';

describe('an address of the profile', () => {
  it.each<[ProfileName, string, string]>([
    ['node', 'HTTPS://Node.Example.:443/base//', 'https://node.example/base'],
    ['node', 'https://узел.рф:8443', 'https://xn--e1adn3a.xn--p1ai:8443'],
    ['origin', 'https://VDI.example.com/', 'https://vdi.example.com'],
    ['directory', 'LDAPS://DC.Example.com.:0636/', 'ldaps://dc.example.com:636'],
    ['directory', 'ldap://каталог.рф', 'ldap://xn--80aajzhsz.xn--p1ai'],
    ['provider', 'https://Tenant.auth0.com/', 'https://Tenant.auth0.com/'],
    ['endpoint', 'https://login.example.com/authorize?p=b2c', 'https://login.example.com/authorize?p=b2c'],
    ['peer', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['keys', 'https://peer.example.com/', 'https://peer.example.com'],
    // Formats of Power Automate (with its port), Logic Apps, Teams connectors, Azure Functions and Google Chat.
    [
      'webhook',
      `https://d1.09.environment.api.powerplatform.com:443/${flow}`,
      `https://d1.09.environment.api.powerplatform.com/${flow}`,
    ],
    [
      'webhook',
      'https://prod-12.westeurope.logic.azure.com/workflows/1f/triggers/manual/paths/invoke?api-version=2016-10-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=x_Y',
      'https://prod-12.westeurope.logic.azure.com/workflows/1f/triggers/manual/paths/invoke?api-version=2016-10-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=x_Y',
    ],
    [
      'webhook',
      'https://contoso.webhook.office.com/webhookb2/1111@2222/IncomingWebhook/33/44',
      'https://contoso.webhook.office.com/webhookb2/1111@2222/IncomingWebhook/33/44',
    ],
    [
      'webhook',
      'https://contoso.azurewebsites.net/api/Hook?code=aB/c==',
      'https://contoso.azurewebsites.net/api/Hook?code=aB/c==',
    ],
    [
      'webhook',
      'https://chat.googleapis.com/v1/spaces/AAA/messages?key=k-1&token=t%3D',
      'https://chat.googleapis.com/v1/spaces/AAA/messages?key=k-1&token=t%3D',
    ],
    ['webhook', 'https://Hooks.example.com/?…', 'https://hooks.example.com?…'],
    ['link', 'https://d1.example.com/x?a=b#c@d', 'https://d1.example.com/x?a=b#c@d'],
    ['download', 'http://Example.com/?os=linux#deb', 'http://Example.com/?os=linux#deb'],
    ['program', 'http://127.0.0.1:51004/callback?x', 'http://127.0.0.1:51004/callback?x'],
  ])('%s: %s is stored as %s', (profile, text, stored) => {
    expect(checkAddress(text, profile)).toMatchObject({ ok: true, text: stored });
    expect(spellingOf(stored, profile)).toBe(stored);
  });

  it.each<[ProfileName, string]>([
    ['node', 'https://node.example/?a'],
    ['origin', 'https://vdi.example.com/x'],
    ['directory', 'https://dc.example.com'],
    ['directory', 'ldap://dc.example.com/dc=example'],
    ['provider', 'https://login.example.com/?tenant=a'],
    ['endpoint', 'http://login.example.com/token'],
    ['peer', 'ftp://other.example.com'],
    ['keys', 'https://peer.example.com/jwks?a'],
    ['webhook', 'http://hooks.example.com/'],
    ['webhook', 'https://hooks.example.com/#a'],
    ['webhook', 'https://hooks.example.com/?sig=a?…'],
    ['link', 'udss://d1.example.com'],
    ['download', 'javascript:alert(1)'],
    ['download', 'https://example.com/"onmouseover="x'],
    ['program', 'https://127.0.0.1/'],
  ])('%s is not %s', (profile, text) => {
    expect(checkAddress(text, profile).ok).toBe(false);
  });

  it.each(
    Object.keys(profiles) as ProfileName[],
  )('%s contains neither a user name nor a password, nor anything that hides the host', (profile) => {
    for (const protocol of profiles[profile].protocols) {
      expect(checkAddress(`${protocol}//host.example`, profile).ok).toBe(true);
      for (const rest of [
        '//u:p@host',
        '//u@host',
        '//@host',
        '//:@host',
        '//a\\@host',
        '//ho\u200bst',
        '//ho st',
      ])
        expect([rest, checkAddress(`${protocol}${rest}`, profile).ok]).toEqual([rest, false]);
      for (const rest of ['host', '/host', '//', '//:80', '//host:0', '//host:65536', '///host', '//ho\nst'])
        expect([rest, checkAddress(`${protocol}${rest}`, profile).ok]).toEqual([rest, false]);
    }
  });

  it('is refused with the reason', () => {
    expect(checkAddress('https://u:p@host/', 'webhook')).toEqual({
      ok: false,
      detail: 'The URL must not contain a user name or password',
    });
    expect(checkAddress('ftp://host/', 'download')).toMatchObject({
      detail: 'The URL must begin with https:// or http://',
    });
  });
});

describe('a link of a program', () => {
  it.each([
    ['udss://vdi.example.com/a/b', true],
    ['ms-rd:subscribe?url=https://contoso.com', true],
    ['rdp://full%20address=s:mypc:3389&audiomode=i:2&disable%20themes=i:1', true],
    ['rdp://full%20address=s:mypc&username=s:ada@example.com', true],
    ['spice://host:5900?password=x@y', true],
    ['rdp://ada:secret@host', false],
    ['udss://u:p@vdi.example.com/a', false],
    ['vnc://:secret@host', false],
    ['vnc:/u@host', false],
    ['udss:\\\\server', false],
    ['udss://ser ver', false],
  ])('%s may be opened: %s', (link, isSafe) => {
    expect(isSafeLink(link)).toBe(isSafe);
  });
});

it('the query of an address is divided from what may be shown, and joined for a request', () => {
  const text = 'https://hooks.example.com/a?sig=b?c';
  expect(splitQuery(text)).toEqual({ shown: 'https://hooks.example.com/a?…', query: '?sig=b?c' });
  expect(withQuery('https://hooks.example.com/a?…', '?sig=b?c')).toBe(text);
  expect(splitQuery('https://hooks.example.com/a')).toEqual({
    shown: 'https://hooks.example.com/a',
    query: null,
  });
});
