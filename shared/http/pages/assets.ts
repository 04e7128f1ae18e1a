/** Files that pages are made of; they are no part of the code that is deployed. */
export type Assets = {
  /** The text of a file, by its name without folders. @throws Error when there is none */
  text(name: string): Promise<string>;
};

/** The asset that has the digests of files that pages load: a JSON object of texts by name. */
export const digestsName = 'digests.json';
