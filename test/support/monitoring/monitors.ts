import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../e2e/support/portal-process.ts';

const programs = {
  curl: '/usr/bin/curl',
  checkHttp: '/usr/lib/nagios/plugins/check_http',
  blackbox: '/usr/bin/prometheus-blackbox-exporter',
};
export const hasMonitors = Object.values(programs).every((path) => existsSync(path));

/** Exit code and output of a finished program. */
export type Checked = { code: number; output: string };

const run = (program: string, args: readonly string[]): Promise<Checked> =>
  new Promise((resolve) => {
    execFile(program, [...args], (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : Number(error !== null);
      resolve({ code, output: stdout + stderr });
    });
  });

/** curl without additional headers; 22 for an HTTP status from 400. */
export const curl = (url: string, caFile: string): Promise<Checked> =>
  run(programs.curl, ['--fail', '--silent', '--show-error', '--cacert', caFile, url]);

/** check_http of the monitoring plugins: 0 OK, 1 WARNING, 2 CRITICAL. It does not verify certificates. */
export function checkHttp(url: string, ...args: string[]): Promise<Checked> {
  const { hostname, port, pathname, search } = new URL(url);
  const target = ['--ssl', '--sni', '-H', hostname, '-p', port, '-u', `${pathname}${search}`];
  return run(programs.checkHttp, [...target, ...args]);
}

/** The values of one probe. */
export type Probe = { success: number; status: number };

/** blackbox_exporter with a module that verifies the certificate and the body. */
export async function startBlackbox(caFile: string) {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-blackbox-'));
  const config = join(folder, 'blackbox.yml');
  await writeFile(
    config,
    `modules:
  health:
    prober: http
    timeout: 5s
    http:
      preferred_ip_protocol: ip4
      fail_if_not_ssl: true
      fail_if_body_not_matches_regexp: ['"status":"pass"']
      tls_config: { ca_file: ${caFile} }
`,
  );
  const [port = 0] = await freePorts(1);
  const child = spawn(
    programs.blackbox,
    [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore' },
  );
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  while (!(await read('/-/healthy').catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`blackbox_exporter ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    probe: async (target: string): Promise<Probe> => {
      const text = await read(`/probe?${new URLSearchParams({ module: 'health', target })}`);
      const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
      return { success: value('probe_success'), status: value('probe_http_status_code') };
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
