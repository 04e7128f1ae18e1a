import { MAX, NIL, v5, v7, validate } from 'uuid';

/** @returns a new UUIDv7 (RFC 9562): time-ordered, so that indexes grow at their end. */
export const newId = (): string => v7();

/** @returns the one id (UUIDv5) that a name has within the object of id `within`, whoever makes it */
export const idOf = (name: string, within: string): string => v5(name, within);

/** True for any UUID spelling of RFC 9562; identifiers made by dispatchers are of any version. */
export const isId = (text: string): boolean => validate(text);

/** An identifier that nothing has. */
export const noId: string = NIL;
/** An identifier that nothing has, after all others. */
export const lastId: string = MAX;
