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
export function s3Faults(values: S3Variables): string[] {
  const present = s3Names.find((name) => values[name] !== undefined);
  if (present === undefined) return [];
  return s3Names
    .filter((name) => values[name] === undefined)
    .map((name) => `${name}: required with ${present}`);
}

export function s3From(values: S3Variables): S3Config | undefined {
  const [endpoint, bucket, region, accessKeyId, secretAccessKey] = s3Names.map((name) => values[name]);
  if (!endpoint || !bucket || !region || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}
