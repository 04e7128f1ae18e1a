import { Buffer } from 'node:buffer';
import { asOneLine, type Offered, urlHost } from './offered.ts';

/**
 * A file for `remote-viewer`, which deletes it as it opens it: the password in it is good once. A key file of GLib, in
 * UTF-8.
 */
export function virtViewerFile(offered: Offered): Uint8Array {
  const spice = spiceOf(offered);
  const members: [name: string, value: string | number | undefined][] = [
    ['type', 'spice'],
    ...addressOf(offered),
    ['password', offered.password],
    ['ca', spice.ca],
    ['host-subject', spice.host_subject],
    ['secure-channels', spice.secure_channels?.join(';')],
    ['enable-usbredir', switchOf(spice.usb_redirection)],
    ['fullscreen', switchOf(spice.fullscreen)],
    ['title', spice.title],
    ['delete-this-file', 1],
  ];
  const lines = members.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escaped(String(value), name === 'ca')}`],
  );
  return Buffer.from(`[virt-viewer]\n${lines.join('\n')}\n`);
}

/**
 * Each channel of SPICE is a connection of its own. Through a gateway each asks it as a proxy of HTTP, with the same
 * ticket for a password: as the name of a host its letters would become small ones.
 */
function addressOf(offered: Offered): [string, string | number | undefined][] {
  const { gateway } = offered;
  const { host, port } = gateway ?? offered;
  const { tls_port: tlsPort, secure_channels: secure, proxy } = spiceOf(offered);
  return [
    ['host', host],
    // Where nobody names the channels that need TLS, none goes without; and a gateway leads to one port for all.
    ['port', tlsPort !== undefined && (secure === undefined || gateway) ? undefined : port],
    ['tls-port', tlsPort],
    ['proxy', gateway ? `http://ticket:${gateway.ticket}@${urlHost(host)}:${port}` : proxy],
  ];
}

const spiceOf = ({ spice }: Offered): Partial<NonNullable<Offered['spice']>> => spice ?? {};

const switchOf = (on: boolean | undefined): number | undefined => (on === undefined ? undefined : Number(on));

/** The escapes of key files: a line end may only stand in the PEM text, and there as the two characters `\n`. */
function escaped(value: string, hasLines: boolean): string {
  const lines = hasLines ? value.split(/\r?\n/) : [value];
  return lines
    .map((line) =>
      asOneLine(line)
        .replaceAll('\\', '\\\\')
        .replace(/^ +/, (spaces) => '\\s'.repeat(spaces.length)),
    )
    .join('\\n');
}
