/** A file that is being written, piece by piece. */
export type ObjectWriter = {
  /** The bytes may be reused as soon as this resolves. */
  append(bytes: Uint8Array): Promise<void>;
  /** From now on the file is there as a whole. */
  finish(): Promise<void>;
};

/** A file that is whole, and the byte to begin at. */
export type ObjectPart = { file: string; offset: number; bytes: number };

/** Where files are read from. */
export type ObjectReader = {
  /**
   * The file from the offset to its end, read as it is asked for; a stream that cannot be read to the end fails.
   * @throws AppError `expired` when there is no such file, `upstream_failed`
   */
  read(part: ObjectPart): Promise<ReadableStream<Uint8Array>>;
};

/** Where files are kept, each named by an id that nobody else uses. */
export type ObjectStore = ObjectReader & {
  name: 'database' | 's3';
  /**
   * Begins a file.
   * @param note keeps what `remove` needs to take back a file that is never finished; waited for before anything is sent
   */
  begin(file: string, note: (uploadId: string) => Promise<void>): Promise<ObjectWriter>;
  /** Deletes a file, be it whole, unfinished or not there. */
  remove(file: string, uploadId: string | null): Promise<void>;
};
