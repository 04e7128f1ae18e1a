import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { users } from '../../../db/repositories/identity/users.ts';
import { listShowing, momentText } from '../../../db/repositories/records/list-columns.ts';

/** The text of a time in a session with this offset, as PostgreSQL sends it: without the zeros at the end. */
function textOf(time: Date, offset = 0): string {
  const local = new Date(time.getTime() + offset * 3_600_000).toISOString();
  const zone = `${offset < 0 ? '-' : '+'}${String(Math.abs(offset)).padStart(2, '0')}`;
  return `${local.slice(0, 10)} ${local.slice(11, -1).replace(/\.?0+$/, '')}${zone}`;
}

describe('times of lists', () => {
  const times = fc.date({ min: new Date('0100-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });

  it('are those of the same row that is read alone', () => {
    fc.assert(
      fc.property(times, (time) => {
        expect(momentText(textOf(time))).toBe(time.toISOString());
      }),
    );
  });

  it('do not depend on the time zone of the session', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: -12, max: 14 }), (time, offset) => {
        expect(momentText(textOf(time, offset))).toBe(time.toISOString());
      }),
    );
  });

  it('have milliseconds', () => {
    expect(momentText('2026-11-23 13:12:48+00')).toBe('2026-11-23T13:12:48.000Z');
    expect(momentText('2026-11-23 13:12:48.1+00')).toBe('2026-11-23T13:12:48.100Z');
    expect(momentText('2026-11-23 13:12:48.123456+00')).toBe('2026-11-23T13:12:48.123Z');
    expect(momentText('10000-01-01 00:00:00+00')).toBe('+010000-01-01T00:00:00.000Z');
  });
});

describe('the columns of a list', () => {
  it('are those that its view shows, and the identifier', () => {
    const { select } = listShowing(users, { values: ['name', 'password_set'], secrets: ['password'] }).spec;
    expect(Object.keys(select).sort()).toEqual(['id', 'name', 'password']);
  });
});
