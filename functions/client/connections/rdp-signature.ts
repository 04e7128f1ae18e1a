import { Buffer } from 'node:buffer';
import type { SignDetached } from '../rdp-signing.ts';

/** One line of a file, `name:type:value`; i is a whole number, s a text. */
export type Setting = { name: string; line: string };

/**
 * The settings that `rdpsign` signs, in its order and spelling. The format is not documented: it is the one that open
 * implementations agree on, and a setting that is not among these can be changed in a signed file.
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

/** The two lines that a signed file has besides: which of the settings are signed, and the signature over them. */
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

/** Version, kind and length, as little-endian numbers. */
function headOf({ length }: Uint8Array): Uint8Array {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0x10001, 0);
  head.writeUInt32LE(1, 4);
  head.writeUInt32LE(length, 8);
  return head;
}
