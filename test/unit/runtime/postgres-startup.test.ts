import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { parseStartup } from '../../../shared/tooling/embedded/protocol/startup.ts';

const parse = (parameters: Record<string, string>) => {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [name, value, '']);
  const texts = pairs.filter((_, index) => index % 3 < 2);
  const { settings, ...rest } = parseStartup(Buffer.from(`${texts.join('\0')}\0\0`));
  return { ...rest, settings: Object.fromEntries(settings) };
};

describe('a startup message', () => {
  it('has user, database and settings', () => {
    expect(parse({ user: 'lena', database: 'db', DateStyle: 'ISO', '_pq_.x': '1' })).toEqual({
      user: 'lena',
      database: 'db',
      settings: { datestyle: 'ISO' },
    });
    expect(parse({ user: 'lena' }).database).toBe('lena');
  });

  it.each([
    ['-c a=1 -cb=2 --c-d=3', { a: '1', b: '2', c_d: '3' }],
    [' \t-c  a=x\\ y\\\\z  ', { a: 'x y\\z' }],
    ['-c a= -c A=2 -c c==d', { a: '2', c: '=d' }],
    ['', {}],
  ])('has options %j', (options, settings) => {
    expect(parse({ user: 'lena', options }).settings).toEqual(settings);
  });

  it('prefers a parameter to an option', () => {
    expect(parse({ user: 'lena', options: '-c a=1', a: '2' }).settings).toEqual({ a: '2' });
  });

  it.each([
    [{ user: 'lena', options: '-d 5' }, '42601'],
    [{ user: 'lena', options: '-c a' }, '42601'],
    [{ user: 'lena', options: '-c' }, '42601'],
    [{ user: 'lena', options: '--=1' }, '42601'],
    [{ user: 'lena', options: 'a=1' }, '42601'],
    [{ user: '' }, '28000'],
    [{ user: 'lena', replication: 'database' }, '0A000'],
  ])('is refused: %j', (parameters, code) => {
    expect(() => parse(parameters)).toThrow(expect.objectContaining({ code }));
  });

  it.each(['user', 'user\0lena', 'user\0lena\0', ''])('is malformed: %j', (text) => {
    expect(() => parseStartup(Buffer.from(text))).toThrow();
  });
});
