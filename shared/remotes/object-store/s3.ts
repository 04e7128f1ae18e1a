import { createChunker } from '../../kernel/chunker.ts';
import { AppError } from '../../kernel/errors.ts';
import type { ObjectReader, ObjectStore } from '../../kernel/object-store.ts';
import type { S3Config, S3Parts } from './s3-config.ts';
import { createS3Client, type S3Client, sendS3Request } from './s3-requests.ts';

/** Size in bytes of every part except the last. S3 requires at least 5 MiB, and allows at most 10,000 parts. */
const partBytes = 8 * 2 ** 20;

/** Files in a bucket of an S3-compatible service, with path-style addressing. */
export function createS3Store(config: S3Config, parts: S3Parts = {}): ObjectStore {
  const client = createS3Client(config, parts);
  return {
    ...readerOf(client),
    name: 's3',
    begin: async (file, note) => {
      const upload = createUpload(client, keyOf(file), note);
      const chunker = createChunker(partBytes, upload.part);
      return {
        append: chunker.add,
        finish: () => chunker.flush().then(upload.complete),
      };
    },
    remove: async (file, uploadId) => {
      if (uploadId !== null)
        await sendS3Request(client, 'DELETE', keyOf(file), { query: { uploadId }, absent: true });
      await sendS3Request(client, 'DELETE', keyOf(file), { absent: true });
    },
  };
}

/** The read-only part of the store. */
export const createS3Reader = (config: S3Config, parts: S3Parts = {}): ObjectReader =>
  readerOf(createS3Client(config, parts));

const keyOf = (file: string): string => `exports/${file}`;

const readerOf = (client: S3Client): ObjectReader => ({
  read: async ({ file, offset, bytes }) => {
    if (offset >= bytes) return new Blob([]).stream();
    const headers = { range: `bytes=${offset}-` };
    const { status, body } = await sendS3Request(client, 'GET', keyOf(file), { headers, streams: true });
    if (offset > 0 && status !== 206) {
      await body?.cancel();
      throw new AppError('upstream_failed', 'The object store does not support downloads from an offset');
    }
    return body ?? new Blob([]).stream();
  },
});

/** A multipart upload. It starts with the first part, because an upload needs at least one part. */
function createUpload(client: S3Client, key: string, note: (uploadId: string) => Promise<void>) {
  const etags: string[] = [];
  let uploadId: string | undefined;
  const begin = async (): Promise<string> => {
    const answer = await sendS3Request(client, 'POST', key, { query: { uploads: '' } });
    const id = unescapeXml(elementOf(await answer.text(), 'UploadId'));
    await note(id);
    return id;
  };
  return {
    part: async (body: Uint8Array<ArrayBuffer>): Promise<void> => {
      uploadId ??= await begin();
      const query = { partNumber: String(etags.length + 1), uploadId };
      const answer = await sendS3Request(client, 'PUT', key, { query, body });
      etags.push(answer.headers.get('etag') ?? '');
    },
    complete: async (): Promise<void> => {
      if (uploadId === undefined)
        return void (await sendS3Request(client, 'PUT', key, { body: new Uint8Array() }));
      const list = etags.map(
        (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
      );
      const body = new TextEncoder().encode(
        `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`,
      );
      const answer = await sendS3Request(client, 'POST', key, { query: { uploadId }, body });
      // The service can report an error in the body of a 200 response.
      elementOf(await answer.text(), 'ETag');
    },
  };
}

/** @throws Error if the element is missing */
function elementOf(xml: string, name: string): string {
  const [, value] = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml) ?? [];
  if (value === undefined) throw new Error(`the object store returned no ${name}: ${xml.slice(0, 200)}`);
  return value;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const unescapeXml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
