import { MAX, NIL, v5, v7, validate } from 'uuid';

/** @returns a new UUIDv7 (RFC 9562), time-ordered so that indexes grow at the end */
export const newId = (): string => v7();

/** @returns the UUIDv5 of a name in the namespace `within`; the same on every node */
export const idOf = (name: string, within: string): string => v5(name, within);

/** True for a UUID of any version (RFC 9562): dispatchers choose their own versions. */
export const isId = (text: string): boolean => validate(text);

/** The nil UUID. No row has it. */
export const noId: string = NIL;
/** The maximum UUID. No row has it, and it sorts last. */
export const lastId: string = MAX;
