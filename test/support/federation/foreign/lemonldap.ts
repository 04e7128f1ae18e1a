import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Browser, Seen } from '../browser.ts';
import { configurationOf, type LemonldapClient, localSettings } from './lemonldap-settings.ts';
import { type ForeignPerson, startForeignServer } from './process.ts';

const runner = '/usr/bin/plackup';
const portal = '/usr/share/lemonldap-ng/portal/htdocs/index.psgi';
/** Its package only recommends them, and it does not start without them. */
const modules = ['String::Random', 'IO::String', 'GD::SecurityImage', 'Image::Magick'];
export const hasLemonldap =
  [runner, portal].every((path) => existsSync(path)) &&
  spawnSync('perl', [...modules.map((name) => `-M${name}`), '-e1']).status === 0;

export type Lemonldap = {
  issuer: string;
  caPem: string;
  client: LemonldapClient;
  /** By login name. Tests change them, and delete those that have left. */
  people: Map<string, ForeignPerson>;
  /**
   * Fills in the form of the provider.
   * @param url address of the authorization request
   * @returns address to which the provider sends the browser
   */
  signIn(browser: Browser, url: string, person: ForeignPerson): Promise<string>;
  /** Confirms a log-out. @param url where the portal sends the browser. @returns address to which the provider sends it */
  confirmLogOut(browser: Browser, url: string): Promise<string>;
  /** Logs out on the page of the provider, without the portal. */
  logOut(browser: Browser): Promise<void>;
  stop(): Promise<void>;
};

const client: LemonldapClient = { id: 'portal', secret: 'Secret of the portal: 50% + 2/3 = 1' };

/**
 * A throwaway LemonLDAP::NG (an identity provider in Perl) with the portal as its client, over HTTPS. It reads its users from a
 * server of this process.
 * @param base of the portal's addresses for providers
 */
export async function startLemonldap(base: string): Promise<Lemonldap> {
  const users = await serveUsers();
  const { origin, caPem, stop } = await startForeignServer(async (folder, port) => {
    const configuration = { folder, origin: `https://localhost:${port}`, users: users.origin, client, base };
    for (const name of ['conf', 'cache', 'sessions', 'locks'])
      await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, 'conf', 'lmConf-1.json'), JSON.stringify(configurationOf(configuration)));
    const file = join(folder, 'lemonldap-ng.ini');
    await writeFile(file, localSettings(folder));
    const command = [runner, ...serverOf(folder, port), portal] as const;
    return {
      name: 'LemonLDAP::NG',
      command,
      env: { LLNG_DEFAULTCONFFILE: file },
      ready: 'Accepting connections',
    };
  });
  return {
    // The issuer is the address of the portal with its slash.
    issuer: `${origin}/`,
    caPem,
    client,
    people: users.people,
    signIn: async (browser, url, { username, password }) => {
      const fields = hiddenFields(await browser.open(url));
      const { user, ...form } = { ...fields, user: username, password };
      return locationOf(await browser.open(url, { ...form, user }));
    },
    confirmLogOut: async (browser, url) =>
      locationOf(await browser.open(url, hiddenFields(await browser.open(url)))),
    logOut: async (browser) => void (await browser.open(`${origin}/?logout=1`)),
    stop: async () => {
      await stop();
      await users.close();
    },
  };
}

const serverOf = (folder: string, port: number): string[] => [
  ...['--server', 'Standalone', '--no-default-middleware', '--host', '127.0.0.1', '--port', String(port)],
  ...['--ssl', '1', '--ssl-cert-file', join(folder, 'cert.pem'), '--ssl-key-file', join(folder, 'key.pem')],
];

/** The fields that a page sends back. */
function hiddenFields({ body }: Seen): Record<string, string> {
  const inputs = [...body.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
  const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const hidden = inputs.filter((tag) => attribute(tag, 'type') === 'hidden');
  return Object.fromEntries(hidden.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')]));
}

function locationOf({ url, status, headers, body }: Seen): string {
  const location = headers.get('location');
  if (location === null)
    throw new Error(`${url}: ${status} ${body.replace(/<[^>]*>|\s+/g, ' ').slice(0, 500)}`);
  return new URL(location, url).href;
}

/** The back end of users `REST` of LemonLDAP::NG: it asks here at each sign-in and at each refresh. */
async function serveUsers() {
  const people = new Map<string, ForeignPerson>();
  const server = createServer(async (request, response) => {
    const { user, password } = (await json(request)) as { user: string; password?: string };
    const person = people.get(user);
    const isKnown = person !== undefined && (request.url === '/user' || person.password === password);
    const info = person && {
      uid: person.username,
      cn: person.name,
      mail: person.email,
      groups: person.groups.join('; '),
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ result: isKnown, info: isKnown && request.url === '/user' ? info : {} }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    people,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
