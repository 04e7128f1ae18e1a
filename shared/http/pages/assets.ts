/** Files of pages. They are not part of the deployed code. */
export type Assets = {
  /**
   * Returns the text of a file by its name without folders.
   * @throws Error if the file does not exist
   */
  text(name: string): Promise<string>;
  /**
   * Returns the content of a file that is not text.
   * @throws Error if the file does not exist
   */
  bytes(name: string): Promise<Uint8Array<ArrayBuffer>>;
};
