import { z } from 'zod';

/** A session of a broker. `user` is absent for the account of the portal. */
const NodeKey = z.object({
  session: z.string().regex(/^[\x21-\x7e]{1,256}$/),
  scrambler: z.string().regex(/^[A-Za-z0-9]{0,256}$/),
  /** Milliseconds since 1970. */
  issuedAt: z.number(),
  user: z
    .object({
      authenticator: z.string(),
      id: z.string(),
      name: z.string(),
      groups: z.array(z.string()),
      clientIp: z.string(),
    })
    .optional()
    // A key of an earlier version, without the id or address of its user, cannot open pages.
    .catch(undefined),
});
export type NodeKey = z.output<typeof NodeKey>;

/** The opaque form of a key. */
export const sealable = (key: NodeKey): string => JSON.stringify(key);

/** @throws Error if the text is not a key of this kind */
export const keyOf = (text: string): NodeKey => NodeKey.parse(JSON.parse(text));

/** A key that was just issued is valid, so a refusal concerns the right to the object. */
const freshMs = 30_000;
export const isFresh = ({ issuedAt }: NodeKey): boolean => Date.now() - issuedAt < freshMs;
