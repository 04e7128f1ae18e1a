import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localText, momentsAt, offsetText } from '../../../shared/web/text/local-moments.ts';

describe('the local times of a zone with summer time', () => {
  const { TZ } = process.env;
  beforeAll(() => {
    process.env.TZ = 'Europe/Berlin';
  });
  afterAll(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  it('are moments, which are shown as the same local times', () => {
    expect(momentsAt('2026-07-01T12:30')).toEqual(['2026-07-01T10:30:00.000Z']);
    expect(localText('2026-07-01T10:30:00.000Z')).toBe('2026-07-01T12:30');
    expect(offsetText('2026-07-01T10:30:00.000Z')).toBe('UTC+02:00');
  });

  it('are two moments in the hour that is repeated', () => {
    const moments = momentsAt('2026-10-25T02:30');
    expect(moments).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']);
    expect(moments.map(localText)).toEqual(['2026-10-25T02:30', '2026-10-25T02:30']);
    expect(moments.map(offsetText)).toEqual(['UTC+02:00', 'UTC+01:00']);
  });

  it('are no moment in the hour that is skipped', () => {
    expect(momentsAt('2026-03-29T02:30')).toEqual([]);
  });
});

it('a text that is no moment stays as it was typed', () => {
  expect(momentsAt('12026-01-01T10:00')).toEqual([]);
  expect(localText('12026-01-01T10:00')).toBe('12026-01-01T10:00');
});
