import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stand, startStand, type Target } from '../twins/targets.ts';
import { furnish, type World } from '../twins/world.ts';
import { describePeers } from './peer-path.ts';
import { describeRecords } from './record-path.ts';
import { describeRefusals } from './refusal-path.ts';
import { describeSecondFactor } from './second-factor-path.ts';
import { describeUserPath } from './user-path.ts';

/** The use of the portal by a client, in every runtime: the same requests, the same responses. */
export function describePath(target: Target): void {
  describe(`the portal on ${target.name}`, () => {
    let stand: Stand;
    let world: World;

    beforeAll(async () => {
      stand = await startStand(target);
      world = await furnish(stand);
    });
    afterAll(() => stand?.remove());

    it('announces its address', () => {
      expect(new URL(stand.baseUrl)).toMatchObject({ protocol: target.protocol, hostname: 'localhost' });
    });

    describeUserPath(() => world);
    describeSecondFactor(() => world);
    describeRecords(() => world);
    describePeers(() => world);
    describeRefusals(() => world);

    it('ends with 0 on SIGTERM, and has logged no error', async () => {
      const { code, stderr } = await stand.stop();
      expect(code).toBe(0);
      expect(stderr.split('\n').filter((line) => /"level":"error"/.test(line))).toEqual([]);
    });
  });
}
