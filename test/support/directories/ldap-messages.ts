/** Names of the requests of LDAP (RFC 4511, section 4.2 and following) by their tag. */
const operations: Readonly<Record<number, string>> = {
  96: 'bind',
  66: 'unbind',
  99: 'search',
  119: 'extended',
};

export type LdapMessage = { id: number; operation: string; octets: Buffer };

type Element = { tag: number; start: number; end: number };

/** @returns undefined while the element is incomplete */
function elementAt(octets: Buffer, at: number): Element | undefined {
  const [tag, first] = octets.subarray(at, at + 2);
  if (tag === undefined || first === undefined) return undefined;
  const size = first < 0x80 ? 0 : first & 0x7f;
  if (octets.length < at + 2 + size) return undefined;
  const length = size === 0 ? first : octets.readUIntBE(at + 2, size);
  const start = at + 2 + size;
  return octets.length < start + length ? undefined : { tag, start, end: start + length };
}

/** Splits a stream into messages. */
export function createMessageReader(onMessage: (message: LdapMessage) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    for (let whole = elementAt(rest, 0); whole; whole = elementAt(rest, 0)) {
      const id = elementAt(rest, whole.start);
      const tag = id && rest[id.end];
      if (id && tag !== undefined)
        onMessage({
          id: rest.readUIntBE(id.start, id.end - id.start),
          operation: operations[tag] ?? 'other',
          octets: rest.subarray(0, whole.end),
        });
      rest = rest.subarray(whole.end);
    }
  };
}
