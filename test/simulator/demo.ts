import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createApi } from '../e2e/api.ts';
import { PortalEnded, type PortalProcess, root, startPortal } from '../e2e/portal-process.ts';
import { closing, linesFor, opening } from './demo-lines.ts';
import { seed } from './demo-seed.ts';
import { type DemoSite, type Failing, failsFrom, letFail, startSites } from './demo-sites.ts';

const folder = resolve(root, process.env.DATA_DIR || '.data-demo');
const westFarm = 'West farm';
/** Ends what was started, the latest first. */
const endings: (() => unknown)[] = [];

// A terminal sends Ctrl-C to the portal as well; whoever comes first, all is ended once.
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
  // What the portal itself had to say has been shown.
  if (!(error instanceof PortalEnded)) console.error(error instanceof Error ? error.message : String(error));
  stop(1);
}

/** `npm run demo`: the portal in a folder of its own, with three simulated dispatcher sites. */
async function start(): Promise<void> {
  console.log('Starting the portal and three simulated sites …');
  const failing = failingFrom(process.env.DEMO_WEST_FAILS);
  const adminPassword = keptPassword();
  const starting = startPortal({
    command: ['--disable-warning=ExperimentalWarning', 'functions/all.ts', '--json'],
    env: variables(adminPassword),
    showErrors: true,
    signal: stopping.signal,
  });
  endings.push(() => starting.then((started) => started.stop()).catch(() => undefined));
  const portal = await starting;
  void portal.ended.then(({ code }) => stop(code ?? 1));
  const { base_url, ca_file } = portal.announcement;
  const ca = readFileSync(ca_file, 'utf8');
  const sites = await startSites(base_url, ca);
  const farms = sites.flatMap((site) => site.farms);
  endings.push(() => Promise.all(farms.map(({ simulator }) => simulator.close())));
  const api = createApi(base_url, ca);
  await seed(api, await api.login('admin', adminPassword), sites);
  await api.close();
  for (const farm of farms.filter(({ name }) => name === westFarm)) endings.push(letFail(farm, failing));
  console.log(announcement(portal, sites, failing));
}

/** A demo never touches another installation: database and data folder are its own, whatever the environment says. */
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

/** The administrator's password is made once; a later run needs it to find the simulators again. */
function keptPassword(): string {
  const file = join(folder, 'demo-admin-password');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

function announcement(
  { announcement: { base_url, ca_file } }: PortalProcess,
  sites: DemoSite[],
  failing: Failing,
): string {
  return [
    `\nThe demo is ready: ${base_url}`,
    `In a browser: ${base_url}/signin, then ${base_url}/status and ${base_url}/api/docs/`,
    `The administrator is admin of builtin; the password stands in ${join(folder, 'demo-admin-password')}`,
    `${westFarm} fails ${whenFailing(failing)}`,
    `\n${opening}\n`,
    linesFor(base_url, ca_file, sites),
    `\n${closing}`,
  ].join('\n');
}

function whenFailing(failing: Failing): string {
  if (failing !== 'by_the_clock') return failing;
  return `for the minute from ${failsFrom(Date.now()).toISOString()} on, and then in every third minute`;
}

/** Who wants to see the farm fail, or not, need not wait for the minute. @throws Error for another word */
function failingFrom(text = ''): Failing {
  if (text === '' || text === 'by_the_clock') return 'by_the_clock';
  if (text === 'always' || text === 'never') return text;
  throw new Error('DEMO_WEST_FAILS: by_the_clock, always or never');
}

function onceOnly(work: (code: number) => Promise<void>): (code: number) => void {
  let isRunning = false;
  return (code) => {
    if (isRunning) return;
    isRunning = true;
    void work(code);
  };
}
