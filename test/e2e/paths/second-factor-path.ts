import { beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../support/identity/totp-device.ts';
import type { Answer, Json } from '../support/api.ts';
import { auth, webui } from '../support/installation.ts';
import type { World } from '../twins/world.ts';

const credentials = {
  username: 'hedy',
  password: 'six silver herrings leap',
  authSmallName: 'guarded',
};

/** A login with a second factor, from the first challenge to a recovery code. */
export function describeSecondFactor(use: () => World): void {
  describe('a user of a domain with a second factor', () => {
    let secret: string;
    let recovery: string[];
    const send = (call: string, body: object): Promise<Answer> =>
      use().stand.api.send(`POST ${auth}/${call}`, { body: { ...credentials, ...body } });
    const inSteps = (steps: number) => codeOf(secret, new Date(Date.now() + steps * 30_000));

    beforeAll(async () => {
      // Hidden, so that the list of domains stays as other tests expect.
      const domain = {
        name: 'Guarded',
        small_name: 'guarded',
        type: 'internal',
        state: 'hidden',
        two_factor: true,
      };
      const { id }: Json = await created('authenticators', domain);
      const { username: name, password } = credentials;
      await created(`authenticators/${id}/users`, { name, password });
    });

    const created = async (collection: string, body: object): Promise<Json> => {
      const answer = await use().admin(`POST ${webui}/${collection}`, { body });
      if (answer.status !== 201) throw new Error(`${collection}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };

    it('gets a challenge for the right password only, and enrols a device with it', async () => {
      expect(await send('login', {})).toMatchObject({ status: 403, body: { code: 'two_factor_required' } });
      expect(await send('login/2fa', { password: 'wrong wrong wrong' })).toMatchObject({ status: 401 });
      const challenge = await send('login/2fa', {});
      expect(challenge).toMatchObject({ status: 200, body: { result: 'challenge', method: 'totp' } });
      secret = challenge.body.enrolment.secret;
      const done = await send('login/2fa', { challenge_id: challenge.body.challenge_id, code: inSteps(0) });
      expect(done).toMatchObject({ status: 200, body: { result: 'ok', user: { domain: 'guarded' } } });
      recovery = done.body.recovery_codes;
      const me = await use().stand.api.send('GET /api/userinfo', { token: done.body.token });
      expect(me).toMatchObject({ status: 200, body: { name: 'hedy' } });
    });

    it('logs in with the next code once, and without the device with a recovery code once', async () => {
      const code = inSteps(1);
      expect(await send('login/2fa', { code })).toMatchObject({ status: 200, body: { result: 'ok' } });
      expect(await send('login/2fa', { code })).toMatchObject({ status: 401 });
      const lost = { code: recovery[0] };
      expect(await send('login/2fa', lost)).toMatchObject({ status: 200, body: { result: 'ok' } });
      expect(await send('login/2fa', lost)).toMatchObject({ status: 401 });
    });
  });
}
