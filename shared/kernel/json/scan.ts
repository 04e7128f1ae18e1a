/** Limits of a JSON text. */
export const jsonLimits = {
  /** Nesting depth of objects and arrays. */
  depth: 32,
  /** Members of one object. */
  members: 1_000,
  /** Total number of members and elements. */
  values: 20_000,
  /**
   * Number of different member names; the same names in another order count again. V8 creates a hidden class for each
   * order, which takes longer than the rest of the parsing.
   */
  names: 1_500,
} as const;

/** An exceeded limit, with the path of the object or array that exceeds it. */
export type ExceededLimit = { limit: keyof typeof jsonLimits; path: (string | number)[] };

export type ScanResult = {
  /** Members of all objects as written. If a name occurs twice, the parsed value has fewer. */
  members: number;
  exceeded: ExceededLimit | undefined;
};

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

type Level = {
  isArray: boolean;
  /** Number of members, or of commas in an array. */
  entries: number;
  /** Offset of the name of the latest member. */
  name: number;
  /** Hash of all names so far, in order. */
  shape: number;
};

/**
 * Checks JSON text against the limits before any value is built. It makes one pass with constant memory per level, so
 * that the cost depends only on the length. The result for text that is not JSON is undefined.
 */
export function scanJson(bytes: Uint8Array, maxValues: number = jsonLimits.values): ScanResult {
  const scanner = new Scanner(bytes, maxValues);
  for (let at = 0; at < bytes.length && !scanner.exceeded; at++) {
    switch (bytes[at]) {
      case quote:
        at = scanner.string(at);
        break;
      case colon:
        scanner.member();
        break;
      case comma:
        scanner.separate();
        break;
      case openBrace:
      case openBracket:
        scanner.open(at);
        break;
      case closeBrace:
      case closeBracket:
        scanner.levels.pop();
    }
  }
  return scanner;
}

class Scanner implements ScanResult {
  readonly levels: Level[] = [];
  members = 0;
  exceeded: ExceededLimit | undefined;
  readonly #bytes: Uint8Array;
  #values = 0;
  #string = 0;
  #end = 0;
  readonly #shapes = new Set<number>();
  /** Random, so that a caller cannot choose names with equal hashes. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  readonly #maxValues: number;

  constructor(bytes: Uint8Array, maxValues: number) {
    this.#bytes = bytes;
    this.#maxValues = maxValues;
  }

  /** @returns the offset of the closing quote */
  string(at: number): number {
    this.#string = at;
    this.#end = endOfString(this.#bytes, at);
    return this.#end;
  }

  member(): void {
    this.members++;
    this.#count();
    const level = this.levels.at(-1);
    if (!level) return;
    level.name = this.#string;
    if (++level.entries > jsonLimits.members) this.#exceed('members', this.levels.slice(0, -1));
    level.shape = this.#hash(level.name, level.shape);
    if (this.#shapes.add(level.shape).size > jsonLimits.names) this.#exceed('names', []);
  }

  /** FNV-1a of the name that begins at `start`, continued from the hash `from`. */
  #hash(start: number, from: number): number {
    let hash = from;
    for (let at = start + 1; at < this.#end; at++)
      hash = Math.imul(hash ^ (this.#bytes[at] ?? 0), 0x01000193);
    // A separator between names, so that `ab`, `c` differs from `a`, `bc`.
    return Math.imul(hash ^ quote, 0x01000193);
  }

  separate(): void {
    const level = this.levels.at(-1);
    if (!level?.isArray) return;
    level.entries++;
    this.#count();
  }

  open(at: number): void {
    if (this.levels.length === jsonLimits.depth) {
      this.#exceed('depth', this.levels);
      return;
    }
    const isArray = this.#bytes[at] === openBracket;
    if (isArray && !isEmptyArray(this.#bytes, at)) this.#count();
    this.levels.push({ isArray, entries: 0, name: 0, shape: this.#seed });
  }

  #count(): void {
    if (++this.#values > this.#maxValues) this.#exceed('values', []);
  }

  #exceed(limit: ExceededLimit['limit'], path: readonly Level[]): void {
    this.exceeded = { limit, path: path.map((level) => stepOf(level, this.#bytes)) };
  }
}

/** @returns the offset of the closing quote, or the end of the text */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

function isEmptyArray(bytes: Uint8Array, start: number): boolean {
  let at = start + 1;
  while (isSpace(bytes[at])) at++;
  return bytes[at] === closeBracket;
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function stepOf({ isArray, entries, name }: Level, bytes: Uint8Array): string | number {
  if (isArray) return entries;
  const text = new TextDecoder().decode(bytes.subarray(name, endOfString(bytes, name) + 1));
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
