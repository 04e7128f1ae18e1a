/** A bucket of an S3-compatible service. */
export type S3Config = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/** Replaceable parts for tests. */
export type S3Parts = {
  fetch?: typeof fetch;
  /** Waits between two attempts. */
  pause?: (ms: number) => Promise<unknown>;
};
