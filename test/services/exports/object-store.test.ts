import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createS3Reader, createS3Store } from '../../../shared/remotes/object-store/s3.ts';
import type { S3Config } from '../../../shared/remotes/object-store/s3-config.ts';
import { type S3Server, startS3 } from '../../support/exports/s3-server.ts';
import { signatureFault } from '../../support/exports/sigv4.ts';

let s3: S3Server;
const pauses: number[] = [];
const pause = async (ms: number) => void pauses.push(ms);
const store = (config: S3Config = s3.config) => createS3Store(config, { pause });
const note = async () => undefined;

beforeAll(async () => {
  s3 = await startS3();
});
afterEach(() => {
  s3.before = () => undefined;
  s3.requests.splice(0);
  pauses.splice(0);
});
afterAll(() => s3.stop());

async function write(file: string, content: string): Promise<void> {
  const writer = await store().begin(file, note);
  await writer.append(Buffer.from(content));
  await writer.finish();
}
const read = async (file: string, bytes: number, offset = 0): Promise<string> =>
  text(await createS3Reader(s3.config, { pause }).read({ file, offset, bytes }));

describe('the verifier of S3 signatures', () => {
  /** The example in Amazon's documentation, "GET Object". */
  const example = {
    method: 'GET',
    target: '/test.txt',
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'x-amz-date': '20130524T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
  };
  const keys = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };

  it('accepts the published example, and rejects any change to it', () => {
    expect(signatureFault(example, keys)).toBeUndefined();
    expect(signatureFault({ ...example, method: 'PUT' }, keys)).toBe('SignatureDoesNotMatch');
    expect(signatureFault({ ...example, target: '/test.txt?a=b' }, keys)).toBe('SignatureDoesNotMatch');
    expect(signatureFault(example, { ...keys, secretAccessKey: 'another' })).toBe('SignatureDoesNotMatch');
  });
});

describe('the object store client', () => {
  it('reads what was written, from any byte', async () => {
    await write('small', 'hello');
    expect(await read('small', 5)).toBe('hello');
    expect(await read('small', 5, 2)).toBe('llo');
    expect(await read('small', 5, 5)).toBe('');
    await write('empty', '');
    expect(await read('empty', 0)).toBe('');
    expect(s3.keys()).toEqual(expect.arrayContaining(['exports/small', 'exports/empty']));
  });

  it('works in a process whose HTTP server replaces the global Response', async () => {
    getRequestListener(() => new Response());
    expect((await fetch(`${s3.config.endpoint}/files/none`)) instanceof Response).toBe(false);
    await write('served', 'hello');
    expect(await read('served', 5, 2)).toBe('llo');
    await expect(read('none', 5)).rejects.toMatchObject({ code: 'expired' });
  });

  it('is refused with a wrong secret, without a reason', async () => {
    const wrong = { ...s3.config, secretAccessKey: 'wrong' };
    const refused = store(wrong).read({ file: 'small', offset: 0, bytes: 5 });
    await expect(refused).rejects.toMatchObject({
      code: 'upstream_failed',
      message: 'The object store did not execute the request',
    });
    // A refusal is not temporary.
    expect(pauses).toEqual([]);
  });

  it('retries four times while the store is overloaded, with growing pauses', async () => {
    let failures = 0;
    s3.before = () => (failures++ < 3 ? 503 : undefined);
    await write('later', 'x');
    expect(await read('later', 1)).toBe('x');
    expect(pauses).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = pauses;
    expect([first < 300, second < 600, third < 1_200]).toEqual([true, true, true]);
    s3.before = () => 503;
    await expect(read('later', 1)).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(pauses).toHaveLength(6);
  });

  it('reports an unreachable store', async () => {
    const away = store({ ...s3.config, endpoint: 'http://127.0.0.1:1' });
    await expect(away.read({ file: 'x', offset: 0, bytes: 1 })).rejects.toMatchObject({
      message: 'The object store is unreachable',
    });
  });

  it('aborts an unfinished upload, and ignores what does not exist', async () => {
    const ids: string[] = [];
    const writer = await store().begin('half', async (id) => void ids.push(id));
    await writer.append(Buffer.alloc(9_000_000));
    expect(s3.uploads()).toEqual(ids);
    await store().remove('half', ids[0] ?? '');
    expect(s3.uploads()).toEqual([]);
    await store().remove('half', ids[0] ?? '');
    await store().remove('never', null);
    await expect(read('half', 1)).rejects.toMatchObject({ code: 'expired' });
  });

  it('rejects a file with a missing end', async () => {
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { read: from } = createS3Reader({ ...s3.config, endpoint }, { pause });
    expect(await text(await from({ file: 'x', offset: 0, bytes: 5 }))).toBe('hello');
    await expect(from({ file: 'x', offset: 2, bytes: 5 })).rejects.toMatchObject({ code: 'upstream_failed' });
    server.close();
  });

  it('rejects a 200 response that contains an error', async () => {
    const answers: Record<string, string> = { POST: '<R><UploadId>u</UploadId></R>', PUT: '' };
    const fetch = async (request: RequestInfo | URL) => {
      const { method, url } = new Request(request);
      const isLast = method === 'POST' && !url.includes('uploads=');
      return new Response(isLast ? '<Error><Code>InternalError</Code></Error>' : answers[method]);
    };
    const writer = await createS3Store(s3.config, { fetch, pause }).begin('bad', note);
    await writer.append(Buffer.from('content'));
    await expect(writer.finish()).rejects.toThrow('returned no ETag');
  });
});
