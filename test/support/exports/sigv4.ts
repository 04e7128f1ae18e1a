import { createHash, createHmac } from 'node:crypto';

export type Signed = {
  method: string;
  /** Path and query as sent. */
  target: string;
  headers: Record<string, string | string[] | undefined>;
};
export type Keys = { accessKeyId: string; secretAccessKey: string; region: string };

/**
 * Checks the Authorization header of AWS Signature Version 4 for S3; written from the specification, without shared
 * code with the signer.
 * @returns the error, or undefined
 */
export function signatureFault({ method, target, headers }: Signed, keys: Keys): string | undefined {
  const [, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=(\S+?),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/.exec(
      String(headers.authorization),
    ) ?? [];
  const [id, date = '', region, service, end] = scope.split('/');
  if (id !== keys.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== keys.region || service !== 's3' || end !== 'aws4_request') return 'a foreign scope';
  const moment = String(headers['x-amz-date']);
  if (!moment.startsWith(date)) return 'a foreign date';
  const signed = names.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name)))
    return 'too little is signed';
  const canonical = [
    method,
    ...canonicalTarget(target),
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', moment, `${date}/${region}/s3/aws4_request`, sha256(canonical)].join(
    '\n',
  );
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${keys.secretAccessKey}`,
  );
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function canonicalTarget(target: string): [path: string, query: string] {
  const { pathname, searchParams } = new URL(target, 'http://store');
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return [
    pathname
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    pairs.sort().join('&'),
  ];
}
