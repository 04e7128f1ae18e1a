/** A bucket of anything that speaks S3. */
export type S3Config = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/** What a test puts in the place of the real thing. */
export type S3Parts = {
  fetch?: typeof fetch;
  /** Waits between two tries. */
  pause?: (ms: number) => Promise<unknown>;
};
