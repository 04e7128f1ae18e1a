import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

const program = '/usr/bin/firefox-esr';
export const hasFirefox = existsSync(program);

// biome-ignore lint/suspicious/noExplicitAny: results of the protocol are read as the tests expect them
type Json = any;
type Node = { sharedId: string };

/** A tab of Firefox, driven by WebDriver BiDi, which Firefox has built in. */
export type FirefoxTab = {
  /** Errors of the page and its scripts so far. */
  errors: readonly string[];
  goto(url: string): Promise<void>;
  /** The result of an expression, which may be a promise. */
  evaluate(expression: string): Promise<Json>;
  /** Resolves as soon as the expression is true. */
  until(expression: string): Promise<void>;
  /** Clicks with the mouse on the first element of this role and name. */
  click(role: string, name: string): Promise<void>;
  /** Presses keys; special keys are in the list `keys`. */
  press(text: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  screenshot(path: string): Promise<void>;
};

export const keys = { tab: '\uE004', enter: '\uE007', escape: '\uE00C', down: '\uE015' };

export type Firefox = { open(): Promise<FirefoxTab>; close(): Promise<void> };

/** Starts Firefox with a new profile that accepts the certificate of the portal. */
export async function startFirefox(): Promise<Firefox> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-firefox-'));
  const args = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0'];
  const child = spawn(program, args, {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const connection = await connectTo(`${await addressOf(child)}/session`);
  await connection.send('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  await connection.send('session.subscribe', { events: ['log.entryAdded'] });
  return {
    open: () => openTab(connection),
    close: async () => {
      const exited = once(child, 'exit');
      connection.close();
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (!stderr) throw new Error('Firefox has no standard error');
  const lines: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
    lines.push(line);
  }
  throw new Error(`Firefox ended: ${lines.join('\n')}`);
}

type Connection = {
  send(method: string, params: object): Promise<Json>;
  onEvent(listener: (method: string, params: Json) => void): void;
  close(): void;
};

async function connectTo(address: string): Promise<Connection> {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<Json>>();
  const listeners: ((method: string, params: Json) => void)[] = [];
  let last = 0;
  socket.on('message', (data) => {
    const { id, type, result, message, error, method, params } = JSON.parse(String(data));
    if (type === 'event') return listeners.forEach((listener) => void listener(method, params));
    if (type === 'success') waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(`${error}: ${message}`));
  });
  return {
    send: (method, params) => {
      const answer = Promise.withResolvers<Json>();
      waiting.set(++last, answer);
      socket.send(JSON.stringify({ id: last, method, params }));
      return answer.promise;
    },
    onEvent: (listener) => void listeners.push(listener),
    close: () => socket.close(),
  };
}

async function openTab({ send, onEvent }: Connection): Promise<FirefoxTab> {
  const { userContext } = await send('browser.createUserContext', {});
  const { context } = await send('browsingContext.create', { type: 'tab', userContext });
  const errors: string[] = [];
  onEvent((method, { level, text, source }) => {
    if (method === 'log.entryAdded' && level === 'error' && source.context === context) errors.push(text);
  });
  const evaluate = async (expression: string): Promise<Json> => {
    const { result, exceptionDetails } = await send('script.evaluate', {
      expression: `(async () => JSON.stringify(await (${expression})) ?? 'null')()`,
      target: { context },
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return JSON.parse(result.value);
  };
  const until = async (expression: string): Promise<void> => {
    // A navigation ends the evaluation, which then goes on in the next document.
    while (!(await evaluate(waitingFor(expression)).catch(() => false)));
  };
  const locate = async (role: string, name: string): Promise<Node[]> => {
    const locator = { type: 'accessibility', value: { role, name } };
    return (await send('browsingContext.locateNodes', { context, locator })).nodes;
  };
  const click = async (role: string, name: string): Promise<void> => {
    let nodes: Node[] = [];
    while (nodes.length === 0) nodes = await locate(role, name).catch(() => []);
    const [element] = nodes;
    await send('input.performActions', { context, actions: [clickOn(element)] });
  };
  return {
    ...{ errors, evaluate, until, click },
    goto: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    press: (text) => send('input.performActions', { context, actions: [typing(text)] }),
    resize: (width, height) => send('browsingContext.setViewport', { context, viewport: { width, height } }),
    screenshot: async (path) => {
      const { data } = await send('browsingContext.captureScreenshot', { context, origin: 'document' });
      await writeFile(path, Buffer.from(data, 'base64'));
    },
  };
}

/** Waits within the page until the expression is true, for at most a second. */
const waitingFor = (expression: string): string => `(async () => {
  const end = performance.now() + 1000;
  while (!(${expression})) {
    if (performance.now() > end) return false;
    await new Promise(requestAnimationFrame);
  }
  return true;
})()`;

const clickOn = (element: Node | undefined) => ({
  type: 'pointer',
  id: 'mouse',
  actions: [
    { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ],
});

const typing = (text: string) => ({
  type: 'key',
  id: 'keyboard',
  actions: [...text].flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ]),
});
