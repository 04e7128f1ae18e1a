import { ConfigError } from '../../../shared/kernel/config-error.ts';

/**
 * Settings of a session on which parsers of results and the statements depend, with their values. The defaults of a role
 * or a database can be others. Names are spelled as in `pg_settings`.
 */
const formats = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  search_path: 'public',
  standard_conforming_strings: 'on',
} as const;

type Format = keyof typeof formats;

export const formatNames = Object.keys(formats) as readonly Format[];

/** Other values with the same effect. The order of day and month applies to the input of dates only, which are ISO. */
const alike: Readonly<Record<Format, RegExp>> = {
  DateStyle: /^ISO\b/,
  IntervalStyle: /^postgres$/,
  TimeZone: /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu|GMT(?:[+-]?0)?|Greenwich)$/i,
  bytea_output: /^hex$/,
  default_transaction_isolation: /^read committed$/,
  extra_float_digits: /^[1-3]$/,
  search_path: /^(?:"\$user", ?)?"?public"?$/,
  standard_conforming_strings: /^on$/,
};

/** Whether a session has the expected format. @param value as in `pg_settings` */
export const isFormat = (name: Format, value: string | undefined): boolean =>
  value !== undefined && alike[name].test(value);

/** The formats as start-up options. */
export const formatOptions = formatNames
  .map((name) => `-c ${name}=${formats[name].replaceAll(' ', '\\ ')}`)
  .join(' ');

/** Statements that set the formats in a session, or in a transaction, whose isolation its `begin` sets. */
export const setFormats = (scope: 'session' | 'local'): string =>
  formatNames.map((name) => `set ${scope} ${name} = '${formats[name]}'`).join('; ');

/** The statement that makes a format the default of a role. */
export const roleFormat = (role: string, name: Format): string =>
  `alter role "${role.replaceAll('"', '""')}" set ${name} = '${formats[name]}'`;

/**
 * For drivers without sessions, in which the formats are those of the role.
 * @param settings of a session by name
 * @throws ConfigError with one line, which has the names of the settings and the statements that correct the role
 */
export function assertFormats(role: string, settings: Readonly<Record<string, string>>): void {
  const wrong = formatNames.filter((name) => !isFormat(name, settings[name]));
  if (wrong.length === 0) return;
  const found = wrong.map((name) => `${name} = ${settings[name] ?? 'unknown'}`).join(', ');
  const remedy = wrong.map((name) => roleFormat(role, name)).join('; ');
  throw new ConfigError([
    `DATABASE_URL: sessions of the role ${role} have ${found}, which the portal cannot use; run: ${remedy}`,
  ]);
}
