/**
 * Runs a program or tool of the project with Node 24, from any directory and with any Node from version 20:
 *     node launch.mjs <file.ts | tool> [arguments…]
 * Missing packages of the lock file are installed first. A program that starts often runs as a bundle, which is built
 * when its sources changed; with `--watch` it runs from its sources and restarts when they change. Must only import what
 * Node 20 has.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, rmdirSync, statSync, utimesSync } from 'node:fs';
import { constants, tmpdir, userInfo } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endWithNpm } from './end-with-npm.mjs';
import { bundledPrograms, bundleOf, currentFolder, isBuilt, root } from './programs.mjs';

const modules = join(root, 'node_modules');
const bin = join(modules, '.bin');
/** Compiled modules, types stripped: a start loads hundreds of them. Of the user, when they have set one. */
const compileCache = process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache', 'node-compile');
const heartbeatMs = 1_000;

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const nodeFlags = ['--disable-warning=ExperimentalWarning'];

let child;
let stoppedBy;
for (const signal of signals) process.on(signal, () => forward(signal));

endWithNpm(() => forward('SIGTERM'));

try {
  const [program, ...args] = process.argv.slice(2);
  if (!program) throw new Error('usage: node launch.mjs <file.ts | tool> [arguments…]');
  if (isStale()) await alone(install);
  process.exitCode = stoppedBy ? codeOf(stoppedBy) : await run(program, args);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** npm writes the hidden lock file last, so an aborted installation is stale as well. */
function isStale() {
  const installed = modifiedMs(join(modules, '.package-lock.json'));
  return installed === undefined || installed < modifiedMs(join(root, 'package-lock.json'));
}

function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Prevents concurrent installations into one folder. The modification time of the lock is its heartbeat. */
async function alone(work) {
  const id = createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 16);
  const lock = join(tmpdir(), `aggregator-install-${userInfo().uid}-${id}`);
  for (let isTold = false; !take(lock) && !stoppedBy; isTold = true) {
    if (!isTold) process.stderr.write('Waiting for another start that installs the packages\n');
    await delay(heartbeatMs / 4);
  }
  const heartbeat = setInterval(() => utimesSync(lock, new Date(), new Date()), heartbeatMs);
  try {
    if (isStale() && !stoppedBy) await work();
  } finally {
    clearInterval(heartbeat);
    rmdirSync(lock);
  }
}

function take(lock) {
  try {
    mkdirSync(lock, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const seen = modifiedMs(lock);
  if (seen !== undefined && Date.now() - seen > 15 * heartbeatMs) rmdirSync(lock);
  return false;
}

/** The output goes to standard error, because standard output belongs to the program. */
async function install() {
  process.stderr.write('Installing packages (npm ci), about half a minute\n');
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await spawned('npm', args, {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, PATH: systemPath() },
  });
  if (code !== 0 && !stoppedBy) throw new Error(`npm ci failed (${code}); the packages are not installed`);
}

/** The PATH without this project's Node, because npm replaces that Node and must not run on it. */
function systemPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.endsWith(join('node_modules', '.bin'))).join(delimiter);
}

async function run(program, args) {
  const target = targetOf(program);
  // The runner of the tests watches by itself.
  if (program.endsWith('.ts') && !program.startsWith('test/') && args.includes('--watch'))
    return node(['--watch', target, ...args.filter((arg) => arg !== '--watch')]);
  const bundle = await builtBundle(program);
  if (stoppedBy) return codeOf(stoppedBy);
  if (!bundle) return node([target, ...args]);
  const flags = ['--enable-source-maps', '--import', join(root, 'shared/tooling/attach-to-npm.mjs')];
  if (process.execve !== undefined && process.platform !== 'win32') {
    // Signals that have arrived are handled first. From then on they end the process, as they do at the start of the
    // program.
    await new Promise((handled) => setImmediate(handled));
    if (stoppedBy) return codeOf(stoppedBy);
    for (const signal of signals) process.removeAllListeners(signal);
    // Replaces this process, which would otherwise occupy 50 MB beside the program.
    process.execve(
      nodeCommand(),
      [nodeCommand(), ...nodeFlags, ...flags, bundle, ...args],
      nodeEnvironment(),
    );
  }
  return node([...flags, bundle, ...args]);
}

function node(args) {
  return spawned(nodeCommand(), [...nodeFlags, ...args], { stdio: 'inherit', env: nodeEnvironment() });
}

function nodeCommand() {
  const command = join(bin, 'node');
  if (!existsSync(command))
    throw new Error('node_modules has no Node 24: install scripts may be disabled; run npm ci');
  return command;
}

function nodeEnvironment() {
  return {
    ...process.env,
    NODE_COMPILE_CACHE: compileCache,
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
  };
}

/** The sources are enough to run, for example if the folder of the bundles cannot be written. */
async function builtBundle(program) {
  if (!bundledPrograms.includes(program)) return undefined;
  const folder = currentFolder();
  const bundle = bundleOf(program, folder);
  if (isBuilt(folder)) return bundle;
  const code = await node([join(root, 'shared/tooling/build/programs.ts')]);
  if (code === 0 || stoppedBy) return bundle;
  process.stderr.write('The bundle cannot be built; the program runs from its sources\n');
  return undefined;
}

function targetOf(program) {
  const isFile = /\.[cm]?[jt]s$/.test(program);
  const path = isFile ? resolve(root, program) : join(bin, program);
  if (!existsSync(path)) throw new Error(`${program}: the ${isFile ? 'file' : 'tool'} does not exist`);
  return realpathSync(path);
}

/** @returns the exit code in the form of a shell: 128 + n for signal n */
function spawned(command, args, options) {
  return new Promise((settle, reject) => {
    child = spawn(command, args, { cwd: root, ...options });
    child.once('error', (error) => reject(new Error(`${command} cannot be started: ${error.message}`)));
    child.once('exit', (code, signal) => settle(code ?? codeOf(signal)));
  });
}

function codeOf(signal) {
  return 128 + (constants.signals[signal] ?? 0);
}

/** On a terminal the child has received Ctrl-C already. */
function forward(signal) {
  stoppedBy = signal;
  if (signal !== 'SIGINT' || !process.stdin.isTTY) child?.kill(signal);
}
