import { Buffer } from 'node:buffer';
import { urlHost } from '../../../shared/kernel/addresses/hosts.ts';
import { asOneLine, type ConnectionResponse } from './connection-response.ts';

/**
 * Creates a file for `remote-viewer`, a GLib key file in UTF-8. The program deletes the file when it opens it, because
 * the password in it is valid once.
 */
export function virtViewerFile(offered: ConnectionResponse): Uint8Array {
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
 * Each SPICE channel is a separate connection. Through a gateway, each channel uses it as an HTTP proxy with the same
 * ticket as password. The ticket cannot be the host name, because host names are converted to lower case.
 */
function addressOf(offered: ConnectionResponse): [string, string | number | undefined][] {
  const { gateway } = offered;
  const { host, port } = gateway ?? offered;
  const { tls_port: tlsPort, secure_channels: secure, proxy } = spiceOf(offered);
  return [
    ['host', host],
    // Without a list of secure channels, all channels use TLS if there is a TLS port. A gateway offers one port for all
    // channels.
    ['port', tlsPort !== undefined && (secure === undefined || gateway) ? undefined : port],
    ['tls-port', tlsPort],
    ['proxy', gateway ? `http://ticket:${gateway.ticket}@${urlHost(host)}:${port}` : proxy],
  ];
}

const spiceOf = ({ spice }: ConnectionResponse): Partial<NonNullable<ConnectionResponse['spice']>> =>
  spice ?? {};

const switchOf = (on: boolean | undefined): number | undefined => (on === undefined ? undefined : Number(on));

/** Escapes a value for a key file. Line ends are allowed only in PEM text, as the two characters `\n`. */
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
