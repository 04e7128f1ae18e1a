import { Buffer } from 'node:buffer';
import type { SignDetached } from '../rdp-signing.ts';

/** One line of a file: `name:type:value`. The type is `i` for an integer and `s` for a string. */
export type Setting = { name: string; line: string };

/**
 * The settings that `rdpsign` signs, in its order and spelling. The format is not documented; this list follows the
 * open implementations. Settings that are not in this list can be changed in a signed file.
 */
const scope = [
  ...['Full Address', 'Alternate Full Address', 'PCB', 'Use Redirection Server Name', 'Server Port'],
  ...['Negotiate Security Layer', 'EnableCredSspSupport', 'DisableConnectionSharing'],
  ...['AutoReconnection Enabled', 'GatewayHostname', 'GatewayUsageMethod', 'GatewayProfileUsageMethod'],
  ...['GatewayCredentialsSource', 'Support URL', 'PromptCredentialOnce', 'Require pre-authentication'],
  ...['Pre-authentication server address', 'Alternate Shell', 'Shell Working Directory'],
  ...['RemoteApplicationProgram', 'RemoteApplicationExpandWorkingdir', 'RemoteApplicationMode'],
  ...['RemoteApplicationGuid', 'RemoteApplicationName', 'RemoteApplicationIcon', 'RemoteApplicationFile'],
  ...['RemoteApplicationFileExtensions', 'RemoteApplicationCmdLine', 'RemoteApplicationExpandCmdLine'],
  ...['Prompt For Credentials', 'Authentication Level', 'AudioMode', 'RedirectDrives', 'RedirectPrinters'],
  ...['RedirectCOMPorts', 'RedirectSmartCards', 'RedirectPOSDevices', 'RedirectClipboard'],
  ...['DevicesToRedirect', 'DrivesToRedirect', 'LoadBalanceInfo', 'RedirectDirectX', 'RDGIsKDCProxy'],
  ...['KDCProxyName', 'EventLogUploadAddress'],
];

/** Returns the two additional lines of a signed file: the names of the signed settings and the signature over them. */
export async function signatureOf(settings: readonly Setting[], sign: SignDetached): Promise<string[]> {
  const lines = new Map(settings.map(({ name, line }) => [name, line]));
  const signed = scope.flatMap((name) => {
    const line = lines.get(name.toLowerCase());
    return line === undefined ? [] : [{ name, line }];
  });
  const scopeLine = `signscope:s:${signed.map(({ name }) => name).join(',')}`;
  const message = [...signed.map(({ line }) => line), scopeLine, '\0'].join('\r\n');
  const cms = await sign(Buffer.from(message, 'utf16le'));
  return [scopeLine, `signature:s:${Buffer.concat([headOf(cms), cms]).toString('base64')}`];
}

/** Version, type and length as little-endian integers. */
function headOf({ length }: Uint8Array): Uint8Array {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0x10001, 0);
  head.writeUInt32LE(1, 4);
  head.writeUInt32LE(length, 8);
  return head;
}
