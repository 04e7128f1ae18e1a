import type { S3Config } from '../../remotes/object-store/s3-config.ts';

const s3Names = [
  'S3_ENDPOINT',
  'S3_BUCKET',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
] as const;

type S3Variables = { [Name in (typeof s3Names)[number]]?: string | undefined };

/** All variables of an object store are required together. @returns one line for each missing variable */
export function s3Faults(given: S3Variables): string[] {
  const told = s3Names.find((name) => given[name] !== undefined);
  if (told === undefined) return [];
  return s3Names.filter((name) => given[name] === undefined).map((name) => `${name}: required with ${told}`);
}

export function s3From(given: S3Variables): S3Config | undefined {
  const [endpoint, bucket, region, accessKeyId, secretAccessKey] = s3Names.map((name) => given[name]);
  if (!endpoint || !bucket || !region || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}
