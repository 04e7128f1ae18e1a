import { Buffer } from 'node:buffer';
import type { Connection } from '../../../shared/remotes/dispatcher/connections.ts';
import type { SignDetached } from '../rdp-signing.ts';
import { asOneLine, type Offered, urlHost } from './offered.ts';
import { type Setting, signatureOf } from './rdp-signature.ts';

/** An `.rdp` file as Remote Desktop writes it: UTF-16LE behind a byte order mark. It never holds a password. */
export async function rdpFile(offered: Offered, sign: SignDetached | undefined): Promise<Uint8Array> {
  const settings = [...targetOf(offered), ...credentialsOf(offered), ...experienceOf(offered.rdp ?? {})];
  const lines = [...settings.map(({ line }) => line), ...(sign ? await signatureOf(settings, sign) : [])];
  return Buffer.from(`\ufeff${lines.map((line) => `${line}\r\n`).join('')}`, 'utf16le');
}

const text = (name: string, value: string): Setting => ({ name, line: `${name}:s:${asOneLine(value)}` });
const number = (name: string, value: number): Setting => ({ name, line: `${name}:i:${value}` });
const flag = (name: string, value: boolean): Setting => number(name, Number(value));

/**
 * Without the alternate address a signed file could be given another target. A gateway gets its ticket as the routing
 * token of the first packet, before anything else is said (MS-RDPBCGR, 2.2.1.1).
 */
function targetOf({ gateway, ...offered }: Offered): Setting[] {
  const { host, port } = gateway ?? offered;
  const address = `${urlHost(host)}:${port}`;
  return [
    text('full address', address),
    text('alternate full address', address),
    number('server port', port),
    ...(gateway ? [text('loadbalanceinfo', gateway.ticket)] : []),
    // A ticket opens one tunnel: whoever was cut off asks for another connection.
    flag('autoreconnection enabled', gateway === undefined),
  ];
}

/** Who opens the file types the password; a certificate that is not trusted is shown before that. */
const credentialsOf = ({ username, domain }: Offered): Setting[] => [
  text('username', username),
  text('domain', domain),
  flag('prompt for credentials', true),
  flag('enablecredsspsupport', true),
  flag('negotiate security layer', true),
  number('authentication level', 2),
];

/** Only what the dispatcher says; the rest is left to the program. */
function experienceOf({ screen_size, color_depth, multimon, ...rdp }: Rdp): Setting[] {
  const redirect: Partial<NonNullable<Rdp['redirect']>> = rdp.redirect ?? {};
  return [
    ...screenOf(screen_size),
    ...told(color_depth, (depth) => [number('session bpp', depth)]),
    ...told(multimon, (uses) => [flag('use multimon', uses)]),
    ...told(redirect.clipboard, (on) => [flag('redirectclipboard', on)]),
    ...told(redirect.drives, (on) => [flag('redirectdrives', on), text('drivestoredirect', all(on))]),
    ...told(redirect.printers, (on) => [flag('redirectprinters', on)]),
    ...told(redirect.smartcards, (on) => [flag('redirectsmartcards', on)]),
    ...told(redirect.usb, (on) => [text('usbdevicestoredirect', all(on))]),
    ...told(redirect.audio, (on) => [number('audiomode', on ? 0 : 2)]),
    ...told(redirect.microphone, (on) => [flag('audiocapturemode', on)]),
    ...told(redirect.webcam, (on) => [text('camerastoredirect', all(on))]),
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

const told = <T>(value: T | undefined, settings: (value: T) => Setting[]): Setting[] =>
  value === undefined ? [] : settings(value);

const all = (on: boolean): string => (on ? '*' : '');
