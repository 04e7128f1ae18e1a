import type { Config } from '../../runtime/config/config.ts';

export type StartResult = {
  healthUrl: string;
  caFile: string | undefined;
  adminPassword: string | undefined;
};

/** The final output of a start: text, or with `--json` one line for programs. */
export function announcement(config: Config, started: StartResult, asJson: boolean): string {
  return asJson ? `${JSON.stringify(blockOf(config, started))}\n` : `${textOf(config, started)}\n`;
}

const blockOf = (config: Config, { healthUrl, caFile, adminPassword }: StartResult) => ({
  base_url: config.baseUrl,
  local_url: localUrlOf(config),
  health_url: healthUrl,
  ca_file: caFile,
  admin_password: adminPassword,
  health_check_access_key: config.healthCheckAccessKey,
  metrics_access_key: config.metricsAccessKey,
  pid: process.pid,
});

function textOf(config: Config, { healthUrl, caFile, adminPassword }: StartResult): string {
  const lines: [string, string | undefined][] = [
    ['Portal', config.baseUrl],
    ['Plain HTTP', localUrlOf(config)],
    ['In a browser', `${config.baseUrl}/signin`],
    ['Health', `${healthUrl}/aggregator/health/check`],
    ['CA file', caFile],
    ['Administrator', adminPassword && 'admin, domain builtin'],
    ['Password', adminPassword && `${adminPassword} (shown only once)`],
    ['Settings', config.configFile],
  ];
  const shown = lines.filter(([, value]) => value).map(([name, value]) => `  ${name.padEnd(14)}${value}`);
  return `\nThe portal is ready. Press Ctrl-C to stop it.\n\n${shown.join('\n')}\n${tlsHint(caFile)}`;
}

/** Browsers warn about certificates of a private CA. */
const tlsHint = (caFile: string | undefined): string =>
  caFile
    ? `\nThe certificate is signed by a private CA: curl needs --cacert ${caFile}, and browsers warn.\n`
    : '';

/** The target for a proxy that terminates TLS; absent if it equals the public address. */
function localUrlOf({ tls, host, port, baseUrl }: Config): string | undefined {
  if (tls || baseUrl === `http://localhost:${port}`) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
