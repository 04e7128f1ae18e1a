import { createApi } from '../../e2e/support/api.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { quantile } from '../../structure/sizes.ts';
import { passwordOf, person, posixGroup } from '../../support/directories/entries.ts';
import { startLdapWire } from '../../support/directories/ldap-wire.ts';
import { hasSlapd, reader, startSlapd, suffix } from '../../support/directories/slapd.ts';
import { type Comparison, compare, type Loading, rounded } from '../load.ts';
import { comparisonLines, row } from '../rows.ts';
import type { Stand } from '../stand.ts';

export type DirectoryFigures = {
  /** One login after the other, beside the requests to the directory alone. */
  sequential: Comparison;
  logins: number;
  served: number;
  p50_ms: number;
  p95_ms: number;
  /** Requests to the directory for one further login. */
  operations: string[];
};

const people = Array.from({ length: 200 }, (_, at) => `crowd${at}`);

/**
 * Sequential logins by a directory; concurrent logins of one domain, and the requests of one login to the directory
 * afterwards.
 */
export async function measureDirectory(
  { directoryLogin, ...portal }: Pick<Stand, 'directoryLogin' | 'portalUrl' | 'adminToken'>,
  loading: Loading,
): Promise<DirectoryFigures | null> {
  if (!hasSlapd || !directoryLogin) return null;
  // The time beyond that of the directory, not the throughput of the machine.
  const sequential = await compare('POST …/login by LDAP', directoryLogin, { ...loading, connections: 1 });
  const ldif = people.map((uid) => person(uid)).join('') + posixGroup('staff', people);
  const slapd = await startSlapd(await (await createAuthority()).issue(), ldif);
  const wire = await startLdapWire(slapd.url);
  const api = createApi(portal.portalUrl);
  try {
    const domain = await addDomain(api, portal.adminToken, wire.url);
    const times = await Promise.all(people.map((name) => logIn(api, domain, name)));
    const asked = wire.operations.length;
    await logIn(api, domain, people[0] ?? '');
    const good = times.flatMap(({ status, ms }) => (status === 200 ? [ms] : []));
    return {
      sequential,
      logins: times.length,
      served: good.length,
      p50_ms: rounded(quantile(good, 0.5), 1),
      p95_ms: rounded(quantile(good, 0.95), 1),
      operations: wire.operations.slice(asked),
    };
  } finally {
    await api.close();
    await wire.close();
    await slapd.stop();
  }
}

type Api = ReturnType<typeof createApi>;

async function addDomain(api: Api, token: string, url: string): Promise<string> {
  const path = '/api/webui/aggregator/authenticators';
  const params = { hosts: [url], base_dn: suffix, ...reader };
  const domain = { name: 'Crowd', small_name: 'crowd', type: 'ldap', params };
  const { body } = await api.send(`POST ${path}`, { token, body: domain });
  await api.send(`POST ${path}/${body.id}/groups`, { token, body: { name: 'staff' } });
  return body.id;
}

async function logIn(api: Api, authId: string, username: string): Promise<{ status: number; ms: number }> {
  const start = performance.now();
  const body = { username, password: passwordOf(username), authId };
  const { status } = await api.send('POST /api/auth/v7.0/login', { body });
  return { status, ms: performance.now() - start };
}

export const directoryLines = (figures: DirectoryFigures | null | undefined): string[] =>
  figures
    ? [
        ...comparisonLines(figures.sequential),
        row('simultaneous logins by LDAP', 'served', 'p50 ms', 'p95 ms'),
        row(
          `  ${figures.logins}`,
          String(figures.served),
          figures.p50_ms.toFixed(1),
          figures.p95_ms.toFixed(1),
        ),
        `one login asks: ${figures.operations.join(', ')}`,
        '',
      ]
    : [];
