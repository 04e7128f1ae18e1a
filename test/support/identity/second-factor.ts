import { addDomain, addUser, goodPassword, type World } from '../factories.ts';
import type { Answer, Json, TestPortal } from '../portal.ts';
import { codeOf } from './totp-device.ts';

/** Stops the portal's clock in the middle of a time step; the function moves it. */
export function holdClock(portal: TestPortal): { now(): Date; move(seconds: number): void } {
  let at = Math.floor(Date.now() / 30_000) * 30_000 + 15_000;
  portal.deps.clock = () => new Date(at);
  return {
    now: () => new Date(at),
    move: (seconds) => {
      at += seconds * 1000;
    },
  };
}

/** The response of `login/2fa` for this user. */
export const logIn2fa = (portal: TestPortal, domain: Json, user: Json, given: object = {}, ip?: string) =>
  portal.send('POST /api/auth/v7.0/login/2fa', {
    body: { username: user.name, password: goodPassword, authId: domain.id, ...given },
    ...(ip !== undefined && { ip }),
  });

export type Enrolled = { user: Json; secret: string; recovery: string[]; token: string };

/** A new user of the domain with an enrolled device. */
export async function addEnrolled(
  { portal, admin }: Pick<World, 'portal' | 'admin'>,
  domain: Json,
  now: Date,
  given: Record<string, unknown> = {},
): Promise<Enrolled> {
  const user = await addUser(admin, domain, given);
  const { body } = await logIn2fa(portal, domain, user);
  const { secret } = body.enrolment;
  const { body: done } = await enrol(portal, domain, user, body, now);
  return { user, secret, recovery: done.recovery_codes, token: done.token };
}

/** The response to the first code of the device in a challenge. */
export const enrol = (
  portal: TestPortal,
  domain: Json,
  user: Json,
  challenge: Json,
  now: Date,
): Promise<Answer> =>
  logIn2fa(portal, domain, user, {
    challenge_id: challenge.challenge_id,
    code: codeOf(challenge.enrolment.secret, now),
  });

export const addTwoFactorDomain = (admin: World['admin'], given: Record<string, unknown> = {}) =>
  addDomain(admin, { two_factor: true, ...given });

/** Status and code of an answer, for one comparison. */
export const said = ({ status, body }: Answer): [number, string | undefined] => [status, body.code];
