import { NIL, v7, validate } from 'uuid';

/** @returns a new UUIDv7 (RFC 9562): time-ordered, so that indexes grow at their end. */
export const newId = (): string => v7();

/** True for any UUID spelling of RFC 9562; identifiers made by dispatchers are of any version. */
export const isId = (text: string): boolean => validate(text);

/** An identifier that nothing has. */
export const noId: string = NIL;
