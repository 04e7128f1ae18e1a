import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePorts } from '../../e2e/support/portal-process.ts';

export const nginx = '/usr/sbin/nginx';
export const haproxy = '/usr/sbin/haproxy';
export const hasNginx = existsSync(nginx);

/** A reverse proxy in front of one server, with a port for HTTP/1.1 and one for HTTP/2 over TLS. */
export type ReverseProxy = { plain: number; secure: number; stop(): Promise<void> };

export type ProxyOptions = {
  /** Port of the server on this machine. */
  to: number;
  tls: { certPem: string; keyPem: string };
  /** Seconds without data from the server after which the proxy ends a response. */
  patienceS: number;
  /** Port for HTTP/2; default: a free one. */
  secure?: number;
};

type Ports = { plain: number; secure: number };

/** A proxy in one configuration. The folder has `server.pem`, the certificate with its key. */
export type Program = {
  path: string;
  args: (config: string) => string[];
  configOf: (folder: string, ports: Ports, options: ProxyOptions) => string;
};

/** With its defaults: it buffers responses, and speaks HTTP/1.0 to the server. */
const nginxProgram: Program = nginxWith(
  ({ to, patienceS }) => `proxy_read_timeout ${patienceS}s;
  location / { proxy_pass http://127.0.0.1:${to}; }`,
);

/**
 * nginx with these directives of its server.
 * @param ofHttp directives of all servers, where `$folder` is a folder of the proxy
 */
export function nginxWith(directives: (options: ProxyOptions) => string, ofHttp = ''): Program {
  return {
    path: nginx,
    args: (config) => ['-c', config, '-e', 'stderr'],
    configOf: (folder, { plain, secure }, options) => `daemon off;
master_process off;
pid ${folder}/pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ${ofHttp.replaceAll('$folder', folder)}
  server {
    listen 127.0.0.1:${plain};
    listen 127.0.0.1:${secure} ssl http2;
    ssl_certificate ${folder}/server.pem;
    ssl_certificate_key ${folder}/server.pem;
    ${directives(options)}
  }
}
`,
  };
}

/** HAProxy with these further lines of its front end. */
export const haproxyWith = (lines = ''): Program => ({
  path: haproxy,
  args: (config) => ['-db', '-f', config],
  configOf: (folder, { plain, secure }, { to, patienceS }) => `defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server ${patienceS}s
frontend portal
  bind 127.0.0.1:${plain}
  bind 127.0.0.1:${secure} ssl crt ${folder}/server.pem alpn h2,http/1.1
  ${lines}
  default_backend portal
backend portal
  server portal 127.0.0.1:${to}
`,
});

export const startNginx = (options: ProxyOptions): Promise<ReverseProxy> => startProxy(nginxProgram, options);
export const startHaproxy = (options: ProxyOptions): Promise<ReverseProxy> =>
  startProxy(haproxyWith(), options);

export async function startProxy(
  { path, args, configOf }: Program,
  options: ProxyOptions,
): Promise<ReverseProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-proxy-'));
  const [plain = 0, free = 0] = await freePorts(2);
  const { secure = free } = options;
  const config = join(folder, 'proxy.conf');
  await writeFile(join(folder, 'server.pem'), `${options.tls.certPem}\n${options.tls.keyPem}`, {
    mode: 0o600,
  });
  await writeFile(config, configOf(folder, { plain, secure }, options));
  const child = spawn(path, args(config), { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const complaint = text(child.stderr);
  while (!(await accepts(secure))) {
    if (child.exitCode !== null) throw new Error(`${path} ended: ${await complaint}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    plain,
    secure,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
