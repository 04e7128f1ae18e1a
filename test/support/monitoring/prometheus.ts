import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../shared/tooling/start/throwaway-postgres.ts';

/** The folder of the dashboard and the rules. */
export const monitoringFolder = fileURLToPath(
  new URL('../../../functions/health/monitoring', import.meta.url),
);

/** One alert rule as loaded by Prometheus. */
type Rule = { name: string; query: string; health: string };
export type Prometheus = {
  /** Labels and values of an instant query. @throws Error when Prometheus refuses it */
  query(expression: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]>;
  rules(): Promise<Rule[]>;
  stop(): Promise<void>;
};
type Target = { host: string; key: string; caFile: string };

export const hasPrometheus = ['prometheus', 'promtool'].every((program) => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

export type Ended = { code: number; output: string };

/** Runs promtool with this standard input. */
export const promtool = (args: readonly string[], input = ''): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile('promtool', [...args], { cwd: monitoringFolder }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : Number(error !== null);
      resolve({ code, output: stdout + stderr });
    });
    child.stdin?.end(input);
  });

/**
 * Starts a Prometheus that scrapes one sidecar every second, over HTTPS and with its key, and that has the alert
 * rules loaded.
 */
export async function startPrometheus(target: Target): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), configOf(target));
  // Prometheus does not report its port, so it cannot choose a free one.
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ask = async (path: string) => {
    const answer = await fetch(`http://${address}${path}`);
    const { status, data, error } = await answer.json();
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  };
  return {
    query: async (expression) => (await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`)).result,
    rules: async () => (await ask('/api/v1/rules')).groups.flatMap((group: { rules: Rule[] }) => group.rules),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const configOf = ({ host, key, caFile }: Target): string => `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [${join(monitoringFolder, 'alerts.yml')}]
scrape_configs:
  - job_name: aggregator
    scheme: https
    metrics_path: /aggregator/health/metrics
    authorization: { type: Token, credentials: ${key} }
    tls_config: { ca_file: ${caFile}, server_name: localhost }
    static_configs: [{ targets: ['${host}'] }]
`;
