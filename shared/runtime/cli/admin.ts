import { parseArgs } from 'node:util';
import { resetPassword, resetSecondFactor, unlock } from './admin-accounts.ts';
import { reseal, rotateKeys } from './admin-keys.ts';
import { replaceLostKey } from './admin-lost-key.ts';
import { orEnd } from './fatal.ts';

const usage = `usage: npm run admin -- <command>
  reset-password <domain>/<user> [--password]  a new password, generated or the first line of standard input
  unlock <domain>/<user>                       lifts the locks after failed logins
  reset-2fa <domain>/<user>                    removes the second factor
  rotate-keys                                  new keys for secrets and for signing
  reseal                                       seals every stored secret by the first of SECRET_KEY
  replace-lost-key                             goes on with another SECRET_KEY; what the lost one sealed is lost`;

const accountCommands = { 'reset-password': resetPassword, unlock, 'reset-2fa': resetSecondFactor };
const keyCommands = { 'rotate-keys': rotateKeys, reseal, 'replace-lost-key': replaceLostKey };

/** Break-glass on the server: whoever may read its settings may do this, and every use is audited. */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      password: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const [command = '', account, ...rest] = positionals;
  if (rest.length > 0 || (values.password && command !== 'reset-password')) throw new Error(usage);
  if (isAmong(accountCommands, command) && account !== undefined)
    return accountCommands[command](account, values.password);
  if (isAmong(keyCommands, command) && account === undefined) return keyCommands[command]();
  throw new Error(usage);
}

const isAmong = <T extends object>(commands: T, name: PropertyKey): name is keyof T =>
  Object.hasOwn(commands, name);

await orEnd(main);
