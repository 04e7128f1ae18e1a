/** A list with a longer row is refused, in characters. */
const longestRow = 256 * 1024;

/** The text is not a JSON array of objects, or is beyond a limit. */
export class UnreadableRows extends Error {
  readonly reason: 'not_json' | 'too_large';

  /** @param read what was read until then, for the log; without content of the list */
  constructor(reason: 'not_json' | 'too_large', read: string) {
    super(`the list is ${reason} after ${read}`);
    this.reason = reason;
  }
}

/** The depth of the array and of the objects in it. */
const depths = { array: 1, row: 2 };
const steps: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/**
 * Reads a JSON array of objects from a text that arrives in parts, and holds one row at a time. The broker has no pages:
 * a pool of 10,000 desktops is one answer of more than 5 MiB.
 */
export class RowReader {
  readonly #onRow: (row: unknown) => void;
  readonly #mostRows: number;
  readonly #significant = /["{}[\]\\]/g;
  #text = '';
  /** Where the next significant character is searched. */
  #at = 0;
  /** Where the row begins, or the text between rows. */
  #from = 0;
  #depth = 0;
  #isQuoted = false;
  #rows = 0;
  #characters = 0;
  #arrays = 0;

  /** @param onRow receives each row, parsed */
  constructor(onRow: (row: unknown) => void, mostRows: number) {
    this.#onRow = onRow;
    this.#mostRows = mostRows;
  }

  /** @throws UnreadableRows */
  write(part: string): void {
    this.#characters += part.length;
    this.#text += part;
    this.#significant.lastIndex = this.#at;
    for (let found = this.#significant.exec(this.#text); found; found = this.#significant.exec(this.#text))
      this.#step(found[0], found.index);
    // An escape at the end of the part continues in the next one.
    this.#at = Math.max(this.#at, this.#text.length) - this.#from;
    this.#text = this.#text.slice(this.#from);
    this.#from = 0;
    if (this.#text.length > longestRow) throw this.#unreadable('too_large');
  }

  /** @throws UnreadableRows if the array is not complete */
  end(): void {
    const isComplete = this.#arrays === 1 && this.#depth === 0 && !this.#isQuoted;
    if (!isComplete || this.#text.trim() !== '') throw this.#unreadable('not_json');
  }

  #step(character: string, at: number): void {
    this.#at = at + 1;
    if (character === '\\') this.#skipEscaped(at);
    else if (character === '"') this.#isQuoted = !this.#isQuoted;
    else if (!this.#isQuoted) this.#nest(character, at);
  }

  #skipEscaped(at: number): void {
    if (!this.#isQuoted) throw this.#unreadable('not_json');
    this.#at = at + 2;
    this.#significant.lastIndex = this.#at;
  }

  #nest(character: string, at: number): void {
    const before = this.#depth;
    this.#depth += steps[character] ?? 0;
    if (before < depths.row && this.#depth !== before) this.#between(character, at);
    if (before === depths.row && this.#depth === depths.array) this.#emit(at + 1);
  }

  /** Outside of rows there are the brackets of one array, commas and white space only. */
  #between(character: string, at: number): void {
    const isExpected = character === (this.#depth === depths.row ? '{' : this.#depth === 1 ? '[' : ']');
    const gap = this.#text.slice(this.#from, at).trim();
    const isGap = gap === '' || (gap === ',' && this.#rows > 0 && this.#depth === depths.row);
    if (!isExpected || !isGap) throw this.#unreadable('not_json');
    if (character === '[') this.#arrays += 1;
    if (this.#arrays > 1) throw this.#unreadable('not_json');
    this.#from = character === '{' ? at : at + 1;
  }

  #emit(end: number): void {
    const row = this.#text.slice(this.#from, end);
    this.#from = end;
    this.#rows += 1;
    if (this.#rows > this.#mostRows) throw this.#unreadable('too_large');
    this.#onRow(this.#parsed(row));
  }

  #parsed(row: string): unknown {
    try {
      return JSON.parse(row);
    } catch {
      throw this.#unreadable('not_json');
    }
  }

  #unreadable(reason: UnreadableRows['reason']): UnreadableRows {
    const rest = this.#text.slice(this.#from).trimStart();
    const read = `${this.#rows} rows in ${this.#characters} characters`;
    return new UnreadableRows(reason, `${read}; ${natureOf(rest)} follows`);
  }
}

function natureOf(text: string): string {
  if (text === '') return 'nothing';
  if (text.startsWith('<')) return 'markup';
  return /^[[\]{},]/.test(text) ? 'JSON' : 'text';
}
