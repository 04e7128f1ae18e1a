import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createReader,
  isOpening,
  messageOf,
  query,
  sync,
} from '../../../shared/tooling/embedded/protocol/messages.ts';
import {
  postgresBinaries,
  requestCancel,
  type Server,
  startEmbedded,
  startPair,
} from '../../support/database/pair.ts';
import { requireService } from '../../support/services.ts';

const opened: { end(): unknown }[] = [];

async function client(server: Server, user: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: server.urlOf(user), ...config });
  made.on('error', () => undefined);
  await made.connect();
  opened.push(made);
  return made;
}

const keyOf = (made: pg.Client) => made as unknown as { processID: number; secretKey: number };

/** A client that sends arbitrary messages, and collects the types of those that it receives. */
class RawClient {
  readonly #socket: Socket;
  types = '';
  readonly parameters = new Map<string, string>();

  constructor(url: string) {
    const { hostname, port, searchParams } = new URL(url);
    const folder = searchParams.get('host');
    this.#socket = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(Number(port), hostname);
    // The reader expects an opening message, which servers do not send.
    const read = createReader();
    read(startup({}));
    this.#socket.on('data', (chunk: Buffer) => {
      for (const message of read(chunk)) if (!isOpening(message)) this.#receive(message);
    });
    opened.push({ end: () => this.#socket.destroy() });
  }

  send(...messages: Buffer[]): void {
    this.#socket.write(Buffer.concat(messages));
  }

  /** Resolves when the types so far match. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.types)) await once(this.#socket, 'data');
    return this.types;
  }

  #receive(message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0);
    const [name = '', value = ''] = message.toString('utf8', 5).split('\0');
    if (type === 'S') this.parameters.set(name, value);
    else this.types += type;
  }
}

function startup(parameters: Record<string, string>): Buffer {
  const texts = Object.entries(parameters).map(([name, value]) => `${name}\0${value}\0`);
  const body = Buffer.from(`${texts.join('')}\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
}

/** A statement by the extended protocol, up to Execute. */
const extended = (text: string): Buffer[] => [
  messageOf('P', `\0${text}\0\0\0`),
  messageOf('B', '\0\0\0\0\0\0\0\0'),
  messageOf('E', '\0\0\0\0\0'),
];
const flush = messageOf('H');
const change = 'update notes set text = text';

afterEach(async () => {
  for (const one of opened.splice(0)) await one.end();
});

describe('limits of the embedded database', () => {
  let server: Server;

  beforeAll(async () => {
    server = await startEmbedded();
  });
  afterAll(() => server?.stop());

  it('returns an error to 40 clients behind one transaction, and each of them gets its connection back', async () => {
    const holder = await client(server, 'lena');
    const waiting = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        client(server, 'lena', n % 2 ? { lock_timeout: 50 + n } : { statement_timeout: 50 + n }),
      ),
    );
    await holder.query('begin');
    await holder.query(change);
    const codes = await Promise.all(
      waiting.map((one) =>
        one.query(change).then(
          () => 'done',
          ({ code }: pg.DatabaseError) => code,
        ),
      ),
    );
    expect(codes).toEqual(waiting.map((_, n) => (n % 2 ? '55P03' : '57014')));
    await holder.query('commit');
    // Sequentially, so that none of them waits again.
    for (const one of waiting) expect((await one.query(change)).rowCount).toBe(1);
  });

  it('cancels the statement of the cancel key, and no other', async () => {
    const [holder, first, second] = [
      await client(server, 'lena'),
      await client(server, 'lena'),
      await client(server, 'lena'),
    ];
    const keys = [holder, first, second].map(keyOf);
    expect(new Set(keys.map(({ secretKey }) => secretKey)).size).toBe(3);
    await holder.query('begin');
    const [one, two] = [first.query(change), second.query(change)];
    const cancelled = expect(one).rejects.toMatchObject({
      code: '57014',
      message: 'canceling statement due to user request',
    });
    const url = server.urlOf('lena');
    const { processID, secretKey } = keyOf(first);
    await requestCancel(url, processID, secretKey ^ 1);
    await requestCancel(url, 999_999, secretKey);
    // The holder of the lock does not wait.
    await requestCancel(url, keyOf(holder).processID, keyOf(holder).secretKey);
    await requestCancel(url, processID, secretKey);
    await cancelled;
    await holder.query('commit');
    expect((await two).rowCount).toBe(1);
    expect((await first.query(change)).rowCount).toBe(1);
  });

  it('never runs a statement whose client disconnected while it waited', async () => {
    const [holder, waiter] = [await client(server, 'lena'), await client(server, 'lena')];
    await holder.query('begin');
    const waiting = waiter.query(`insert into notes values (99, 'late')`).catch((error) => error);
    await requestCancel(server.urlOf('lena'), 0, 0);
    const { connection } = waiter as unknown as { connection: { stream: Socket } };
    connection.stream.destroy();
    expect(await waiting).toBeInstanceOf(Error);
    // The server reads the end of the connection before it reads the last of these.
    for (let trip = 0; trip < 5; trip++) await holder.query('select 1');
    await holder.query('commit');
    expect((await holder.query('select from notes where id = 99')).rowCount).toBe(0);
  });

  it('accepts a new client of a known role during a transaction, and rejects an unknown role', async () => {
    const holder = await client(server, 'lena', { application_name: 'known' });
    await holder.query('begin');
    const second = await client(server, 'lena', { application_name: 'known' });
    const waiting = second.query('select 1 as one');
    const unknown = new pg.Client({ connectionString: server.urlOf('nobody_knows') });
    const refused = expect(unknown.connect()).rejects.toMatchObject({ code: '28000' });
    await holder.query('rollback');
    expect((await waiting).rows).toEqual([{ one: 1 }]);
    await refused;
  });

  it('ends the session of a role that was dropped', async () => {
    const root = await client(server, 'postgres');
    await root.query('create role brief login');
    const brief = await client(server, 'brief');
    await root.query('drop role brief');
    await expect(brief.query('select 1')).rejects.toMatchObject({ severity: 'FATAL', code: '22023' });
    await expect(client(server, 'brief')).rejects.toMatchObject({ severity: 'FATAL', code: '28000' });
    expect((await root.query('select session_user::text as name')).rows).toEqual([{ name: 'postgres' }]);
  });

  it('answers malformed messages with a FATAL error, and continues', async () => {
    for (const bytes of ['Q\0\0\0\x05a', 'B\0\0\0\x07abc', 'E\0\0\0\x04', '\x01\0\0\0\0', 'P\0\0\0\x06a\0']) {
      const raw = new RawClient(server.urlOf('lena'));
      raw.send(startup({ user: 'lena', database: 'postgres' }));
      await raw.until(/Z$/);
      raw.send(Buffer.from(bytes, 'latin1'), sync);
      expect(await raw.until(/Z.*E/)).toMatch(/^RKZ.*E$/);
    }
    expect((await (await client(server, 'lena')).query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('delivers a notification to an idle client, and to none that has disconnected', async () => {
    const [listener, leaver, sender] = [
      await client(server, 'lena'),
      await client(server, 'omar'),
      await client(server, 'omar'),
    ];
    for (const one of [listener, leaver]) await one.query('listen news');
    await leaver.query('listen gone');
    const received = once(listener, 'notification');
    await sender.query(`notify news, 'one'`);
    const [{ processId, channel, payload }] = await received;
    expect({ processId, channel, payload }).toEqual({
      processId: keyOf(sender).processID,
      channel: 'news',
      payload: 'one',
    });
    await Promise.all([leaver.end(), listener.end()]);
    const channels = `select channel from pg_listening_channels() as channels (channel) where channel in ('news', 'gone')`;
    await expect.poll(async () => (await sender.query(channels)).rows, { timeout: 15_000 }).toEqual([]);
  });
});

requireService('postgresql', postgresBinaries !== undefined)(
  'the extended query protocol on both databases',
  () => {
    let servers: { embedded: Server; postgres: Server };

    beforeAll(async () => {
      servers = await startPair();
    });
    afterAll(() => Promise.all([servers?.embedded.stop(), servers?.postgres.stop()]));

    /** @returns errors, ends of statements and ReadyForQuery, in order: a refused batch has no other answers here */
    const outcome = (types: string) => types.replace(/[^ECZ]/g, '');

    async function behindLock(
      server: Server,
      options: string,
      work: (raw: RawClient, holder: pg.Client) => Promise<void>,
    ) {
      const holder = await client(server, 'lena');
      const raw = new RawClient(server.urlOf('lena'));
      raw.send(startup({ user: 'lena', database: 'postgres', options }));
      await raw.until(/Z$/);
      await holder.query('begin');
      await holder.query('lock table notes');
      raw.types = '';
      await work(raw, holder);
      return outcome(raw.types);
    }

    const scripts: [string, string, (raw: RawClient, holder: pg.Client) => Promise<void>, string][] = [
      [
        'a batch that ends with Sync',
        '-c statement_timeout=100',
        async (raw, holder) => {
          raw.send(...extended(change), sync);
          await raw.until(/Z/);
          await holder.query('commit');
          raw.send(...extended(change), sync);
          await raw.until(/Z.*Z/);
        },
        'EZCZ',
      ],
      [
        'a batch that ends with Flush: everything up to Sync is ignored',
        '-c lock_timeout=100',
        async (raw, holder) => {
          raw.send(...extended(change), flush);
          await raw.until(/E/);
          raw.send(...extended('select 1'), flush, query('select 2'), ...extended('select 3'), sync);
          await raw.until(/Z/);
          await holder.query('commit');
          raw.send(query(change));
          await raw.until(/Z.*Z/);
        },
        'EZCZ',
      ],
      [
        'a Flush that is sent together with what follows',
        '-c lock_timeout=100',
        async (raw, holder) => {
          raw.send(...extended(change), flush, ...extended('select 1'), flush, query('select 2'), sync, sync);
          await raw.until(/Z.*Z/);
          await holder.query('commit');
          raw.send(...extended(change), flush);
          await raw.until(/C/);
          raw.send(...extended('select 1'), sync);
          await raw.until(/Z.*Z.*Z/);
        },
        'EZZCCZ',
      ],
      [
        'batches of which only the first is too late',
        '-c lock_timeout=400',
        async (raw, holder) => {
          raw.send(...extended(change), sync, ...extended(change), sync, query(change));
          await raw.until(/Z/);
          await holder.query('commit');
          await raw.until(/Z.*Z.*Z/);
        },
        'EZCZCZ',
      ],
    ];

    it.each(scripts)('answers in the same way: %s', async (_, options, work, expected) => {
      expect(await behindLock(servers.postgres, options, work)).toBe(expected);
      expect(await behindLock(servers.embedded, options, work)).toBe(expected);
    });

    it('reports the same parameters, and changes of them to their own client only', async () => {
      const own = [
        'session_authorization',
        'is_superuser',
        'application_name',
        'client_encoding',
        'TimeZone',
        'DateStyle',
      ];
      const reportedTo = async (server: Server) => {
        const [lena, root] = [new RawClient(server.urlOf('lena')), new RawClient(server.urlOf('lena'))];
        lena.send(
          startup({ user: 'lena', database: 'postgres', application_name: 'one', timezone: 'Asia/Tokyo' }),
        );
        root.send(
          startup({ user: 'postgres', database: 'postgres', datestyle: 'German', client_encoding: 'utf-8' }),
        );
        await Promise.all([lena.until(/Z$/), root.until(/Z$/)]);
        root.send(query(`set application_name = 'two'; set timezone = 'UTC'`));
        await root.until(/Z.*Z$/);
        lena.send(query('select 1'));
        await lena.until(/Z.*Z$/);
        lena.send(query(`begin; set application_name = 'three'; rollback; set timezone = 'Europe/Paris'`));
        await lena.until(/Z.*Z.*Z$/);
        return [lena, root].map(({ parameters }) => own.map((name) => parameters.get(name)));
      };
      const expected = await reportedTo(servers.postgres);
      expect(expected[1]?.slice(0, 3)).toEqual(['postgres', 'on', 'two']);
      expect(await reportedTo(servers.embedded)).toEqual(expected);
    });
  },
);
