import { describe, expect, it } from 'vitest';
import { byResource, endOf } from '../../../shared/web/account/tokens/expiry.ts';

describe('a new token', () => {
  it('ends after the chosen days', () =>
    expect(endOf('7', Date.parse('2026-11-23T12:00:00Z'))).toBe('2026-11-30T12:00:00.000Z'));

  it('has permissions by resource', () =>
    expect(byResource(['farms.read', 'sites.read', 'sites.update'])).toEqual([
      ['farms', ['read']],
      ['sites', ['read', 'update']],
    ]));
});
