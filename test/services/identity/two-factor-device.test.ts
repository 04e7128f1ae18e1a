import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { addUser, asker, useWorld } from '../../support/factories.ts';
import { addTwoFactorDomain, holdClock, logIn2fa } from '../../support/identity/second-factor.ts';
import { requireService } from '../../support/services.ts';

const run = promisify(execFile);
const folders = (process.env.PATH ?? '').split(delimiter);
const isPresent = folders.some((folder) => existsSync(join(folder, 'oathtool')));

/** The code of an independent device, which gets only the URI of a QR code. */
async function shownBy(uri: string, at: Date): Promise<string> {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  const now = at.toISOString().replace('T', ' ').replace('Z', ' UTC');
  const { stdout } = await run('oathtool', ['--totp', '--base32', '--now', now, secret]);
  return stdout.trim();
}

requireService('oathtool', isPresent)('oathtool as the second-factor device', () => {
  const world = useWorld();

  it('is enrolled by the URI, and logs in with each code once, step by step', async () => {
    const { portal, admin } = world;
    const clock = holdClock(portal);
    const domain = await addTwoFactorDomain(admin);
    const user = await addUser(admin, domain);
    const { body } = await logIn2fa(portal, domain, user);
    const { otpauth_uri } = body.enrolment;
    const first = await logIn2fa(portal, domain, user, {
      challenge_id: body.challenge_id,
      code: await shownBy(otpauth_uri, clock.now()),
    });
    expect([first.status, first.body.recovery_codes.length]).toEqual([200, 10]);
    for (let n = 0; n < 5; n++) {
      clock.move(30);
      const challenge = (await logIn2fa(portal, domain, user)).body;
      const given = {
        challenge_id: challenge.challenge_id,
        code: await shownBy(otpauth_uri, clock.now()),
      };
      const { status, body: session } = await logIn2fa(portal, domain, user, given);
      expect([challenge.enrolment, status]).toEqual([undefined, 200]);
      expect((await asker(portal, session.token)('GET /api/userinfo')).status).toBe(200);
      expect((await logIn2fa(portal, domain, user, given)).status).toBe(401);
    }
  });
});
