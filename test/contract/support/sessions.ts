import type { Permission } from '../../../shared/context/permissions.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { TestPortal } from '../../support/portal.ts';

const password = 'a pass phrase of the contract tests';
const webui = '/api/webui/aggregator';

export type Grant = { permissions: readonly Permission[]; sites?: '*' | string[] };

/** Creates users of the built-in domain and logs them in. */
export async function createSessions(portal: TestPortal, admin: string) {
  const make = async (route: string, body: unknown): Promise<{ id: string; name: string }> => {
    const answer = await portal.send(`POST ${route}`, { token: admin, body });
    if (answer.status !== 201) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const domains = await portal.send(`GET ${webui}/authenticators`, { token: admin });
  const domainId: string = domains.body.items[0].id;
  const userWith = async (members: object): Promise<string> => {
    const path = `${webui}/authenticators/${domainId}/users`;
    const { name } = await make(path, { name: `user-${newId()}`, password, ...members });
    return portal.login(name, password);
  };
  return {
    domainId,
    /** Creates an object with the rights of the administrator. */
    make,
    /** A session of the user portal, without a role. */
    withoutRole: () => userWith({}),
    /** A session whose user must change the password first. */
    mustChange: () => userWith({ must_change_password: true }),
    /** A session with exactly these permissions. */
    holding: async ({ permissions, sites = '*' }: Grant) => {
      const role = await make(`${webui}/rbac`, { name: `role-${newId()}`, permissions, scope: { sites } });
      return userWith({ roles: [role.id] });
    },
  };
}

export type Sessions = Awaited<ReturnType<typeof createSessions>>;
