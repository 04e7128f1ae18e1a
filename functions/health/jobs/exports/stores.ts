import type { Db } from '../../../../db/client.ts';
import { createChunkStore } from '../../../../db/repositories/exports/chunks.ts';
import type { ExportedFile } from '../../../../db/repositories/exports/files.ts';
import type { ObjectStore } from '../../../../shared/kernel/object-store.ts';
import { createS3Store } from '../../../../shared/remotes/object-store/s3.ts';
import type { S3Config } from '../../../../shared/remotes/object-store/s3-config.ts';

/** The store for new files, and the stores of existing ones. */
export type Stores = {
  current: ObjectStore;
  /** @throws Error if the object store is no longer configured */
  named(name: ExportedFile['store']): ObjectStore;
};

export function createStores(db: Db, s3: S3Config | undefined): Stores {
  const chunks = createChunkStore(db);
  const objects = s3 && createS3Store(s3);
  return {
    current: objects ?? chunks,
    named: (name) => {
      if (name === 'database') return chunks;
      if (!objects) throw new Error('a file is in an object store that is not configured');
      return objects;
    },
  };
}
