import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError } from '../../kernel/config-error.ts';
import { lineOf } from '../../runtime/config/config.ts';
import { variables } from '../../runtime/config/variables.ts';
import { overBudget } from '../build/build.ts';
import { bundleAll, type EdgeModule, edgeModules } from '../build/bundles.ts';
import { orEnd } from '../start/fatal.ts';
import { type DatabaseAddress, prepareDatabase, preparedLine } from '../start/prepared-database.ts';
import { writeLambdaSecret } from './lambda-secret.ts';
import { missingSecrets } from './module-secrets.ts';
import { completeSecrets, readSecretsFile, secretsFor } from './secrets.ts';
import { dryRunArguments, putSecrets, runWrangler, WranglerFailed } from './wrangler.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Plan = { modules: EdgeModule[]; isDryRun: boolean; secretsFile: string | undefined };

const usage = `usage: npm run deploy -- all | <module> … [--secrets <file>] [--dry-run]
       npm run deploy -- lambda --secrets <file> --output <file.json>
  modules: ${edgeModules.join(', ')}`;

/** Variables of Workers that are not secret. `wrangler.toml` contains examples. */
const publicVariables = variables
  .pick({
    PORTAL_TYPE: true,
    PORTAL_NAME: true,
    HSTS: true,
    ALLOWED_PRIVATE_NETWORKS: true,
    WEBHOOK_NETWORKS: true,
    ALLOW_INSECURE_DISPATCHERS: true,
    LOG_LEVEL: true,
  })
  .extend({ BASE_URL: variables.shape.BASE_URL.unwrap() });
const addresses = variables
  .pick({ DATABASE_OWNER_URL: true, DATABASE_SIDECAR_URL: true, ADMIN_PASSWORD: true })
  .extend({ DATABASE_URL: variables.shape.DATABASE_URL.unwrap() });

/** Runs the command. @throws ConfigError, WranglerFailed, Error with the usage */
async function main(args: readonly string[], env: Env): Promise<void> {
  const { positionals, values } = parsedArguments(args);
  if (values.output === undefined) return deploy(planOf(positionals, values), env);
  if (positionals.join() !== 'lambda' || !values.secrets || values['dry-run']) throw new Error(usage);
  say(await writeLambdaSecret(values.secrets, values.output, env));
}

/**
 * `npm run deploy -- all`: migrates the schema first, then deploys the modules, whose previous versions run
 * meanwhile. Missing settings are reported before anything is changed, and an interrupted command can be repeated.
 */
async function deploy({ modules, isDryRun, secretsFile }: Plan, env: Env): Promise<void> {
  const settings = secretsFile === undefined ? env : await settingsOf(secretsFile, env, isDryRun);
  const own = ownArguments(settings);
  const database = isDryRun ? undefined : databaseOf(settings);
  const secrets = secretsFile === undefined || isDryRun ? undefined : secretsOfAll(modules, settings);
  if (database && !secrets) await assertSecrets(modules);
  const tooLarge = overBudget(await bundleAll('workers', undefined, modules));
  if (tooLarge.length > 0) throw new Error(tooLarge.join('\n'));
  if (database) say(preparedLine(await prepareDatabase(database, settings.ADMIN_PASSWORD)));
  for (const module of modules) {
    await setSecrets(module, secrets?.get(module));
    await runWrangler([
      ...['deploy', '--env', module],
      ...(await routesOf(module, own.hostname)),
      ...own.variables,
      ...(isDryRun ? dryRunArguments(module) : []),
    ]);
    say(`${isDryRun ? 'would deploy' : 'deployed'} ${module}\n`);
  }
}

async function setSecrets(module: EdgeModule, values: Record<string, string> | undefined): Promise<void> {
  if (!values) return;
  await putSecrets(module, values);
  say(`set ${Object.keys(values).join(', ')} of ${module}\n`);
}

const say = (text: string): void => void process.stdout.write(text);

/** Merges the environment with the secrets file, and adds generated keys to the file, except in a dry run. */
async function settingsOf(path: string, env: Env, isRehearsal: boolean): Promise<Env> {
  const file = readSecretsFile(path, env);
  if (isRehearsal) {
    if (file.absent.length > 0) say(`would generate ${file.absent.join(', ')}\n`);
    return { ...env, ...file.settings };
  }
  // Reports other missing settings before keys are generated.
  ownArguments({ ...env, ...file.settings });
  const { settings, generated } = await completeSecrets(path, env, file);
  if (generated.length > 0) say(`generated ${generated.join(', ')} in ${path}\n`);
  return { ...env, ...settings };
}

/** @throws ConfigError for a required secret that is missing in the file */
function secretsOfAll(
  modules: readonly EdgeModule[],
  settings: Env,
): Map<EdgeModule, Record<string, string>> {
  const secrets = Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return new Map(modules.map((module) => [module, secretsFor(module, secrets)]));
}

/**
 * The module with the catch-all route is deployed last, because it would answer for modules that do not exist yet.
 */
function planOf(
  names: readonly string[],
  values: { secrets?: string | undefined; 'dry-run'?: boolean | undefined },
): Plan {
  const isKnown = names.every((name) => name === 'all' || edgeModules.some((module) => module === name));
  if (names.length === 0 || !isKnown) throw new Error(usage);
  const selected = edgeModules.filter((module) => names.includes('all') || names.includes(module));
  const last = (module: EdgeModule): number => Number(module === 'discover');
  return {
    modules: selected.toSorted((a, b) => last(a) - last(b)),
    isDryRun: values['dry-run'] === true,
    secretsFile: values.secrets,
  };
}

function parsedArguments(args: readonly string[]) {
  const options = {
    'dry-run': { type: 'boolean' },
    secrets: { type: 'string' },
    output: { type: 'string' },
  } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch {
    throw new Error(usage);
  }
}

/** @throws ConfigError with each invalid variable */
function ownArguments(env: Env): { hostname: string; variables: string[] } {
  const { BASE_URL } = parsed(publicVariables, env);
  const variables = Object.keys(publicVariables.shape).flatMap((name) =>
    env[name] ? [[name, env[name]] as const] : [],
  );
  return {
    hostname: new URL(BASE_URL).hostname,
    variables: variables.flatMap(([name, value]) => ['--var', `${name}:${value}`]),
  };
}

function databaseOf(env: Env): DatabaseAddress {
  const values = parsed(addresses, env);
  const {
    DATABASE_URL: url,
    DATABASE_OWNER_URL: ownerUrl = url,
    DATABASE_SIDECAR_URL: sidecarUrl = url,
  } = values;
  return { url, ownerUrl, sidecarUrl };
}

function parsed<T extends z.ZodType>(shape: T, env: Env): z.output<T> {
  // An empty variable counts as unset.
  const values = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = shape.safeParse(values);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map(({ path, message }) =>
      env[String(path[0])] ? lineOf({ path, message }) : `${String(path[0])}: required to deploy`,
    ),
  );
}

/** Wrangler determines the zone of a route by its host, in the account of the token. */
async function routesOf(module: EdgeModule, hostname: string): Promise<string[]> {
  // Imported on demand: it loads all of wrangler, which would delay errors about arguments.
  const { deploymentOf } = await import('./deployments.ts');
  return deploymentOf(module).routes.flatMap((route) => ['--route', route.replace(/^\*/, hostname)]);
}

/** @throws Error with the missing secrets of each module */
async function assertSecrets(modules: readonly EdgeModule[]): Promise<void> {
  const lines: string[] = [];
  for (const module of modules) {
    const missing = missingSecrets(module, await secretNames(module));
    if (missing.length > 0) lines.push(`  ${module}: ${missing.join(', ')}`);
  }
  if (lines.length > 0)
    throw new Error(
      `Secrets are missing; write them into a file and deploy with --secrets <file>:\n${lines.join('\n')}`,
    );
}

const Listed = z.array(z.object({ name: z.string() }));

async function secretNames(module: EdgeModule): Promise<Set<string>> {
  try {
    const text = await runWrangler(['secret', 'list', '--env', module, '--format', 'json']);
    return new Set(Listed.parse(JSON.parse(text)).map(({ name }) => name));
  } catch (error) {
    if (error instanceof WranglerFailed && isNotThere.test(error.message)) return new Set();
    throw error;
  }
}

/** Errors of Cloudflare for a Worker that was never deployed. */
const isNotThere = /\[code: 10007\]|Worker ".*".* not found/;

if (import.meta.main) await orEnd(() => main(process.argv.slice(2), process.env));
