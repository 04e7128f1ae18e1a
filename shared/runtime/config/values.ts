import { z } from 'zod';
import { bareHost } from '../../kernel/addresses/hosts.ts';

/** True for names and addresses of the loopback interface. */
export function isLoopbackHost(host: string): boolean {
  return loopback.test(bareHost(host));
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|::ffff:7f[\da-f]{2}:[\da-f]{1,4})$/;

export const text = (expected: string, isValid: (value: string) => boolean) =>
  z.string().refine(isValid, expected);
export const word = <const T extends readonly [string, ...string[]]>(...words: T) =>
  z.enum(words, `one of ${words.join(', ')}`);
export const whole = (max: number, min = 0) =>
  text(
    `a whole number from ${min} to ${max}`,
    (value) => /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max,
  ).transform(Number);
export const list = (expected: string, isValid: (entry: string) => boolean) =>
  text(expected, (value) => entriesOf(value).every(isValid)).transform(entriesOf);
export const url = (expected: string, ...protocols: string[]) =>
  text(expected, (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol));
export const database = () =>
  url('a URL postgres://user:password@host:port/database', 'postgres:', 'postgresql:').optional();
/** PEM text. Single-line files and some secret stores write its line ends as `\n`. */
export const pem = (kind: string) =>
  z
    .string()
    .transform((value) => value.replaceAll('\\n', '\n').trim())
    .refine((value) => isPem(value, kind), `PEM text of a ${kind.toLowerCase()}, or a file with it`)
    .optional();
export const accessKey = () =>
  text('from 1 to 64 printable characters', (value) => /^[\x21-\x7e]{1,64}$/.test(value)).optional();
export const urlKey = () =>
  text('from 32 to 256 letters, digits, - and _', (value) => /^[\w-]{32,256}$/.test(value)).optional();
export const some = () => z.string().optional();

function entriesOf(value: string): string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

export function isKey(value: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(value);
}

/** CIDR. Without a library, because every Worker bundle contains this file and most need no other address parser. */
export function isNetwork(value: string): boolean {
  const [, base = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(value) ?? [];
  if (base.includes(':')) return URL.canParse(`http://[${base}]`) && Number(bits) <= 128;
  return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(base) && Number(bits) <= 32;
}

/** The kind `PRIVATE KEY` also matches the older labels `EC PRIVATE KEY` and `RSA PRIVATE KEY`. */
function isPem(value: string, kind: string): boolean {
  const label = `(?:EC |RSA )?${kind}-----`;
  return new RegExp(`^-----BEGIN ${label}\\s[A-Za-z0-9+/=\\s]+-----END ${label}`).test(value);
}

export function isLoopbackUrl(value: string): boolean {
  return URL.canParse(value) && isLoopbackHost(new URL(value).hostname);
}

export function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(value);
  if (search + hash + username + password !== '' || /[?#]$/.test(value)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
