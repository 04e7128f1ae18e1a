import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createApi } from '../../e2e/support/api.ts';
import { PortalEnded, type PortalProcess, root, startPortal } from '../../e2e/support/portal-process.ts';
import { closing, linesFor, opening } from './lines.ts';
import { seed } from './seed.ts';
import { type DemoDispatchers, type Failing, failsFrom, letFail, startDispatchers } from './sites.ts';

const folder = resolve(root, process.env.DATA_DIR || '.data-demo');
const westFarm = 'West farm';
/** Exists while the demo runs and has the data for the printed lines. */
const linesFile = join(folder, 'lines.sh');
const nodeCaFile = join(folder, 'dispatchers-ca.pem');
/** Ends the started servers in reverse order. */
const endings: (() => unknown)[] = [];

// A terminal sends Ctrl-C to the portal as well; whichever signal arrives first, the shutdown runs once.
const stopping = new AbortController();
const stop = onceOnly(async (code: number) => {
  stopping.abort();
  for (const end of endings.reverse()) await end();
  process.exit(code);
});
process.on('SIGINT', () => stop(0));
process.on('SIGTERM', () => stop(0));
process.on('SIGHUP', () => stop(0));

try {
  await start();
} catch (error) {
  // The output of the portal itself was printed.
  if (!(error instanceof PortalEnded)) console.error(error instanceof Error ? error.message : String(error));
  stop(1);
}

/** `npm run demo`: the portal in a separate folder, with three simulated dispatcher sites. */
async function start(): Promise<void> {
  console.log('Starting the portal and three simulated sites …');
  rmSync(linesFile, { force: true });
  const failing = failingFrom(process.env.DEMO_WEST_FAILS);
  const sparePort = portFrom(process.env.DEMO_DISPATCHER_PORT);
  const adminPassword = keptPassword();
  const starting = startPortal({
    command: ['shared/tooling/launch.mjs', 'functions/all.ts', '--json'],
    env: variables(adminPassword),
    showErrors: true,
    signal: stopping.signal,
  });
  endings.push(() => starting.then((started) => started.stop()).catch(() => undefined));
  const portal = await starting;
  void portal.ended.then(({ code }) => stop(code ?? 1));
  const { base_url, ca_file } = portal.announcement;
  const ca = readFileSync(ca_file, 'utf8');
  const { sites, spare } = await startDispatchers(base_url, ca, sparePort);
  const farms = sites.flatMap((site) => site.farms);
  endings.push(() =>
    Promise.all([spare, ...farms.map(({ simulator }) => simulator)].map((one) => one.close())),
  );
  writeFileSync(nodeCaFile, spare.caPem);
  const api = createApi(base_url, ca);
  await seed(api, await api.login('admin', adminPassword), sites);
  await api.close();
  for (const farm of farms.filter(({ name }) => name === westFarm)) endings.push(letFail(farm, failing));
  const lines = linesFor(base_url, ca_file, sites);
  writeFileSync(linesFile, `${lines}\n`);
  endings.push(() => rmSync(linesFile, { force: true }));
  console.log(announcement(portal, spare, failing, lines));
}

/**
 * A demo has its own database and data folder, regardless of the environment, so that it cannot affect another
 * installation.
 */
function variables(adminPassword: string): NodeJS.ProcessEnv {
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_DRIVER, CONFIG_FILE, ...rest } = process.env;
  return {
    ...rest,
    DATA_DIR: folder,
    ADMIN_PASSWORD: adminPassword,
    PORTAL_TYPE: 'universal',
    TLS: 'on',
    ALLOWED_PRIVATE_NETWORKS: [rest.ALLOWED_PRIVATE_NETWORKS, '127.0.0.0/8'].filter(Boolean).join(','),
    LOG_LEVEL: rest.LOG_LEVEL || 'warn',
  };
}

/** The administrator's password is created once; a later run needs it to find the simulators again. */
function keptPassword(): string {
  const file = join(folder, 'demo-admin-password');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

function announcement(
  { announcement: { base_url } }: PortalProcess,
  spare: DemoDispatchers['spare'],
  failing: Failing,
  lines: string,
): string {
  return [
    `\nThe demo is ready: ${base_url}`,
    `In a browser: ${base_url}/signin, then ${base_url}/status and ${base_url}/api/docs/`,
    'The browser warns of the certificate: it is of a private CA.',
    `The administrator is admin in the domain builtin; the password is in ${join(folder, 'demo-admin-password')}`,
    `${westFarm} fails ${whenFailing(failing)}`,
    `The dispatcher ${spare.name} belongs to no site yet: ${spare.url}, CA file ${nodeCaFile}, key '${spare.healthKey}'`,
    `\n${opening}\n`,
    lines,
    `\nThey are in ${linesFile} too.`,
    closing,
  ].join('\n');
}

function whenFailing(failing: Failing): string {
  if (failing !== 'by_the_clock') return failing;
  return `for the minute from ${failsFrom(Date.now()).toISOString()} on, and then in every third minute`;
}

/** Whether West farm fails at once, never, or by the clock. @throws Error for any other value */
function failingFrom(text = ''): Failing {
  if (text === '' || text === 'by_the_clock') return 'by_the_clock';
  if (text === 'always' || text === 'never') return text;
  throw new Error('DEMO_WEST_FAILS: by_the_clock, always or never');
}

/** @throws Error for an invalid port */
function portFrom(text = '8444'): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error('DEMO_DISPATCHER_PORT: a port from 1 to 65535');
}

function onceOnly(work: (code: number) => Promise<void>): (code: number) => void {
  let isRunning = false;
  return (code) => {
    if (isRunning) return;
    isRunning = true;
    void work(code);
  };
}
