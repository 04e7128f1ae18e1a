import { describe, expect, it } from 'vitest';
import type { SiteGateway } from '../../../db/repositories/gateways/site-gateways.ts';
import { chooseGateway, isCutOff } from '../../../functions/client/connections/gateway-route.ts';
import { randomAlphanumerics } from '../../../shared/kernel/crypto/digests.ts';
import { isInside, plainAddress } from '../../../shared/kernel/networks.ts';

const gateway = (id: string, given: Partial<SiteGateway> = {}): SiteGateway => ({
  id,
  name: id,
  host: `${id}.example.com`,
  port: 443,
  protocols: ['rdp', 'spice'],
  networks: [],
  priority: 1,
  online: true,
  alive: true,
  ...given,
});
const traveller = { ip: '203.0.113.7', protocol: 'rdp' };

describe('the choice of a gateway', () => {
  it('is random among equal ones', () => {
    const three = ['a', 'b', 'c'].map((id) => gateway(id));
    const chosen = [0, 0.3, 0.4, 0.6, 0.7, 0.999].map((at) => chooseGateway(three, traveller, () => at)?.id);
    expect(chosen).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  });

  it('depends on priority, then on heartbeats, before chance', () => {
    const all = [gateway('c', { priority: 2 }), gateway('b', { online: false }), gateway('a')];
    for (const at of [0, 0.5, 0.999]) expect(chooseGateway(all, traveller, () => at)?.id).toBe('a');
    expect(chooseGateway(all.slice(0, 2), traveller, () => 0)?.id).toBe('b');
  });

  it('is empty when no gateway serves the client', () => {
    const choose = (given: Partial<SiteGateway>, who = {}) =>
      chooseGateway([gateway('a', given)], { ...traveller, ...who }, () => 0)?.id;
    expect(chooseGateway([], traveller, () => 0)).toBeUndefined();
    expect(choose({ protocols: ['spice'] })).toBeUndefined();
    expect(choose({ networks: ['203.0.113.8/32'] })).toBeUndefined();
    expect(choose({ networks: ['0.0.0.0/0'] }, { ip: '2001:db8::1' })).toBeUndefined();
    expect(choose({ networks: ['0.0.0.0/0'] }, { ip: undefined })).toBeUndefined();
    expect(choose({}, { ip: undefined })).toBe('a');
    expect(choose({ networks: ['198.51.100.0/24', '203.0.113.0/24'] })).toBe('a');
  });
});

describe('clients cannot connect', () => {
  const away = { alive: false, online: false };

  it('where the gateways for them are all offline', () => {
    expect(isCutOff([gateway('a', away), gateway('b', away)], traveller)).toBe(true);
    expect(isCutOff([gateway('a', away), gateway('b')], traveller)).toBe(false);
    expect(isCutOff([gateway('a', { ...away, networks: ['198.51.100.0/24'] })], traveller)).toBe(false);
    expect(isCutOff([gateway('a', { ...away, protocols: ['spice'] })], traveller)).toBe(false);
    expect(isCutOff([], traveller)).toBe(false);
  });

  it('and are not routed through offline gateways', () => {
    expect(chooseGateway([gateway('a', away)], traveller, () => 0)).toBeUndefined();
    expect(chooseGateway([gateway('a', away), gateway('b', { priority: 9 })], traveller, () => 0)?.id).toBe(
      'b',
    );
  });
});

describe('a network address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:a00:1', '10.0.0.1'],
    ['2001:0DB8::0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
    ['0.0.0.0', undefined],
    ['::', undefined],
    ['::ffff:0.0.0.0', undefined],
    ['', undefined],
    ['10.0.0.256', undefined],
    ['gw.example.com', undefined],
  ])('%s is normalised to %s', (text, expected) => expect(plainAddress(text)).toBe(expected));

  it('is within a network of its family, and IPv4-mapped ones are IPv4', () => {
    expect(isInside('10.1.2.3', ['10.1.2.99/24'])).toBe(true);
    expect(isInside('10.1.3.3', ['10.1.2.0/24'])).toBe(false);
    expect(isInside('10.1.2.3', ['::ffff:10.1.0.0/112'])).toBe(true);
    expect(isInside('10.2.2.3', ['::ffff:10.1.0.0/112'])).toBe(false);
    expect(isInside('10.1.2.3', ['::/0'])).toBe(false);
    expect(isInside('2001:db8::1', ['2001:db8::/32'])).toBe(true);
  });
});

describe('a random text of letters and digits', () => {
  it('has the requested length, and every character about equally often', () => {
    const counts = new Map<string, number>();
    const texts = Array.from({ length: 2_000 }, () => randomAlphanumerics(48));
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) {
      expect(text).toMatch(/^[A-Za-z0-9]{48}$/);
      for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const even = (2_000 * 48) / 62;
    // Without rejection the first eight would come a quarter more often.
    for (const count of counts.values()) expect(Math.abs(count - even)).toBeLessThan(even * 0.18);
  });
});
