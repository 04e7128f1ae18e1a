import { moduleOf, type PortalType } from '../../../shared/modules.ts';
import { adminPassword, startPortal, type TestPortal } from '../../support/portal.ts';
import { isListed, portalTypes } from './portal-types.ts';

/** `PORTAL_TYPE=user npm test -- test/contract` runs the tests on a portal of another type. */
export const portalType: PortalType =
  portalTypes.find((type) => type === process.env.PORTAL_TYPE) ?? 'universal';

/**
 * A portal of that type, and a universal one on its database, as in installations: there tests create objects that a
 * portal of this type cannot, and log in, since sessions of a user portal have no permissions.
 */
export async function startTypedPortal(): Promise<TestPortal> {
  const portal = await startPortal({ portalType });
  const other = portal.isolate('universal');
  const sendToOwner: TestPortal['send'] = (route, options) =>
    (isServedHere(route) ? portal.send : other)(route, options);
  return {
    ...portal,
    send: sendToOwner,
    login: async (username = 'admin', password = adminPassword) => {
      const body = { username, password, authSmallName: 'builtin' };
      const answer = await other('POST /api/auth/v7.0/login', { body });
      if (!answer.body.token) throw new Error(`login of ${username} failed: ${JSON.stringify(answer.body)}`);
      return answer.body.token;
    },
  };
}

function isServedHere(route: string): boolean {
  const [path = '/'] = (route.split(' ')[1] ?? '').split('?');
  const name = moduleOf(path.replace(/(.)\/+$/, '$1'))?.name;
  return name === undefined || isListed({ module: name, path }, portalType);
}
