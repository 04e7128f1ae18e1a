import { parseArgs } from 'node:util';
import { orEnd } from '../start/fatal.ts';
import { resetPassword, resetSecondFactor, unlock } from './accounts.ts';
import { reseal, rotateKeys } from './keys.ts';
import { replaceLostKey } from './lost-key.ts';

const usage = `usage: npm run admin -- <command>
  reset-password <domain>/<user> [--password]  sets a password: generated, or the first line of standard input
  unlock <domain>/<user>                       removes locks after failed logins
  reset-2fa <domain>/<user>                    removes the second factor
  rotate-keys                                  creates new keys for secrets and for signing
  reseal                                       seals all stored secrets with the first key of SECRET_KEY
  replace-lost-key                             accepts another SECRET_KEY; values sealed with the lost key are lost
  apply <file.yaml> [--dry-run] [--prune] [--tokens-file <path>]
                                               shows the changes required by a configuration file, and applies them
  export [--kinds <kind,…>] [--output <path>]  writes the configuration as a file
  schema [--output <path>]                     writes the JSON Schema of configuration files, for editors`;

const accountCommands = { 'reset-password': resetPassword, unlock, 'reset-2fa': resetSecondFactor };
const keyCommands = { 'rotate-keys': rotateKeys, reseal, 'replace-lost-key': replaceLostKey };

const options = {
  password: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  prune: { type: 'boolean' },
  'tokens-file': { type: 'string' },
  kinds: { type: 'string' },
  output: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;
type Option = keyof typeof options;

/** The options of each command. */
const optionsOf: Readonly<Record<string, readonly Option[]>> = {
  'reset-password': ['password'],
  apply: ['dry-run', 'prune', 'tokens-file'],
  export: ['kinds', 'output'],
  schema: ['output'],
};

/** Administration on the server. It requires the settings of the portal instead of an account, and is audited. */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  if (values.help) return console.log(usage);
  const [command = '', operand, ...rest] = positionals;
  const allowed: readonly string[] = optionsOf[command] ?? [];
  if (rest.length > 0 || Object.keys(values).some((name) => !allowed.includes(name))) throw new Error(usage);
  if (operand === undefined) return runWithout(command, values);
  if (command === 'apply') {
    const { 'dry-run': dryRun = false, prune = false, 'tokens-file': tokensFile } = values;
    const { applyFile } = await configuration();
    return applyFile(operand, { dryRun, prune, tokensFile });
  }
  if (isAmong(accountCommands, command)) return accountCommands[command](operand, values.password === true);
  throw new Error(usage);
}

/** Imported on demand: it loads all operations of the administration, which other commands do not need. */
const configuration = () => import('../configuration/commands.ts');

async function runWithout(command: string, { kinds, output }: Partial<Record<'kinds' | 'output', string>>) {
  if (command === 'export') return (await configuration()).exportAll({ kinds, output });
  if (command === 'schema') return (await configuration()).printSchema(output);
  if (isAmong(keyCommands, command)) return keyCommands[command]();
  throw new Error(usage);
}

const isAmong = <T extends object>(commands: T, name: PropertyKey): name is keyof T =>
  Object.hasOwn(commands, name);

await orEnd(main);
