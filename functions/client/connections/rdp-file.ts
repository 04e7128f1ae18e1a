import { Buffer } from 'node:buffer';
import { urlHost } from '../../../shared/kernel/addresses/hosts.ts';
import type { Connection } from '../../../shared/remotes/dispatcher/connections.ts';
import type { SignDetached } from '../rdp-signing.ts';
import { asOneLine, type ConnectionResponse } from './connection-response.ts';
import { type Setting, signatureOf } from './rdp-signature.ts';

/**
 * Creates an `.rdp` file in the encoding of Remote Desktop: UTF-16LE with a byte order mark. The file never contains a
 * password.
 */
export async function rdpFile(
  offered: ConnectionResponse,
  sign: SignDetached | undefined,
): Promise<Uint8Array> {
  const settings = [...targetOf(offered), ...credentialsOf(offered), ...experienceOf(offered.rdp ?? {})];
  const lines = [...settings.map(({ line }) => line), ...(sign ? await signatureOf(settings, sign) : [])];
  return Buffer.from(`\ufeff${lines.map((line) => `${line}\r\n`).join('')}`, 'utf16le');
}

const text = (name: string, value: string): Setting => ({ name, line: `${name}:s:${asOneLine(value)}` });
const number = (name: string, value: number): Setting => ({ name, line: `${name}:i:${value}` });
const flag = (name: string, value: boolean): Setting => number(name, Number(value));

/**
 * The alternate address is included because otherwise a signed file could be redirected to another target. A gateway
 * receives its ticket as the routing token in the first packet (MS-RDPBCGR, 2.2.1.1).
 */
function targetOf({ gateway, ...offered }: ConnectionResponse): Setting[] {
  const { host, port } = gateway ?? offered;
  const address = `${urlHost(host)}:${port}`;
  return [
    text('full address', address),
    text('alternate full address', address),
    number('server port', port),
    ...(gateway ? [text('loadbalanceinfo', gateway.ticket)] : []),
    // A new tunnel needs a new ticket, so automatic reconnection cannot succeed.
    flag('autoreconnection enabled', gateway === undefined),
  ];
}

/** The client prompts for the password. It shows a warning about an untrusted certificate before that. */
const credentialsOf = ({ username, domain }: ConnectionResponse): Setting[] => [
  text('username', username),
  text('domain', domain),
  flag('prompt for credentials', true),
  flag('enablecredsspsupport', true),
  flag('negotiate security layer', true),
  number('authentication level', 2),
];

/** Contains only settings that the dispatcher reports; for the others, the client program uses its defaults. */
function experienceOf({ screen_size, color_depth, multimon, ...rdp }: Rdp): Setting[] {
  const redirect: Partial<NonNullable<Rdp['redirect']>> = rdp.redirect ?? {};
  return [
    ...screenOf(screen_size),
    ...ifSet(color_depth, (depth) => [number('session bpp', depth)]),
    ...ifSet(multimon, (uses) => [flag('use multimon', uses)]),
    ...ifSet(redirect.clipboard, (on) => [flag('redirectclipboard', on)]),
    ...ifSet(redirect.drives, (on) => [flag('redirectdrives', on), text('drivestoredirect', all(on))]),
    ...ifSet(redirect.printers, (on) => [flag('redirectprinters', on)]),
    ...ifSet(redirect.smartcards, (on) => [flag('redirectsmartcards', on)]),
    ...ifSet(redirect.usb, (on) => [text('usbdevicestoredirect', all(on))]),
    ...ifSet(redirect.audio, (on) => [number('audiomode', on ? 0 : 2)]),
    ...ifSet(redirect.microphone, (on) => [flag('audiocapturemode', on)]),
    ...ifSet(redirect.webcam, (on) => [text('camerastoredirect', all(on))]),
  ];
}

type Rdp = Partial<NonNullable<Connection['rdp']>>;

function screenOf(size: string | undefined): Setting[] {
  if (size === 'fullscreen') return [number('screen mode id', 2)];
  const [, width, height] = /^(\d{3,5})x(\d{3,5})$/.exec(size ?? '') ?? [];
  if (!width || !height) return [];
  return [
    number('screen mode id', 1),
    number('desktopwidth', Number(width)),
    number('desktopheight', Number(height)),
  ];
}

const ifSet = <T>(value: T | undefined, settings: (value: T) => Setting[]): Setting[] =>
  value === undefined ? [] : settings(value);

const all = (on: boolean): string => (on ? '*' : '');
