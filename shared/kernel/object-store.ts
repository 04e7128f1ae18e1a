/** Writes a file piece by piece. */
export type ObjectWriter = {
  /** The caller may reuse the bytes after this resolves. */
  append(bytes: Uint8Array): Promise<void>;
  /** Completes the file. It becomes visible as a whole. */
  finish(): Promise<void>;
};

/** A complete file, and the byte offset to start at. */
export type ObjectPart = { file: string; offset: number; bytes: number };

/** Source of stored files. */
export type ObjectReader = {
  /**
   * Streams the file from the offset to its end. The stream errors if it cannot be read to the end.
   * @throws AppError `expired` if the file does not exist, `upstream_failed`
   */
  read(part: ObjectPart): Promise<ReadableStream<Uint8Array>>;
};

/** A store of files, each named by a unique id. */
export type ObjectStore = ObjectReader & {
  name: 'database' | 's3';
  /**
   * Begins a file.
   * @param note stores what `remove` needs to abort an upload that is never completed; awaited before any data is
   * sent
   */
  begin(file: string, note: (uploadId: string) => Promise<void>): Promise<ObjectWriter>;
  /** Deletes a file. It may be complete, incomplete or absent. */
  remove(file: string, uploadId: string | null): Promise<void>;
};
