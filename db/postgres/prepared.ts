import { createHash } from 'node:crypto';
import type pg from 'pg';
import { RecentMap } from '../../shared/kernel/concurrency/recent-map.ts';
import { pgFault } from '../errors.ts';

/** Prepared statements were refused: they are off from now on, or prepared again after a change of the schema. */
export type PrepareReport = { code: string; isOff: boolean };

/** The prepared statements that a connection has. */
export type PreparedNames = RecentMap<string, true>;

/** Texts that a process remembers. */
const textsRemembered = 2_000;
/** Prepared statements per connection; the server keeps a plan for each of them. */
const namesPerConnection = 200;
/** Longer texts are sent without a name. */
const longestText = 20_000;
/** Number of schema changes after which statements are not prepared any more. */
const mostGenerations = 100;

export const preparedNames = (): PreparedNames => new RecentMap(namesPerConnection);

/**
 * Names the statements of a pool, so that the server plans each text once per connection. The name is a digest of the
 * text: whatever a pooler does with names, a name never runs another text. A text gets its name when it is sent for the
 * second time, so that texts that occur once occupy no memory of the server.
 */
export class PreparedStatements {
  readonly #report: ((report: PrepareReport) => void) | undefined;
  /** The digest of a text, or an empty string after it was sent once. */
  readonly #digests = new RecentMap<string, string>(textsRemembered);
  #isOn: boolean;
  #generation = 0;

  constructor(isOn: boolean, report?: (report: PrepareReport) => void) {
    this.#isOn = isOn;
    this.#report = report;
  }

  /** Names the statement, unless it must be sent without a name. */
  named(statement: pg.QueryConfig): pg.QueryConfig {
    if (!this.#isOn) return statement;
    const name = this.#nameOf(statement.text);
    return name === undefined ? statement : { ...statement, name };
  }

  /**
   * Notes a failure that is due to a name. 26000, 42P05 and 08P01: a pooler gave the transaction another connection of
   * the server. 0A000: the schema has changed.
   * @returns true if the statement failed only because it was prepared: it was not run, and can be sent again
   */
  noteRefusal(error: unknown, { name }: pg.QueryConfig): boolean {
    if (name === undefined) return false;
    const { code = '' } = pgFault(error) ?? {};
    if (code === '0A000') this.#renew(code, name);
    else if (code === '26000' || code === '42P05' || code === '08P01') this.#turnOff(code);
    else return false;
    return true;
  }

  #nameOf(text: string): string | undefined {
    const digest = this.#digests.get(text);
    if (digest === undefined) {
      if (isPreparable(text)) this.#digests.set(text, '');
      return undefined;
    }
    if (digest !== '') return `${digest}_${this.#generation}`;
    this.#digests.set(text, createHash('sha256').update(text).digest('hex').slice(0, 32));
    return this.#nameOf(text);
  }

  /** Other requests with names of the same generation fail as well, and renew it once. */
  #renew(code: string, name: string): void {
    if (!this.#isOn || !name.endsWith(`_${this.#generation}`)) return;
    this.#generation++;
    if (this.#generation > mostGenerations) this.#turnOff(code);
    else this.#report?.({ code, isOff: false });
  }

  #turnOff(code: string): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#report?.({ code, isOff: true });
  }
}

const isPreparable = (text: string): boolean =>
  text.length <= longestText &&
  /^[\s(]*(?:select|insert|update|delete|with)\b/i.test(text) &&
  !text.includes(';');
