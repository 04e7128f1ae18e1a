import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';

export const hasRsyslog = existsSync('/usr/sbin/rsyslogd') && hasTlsDriver();

/** A syslog message as parsed by rsyslog. */
type SyslogMessage = {
  msg: string;
  pri: string;
  hostname: string;
  'app-name': string;
  msgid: string;
  'structured-data': string;
  timereported: string;
};

export type Rsyslog = {
  url: string;
  /** The certificate authority for clients. */
  caFile: string;
  start(): Promise<void>;
  /** Kills it. */
  kill(): Promise<void>;
  received(): Promise<SyslogMessage[]>;
  /** Its output file, a line for each message. */
  lines(): Promise<string[]>;
  remove(): Promise<void>;
};

/** A syslog server for RFC 5425 with a certificate of a private CA; not yet running. */
export async function prepareRsyslog(): Promise<Rsyslog> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-rsyslog-'));
  const { certFile, keyFile, caFile } = await ensureLocalTls(join(folder, 'tls'), []);
  const port = await freePort();
  const file = join(folder, 'rsyslog.conf');
  const output = join(folder, 'messages');
  await writeFile(file, configuration({ folder, certFile, keyFile, caFile, port, output }));
  let server: ChildProcess | undefined;
  const lines = async () => {
    const text = await readFile(output, 'utf8').catch(() => '');
    return text.split('\n').filter(Boolean);
  };
  const kill = async (): Promise<void> => {
    const running = server;
    server = undefined;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
    await rm(join(folder, 'pid'), { force: true });
  };
  return {
    url: `tls://localhost:${port}`,
    caFile,
    start: async () => {
      server = spawn('/usr/sbin/rsyslogd', ['-n', '-f', file, '-i', join(folder, 'pid')], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await listens(port);
    },
    kill,
    lines,
    received: async () => (await lines()).map((line): SyslogMessage => JSON.parse(line)),
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type RsyslogOptions = {
  folder: string;
  certFile: string;
  keyFile: string;
  caFile: string;
  port: number;
  output: string;
};

const configuration = ({ folder, certFile, keyFile, caFile, port, output }: RsyslogOptions): string => `
global(workDirectory="${folder}" DefaultNetstreamDriver="gtls" DefaultNetstreamDriverCAFile="${caFile}"
  DefaultNetstreamDriverCertFile="${certFile}" DefaultNetstreamDriverKeyFile="${keyFile}")
module(load="imtcp" StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="anon")
template(name="j" type="list" option.jsonf="on") {
  property(outname="msg" name="msg" format="jsonf") property(outname="pri" name="pri" format="jsonf")
  property(outname="hostname" name="hostname" format="jsonf")
  property(outname="app-name" name="app-name" format="jsonf") property(outname="msgid" name="msgid" format="jsonf")
  property(outname="structured-data" name="structured-data" format="jsonf")
  property(outname="timereported" name="timereported" dateFormat="rfc3339" format="jsonf")
}
ruleset(name="r") { action(type="omfile" file="${output}" template="j") }
input(type="imtcp" port="${port}" address="127.0.0.1" ruleset="r" SupportOctetCountedFraming="on")
`;

/** `rsyslog-gnutls` of Debian; its folder is that of the architecture. */
function hasTlsDriver(): boolean {
  return ['x86_64', 'aarch64'].some((machine) =>
    existsSync(`/usr/lib/${machine}-linux-gnu/rsyslog/lmnsd_gtls.so`),
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** Retries until a connection is accepted; the time limit of the test ends it otherwise. */
async function listens(port: number): Promise<void> {
  const isThere = await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
  if (!isThere) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await listens(port);
  }
}
