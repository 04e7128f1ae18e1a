import type { Config } from '../../runtime/config/config.ts';

export type Started = { healthUrl: string; caFile: string | undefined; adminPassword: string | undefined };

/** The block that ends a start: for people, or with `--json` one line for programs. */
export function announcement(config: Config, started: Started, asJson: boolean): string {
  return asJson ? `${JSON.stringify(blockOf(config, started))}\n` : `${textOf(config, started)}\n`;
}

const blockOf = (config: Config, { healthUrl, caFile, adminPassword }: Started) => ({
  base_url: config.baseUrl,
  local_url: localUrlOf(config),
  health_url: healthUrl,
  ca_file: caFile,
  admin_password: adminPassword,
  health_check_access_key: config.healthCheckAccessKey,
  metrics_access_key: config.metricsAccessKey,
  pid: process.pid,
});

function textOf(config: Config, { healthUrl, caFile, adminPassword }: Started): string {
  const lines: [string, string | undefined][] = [
    ['Portal', config.baseUrl],
    ['Plain HTTP', localUrlOf(config)],
    ['In a browser', `${config.baseUrl}/signin`],
    ['Health', `${healthUrl}/aggregator/health/check`],
    ['CA file', caFile],
    ['Administrator', adminPassword && 'admin, domain builtin'],
    ['Password', adminPassword && `${adminPassword} (shown once; keep it)`],
    ['Settings', config.configFile],
  ];
  const shown = lines.filter(([, value]) => value).map(([name, value]) => `  ${name.padEnd(14)}${value}`);
  return `\nThe portal is ready. Ctrl-C ends it.\n\n${shown.join('\n')}\n${tlsHint(caFile)}`;
}

/** Browsers warn of the certificate of a private CA. */
const tlsHint = (caFile: string | undefined): string =>
  caFile ? `\nThe certificate is of a private CA: curl needs --cacert ${caFile}, and browsers warn.\n` : '';

/** Behind a proxy that ends TLS: what the proxy must be pointed at; absent where it is the public address itself. */
function localUrlOf({ tls, host, port, baseUrl }: Config): string | undefined {
  if (tls || baseUrl === `http://localhost:${port}`) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
