import { startExports } from '../exports/exports.ts';

/** The export part of a sidecar, as a process that can be killed; `S3` is the configuration of an object store. */
const { DATABASE_URL = '', S3 } = process.env;
await startExports(DATABASE_URL, { s3: S3 === undefined ? undefined : JSON.parse(S3) });
process.stdout.write('ready\n');
