import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Batch } from '../../../shared/tooling/embedded/protocol/batches.ts';
import { messageOf, query, sync } from '../../../shared/tooling/embedded/protocol/messages.ts';
import { Session } from '../../../shared/tooling/embedded/protocol/session.ts';

let near: Socket;
let far: Socket;

beforeEach(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const accepted = once(server, 'connection');
  far = createConnection(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  [near] = await accepted;
  server.close();
});
afterEach(() => {
  near.destroy();
  far.destroy();
});

it('a session runs nothing that arrives after its end, so that no half of a transaction takes effect', async () => {
  const session = new Session(near, { id: 7, pid: 1 }, () => '');
  const batches: Batch[] = [];
  session.onBatch = (batch) => batches.push(batch);
  session.receive(query('begin'));
  session.end({ code: '25P03', message: 'too late' });
  session.receive(query('insert into t values (1)'));
  session.receive(sync);
  expect(batches.map(({ end }) => end)).toEqual(['Q']);
  const [answer] = await once(far, 'data');
  expect(answer.toString('latin1')).toMatch(/^E.*SFATAL\0VFATAL\0C25P03\0Mtoo late\0\0$/s);
});

it('a session answers a Sync after a refused batch at once, and an empty batch without an error', async () => {
  const session = new Session(near, { id: 7, pid: 1 }, () => '');
  const batches: Batch[] = [];
  session.onBatch = (batch) => batches.push(batch);
  session.receive(messageOf('E', '\0\0\0\0\0'));
  session.receive(messageOf('H'));
  session.receive(sync);
  const [flushed, synced] = batches;
  if (!flushed || !synced) throw new Error('two batches were sent');
  session.jobs = [{ end: 'S', run: async () => false, refuse: () => undefined }];
  session.refuse(flushed, { code: '55P03', message: 'late' });
  session.refuse(synced, { code: '55P03', message: 'late' });
  expect(session.jobs).toEqual([]);
  let answer = '';
  far.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  await expect.poll(() => answer).toMatch(/^E.*55P03.*Z....IZ....I$/s);
});
