import { message } from '../../messages/message.ts';
import { type ScimType, scimError } from './errors.ts';

type Token = { kind: 'name' | 'member' | 'text' | 'number' | 'sign'; text: string; at: number };

const longest = 4_096;
/** Number of tokens: it bounds the conditions of a filter, and with them the statement. */
const mostTokens = 1_000;

/** A string of JSON, a number of JSON, one of the signs, a name with an optional URN before it, or the name of a member. */
const pattern =
  /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:$-]))|([()[\]])|((?:[uU][rR][nN]:[\w.:-]+:)?\$?[A-Za-z][\w-]*(?:\.\$?[A-Za-z][\w-]*)?)|(\.\$?[A-Za-z][\w-]*))/y;

const bareWord = /\s+([^\s"'()[\]]+)/y;
const isOperator = (text: string): boolean => /^(?:eq|ne|co|sw|ew|gt|ge|lt|le)$/i.test(text);
/** True for a token that can end the path of an attribute. */
const endsPath = ({ kind, text }: Token): boolean =>
  kind === 'member' || text === ']' || (kind === 'name' && !/^(?:and|or|not)$/i.test(text));
const isLiteral = (text: string): boolean =>
  /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/i.test(text);

/** Splits a filter or a path of SCIM into tokens. */
export class Scanner {
  readonly #tokens: Token[] = [];
  readonly #fault: ScimType;
  #next = 0;

  /** @throws AppError with the keyword `fault` for a text that is too long or has other characters */
  constructor(text: string, fault: 'invalidFilter' | 'invalidPath') {
    this.#fault = fault;
    if (text.length > longest)
      throw scimError(fault, message('Must have at most {n} characters', { n: longest }));
    const source = text.trimEnd();
    for (let at = 0; at < source.length; ) at = this.#read(source, at);
  }

  #read(source: string, at: number): number {
    const bare = this.#bareValue(source, at);
    if (bare !== undefined) return bare;
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (!found || this.#tokens.length === mostTokens) throw this.refusal(at);
    const [, text, number, sign, name, member] = found;
    const kinds = { text, number, sign, name, member } as const;
    for (const kind of ['text', 'number', 'sign', 'name', 'member'] as const) {
      const value = kinds[kind];
      if (value !== undefined) this.#tokens.push({ kind, text: value, at });
    }
    return pattern.lastIndex;
  }

  /**
   * Reads a value without quotation marks, as in examples of Entra ID: `externalId eq 58342554-38d6`. It is the word after an
   * attribute and an operator, unless that is a literal of JSON.
   */
  #bareValue(source: string, at: number): number | undefined {
    const [before, operator] = this.#tokens.slice(-2);
    if (!before || !endsPath(before) || operator?.kind !== 'name' || !isOperator(operator.text))
      return undefined;
    bareWord.lastIndex = at;
    const [whole = '', word = ''] = bareWord.exec(source) ?? [];
    if (word === '' || isLiteral(word)) return undefined;
    this.#tokens.push({ kind: 'text', text: JSON.stringify(word), at });
    return at + whole.length;
  }

  /** Takes the next token if it is this sign, or this keyword in any case. */
  takes(text: string): boolean {
    const token = this.#tokens[this.#next];
    const isFound = token !== undefined && token.kind !== 'text' && token.text.toLowerCase() === text;
    if (isFound) this.#next++;
    return isFound;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw this.refusal();
  }

  take(kind: Token['kind']): string | undefined {
    const token = this.#tokens[this.#next];
    if (token?.kind !== kind) return undefined;
    this.#next++;
    return token.text;
  }

  get isAtEnd(): boolean {
    return this.#next === this.#tokens.length;
  }

  /** The error that the token that was taken last is not valid. */
  refusalOfTaken() {
    return this.refusal(this.#tokens[this.#next - 1]?.at);
  }

  /** The error that the text is not valid at a position; default: that of the next token. */
  refusal(at: number | undefined = this.#tokens[this.#next]?.at) {
    return at === undefined
      ? scimError(this.#fault, 'The expression is incomplete')
      : scimError(
          this.#fault,
          message('The expression is not valid at character {position}', { position: at + 1 }),
        );
  }
}
