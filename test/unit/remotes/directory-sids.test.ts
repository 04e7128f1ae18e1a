import { describe, expect, it } from 'vitest';
import { sidText } from '../../../shared/remotes/directory/sids.ts';

/** S-1-5-21-1004336348-1177238915-682003330, the SID of a domain. */
const octets = Buffer.from('010400000000000515000000dcf4dc3b833d2b46828ba628', 'hex');

describe('a security identifier', () => {
  it('of a domain has its text form', () => {
    expect(sidText(octets)).toBe('S-1-5-21-1004336348-1177238915-682003330');
  });

  it('is refused with another length or revision', () => {
    const other = Buffer.from(octets);
    other[0] = 2;
    const broken = [octets.subarray(0, -4), Buffer.concat([octets, Buffer.alloc(4)]), Buffer.alloc(0), other];
    expect(broken.map(sidText)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
