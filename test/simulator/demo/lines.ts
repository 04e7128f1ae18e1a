import { alice, domain } from './seed.ts';
import type { DemoSite } from './sites.ts';

export const opening = 'Paste these commands into a shell:';
export const closing = 'Press Ctrl-C to stop the demo.';

/** Commands for a POSIX shell with curl: log in, list services, request a connection. */
export function linesFor(baseUrl: string, caFile: string, sites: readonly DemoSite[]): string {
  const credentials = JSON.stringify({
    authSmallName: domain.small_name,
    username: alice.name,
    password: alice.password,
  });
  const client = '$PORTAL/aggregator/api/client/v7.0';
  return [
    `PORTAL=${quoted(baseUrl)}`,
    `CA=${quoted(caFile)}`,
    `# log in as ${alice.real_name}`,
    `TOKEN=$(curl -sS --cacert "$CA" -H 'Content-Type: application/json' -d ${quoted(credentials)} "$PORTAL/api/auth/v7.0/login" | ${member('token')})`,
    ...sites.flatMap(({ uri, name, what }) => [
      `# services at ${name}, a site that ${what}`,
      `curl -sS --cacert "$CA" -H "X-Auth-Token: $TOKEN" "${client}/${uri}/servicesList/"; echo`,
    ]),
    `# a connection to the last service of ${sites[0]?.name}`,
    `LINK=$(curl -sS --cacert "$CA" -H "X-Auth-Token: $TOKEN" "${client}/${sites[0]?.uri}/servicesList/" | ${member('link')})`,
    'curl -sS --cacert "$CA" -H "X-Auth-Token: $TOKEN" "$PORTAL$LINK"; echo',
  ].join('\n');
}

/** Extracts the last member of this name from JSON. Its value must not contain quotes. */
const member = (name: string): string => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
