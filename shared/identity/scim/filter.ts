import {
  type AttributePath,
  type CompareOperator,
  compareOperators,
  type Filter,
  type FilterValue,
} from '../../../db/repositories/identity/scim/filter.ts';
import { isStorable } from '../../kernel/text.ts';
import { message } from '../../messages/message.ts';
import { scimError } from './errors.ts';
import { conditionsIn } from './evaluate.ts';
import { Scanner } from './scanner.ts';

/** Nesting of parentheses, `not` and brackets. */
const deepest = 32;
/** Conditions of a filter of a list: the database may have to ask each of them about each row. */
const mostConditions = 100;

/**
 * Parses a filter (RFC 7644, 3.4.2.2). `not` binds tighter than `and`, and `and` tighter than `or`.
 * @throws AppError `invalid_request` with the keyword `invalidFilter`
 */
export function parseFilter(text: string): Filter {
  const scanner = new Scanner(text, 'invalidFilter');
  const filter = disjunction(scanner, 0);
  if (!scanner.isAtEnd) throw scanner.refusal();
  if (conditionsIn(filter) > mostConditions)
    throw scimError(
      'invalidFilter',
      message('A filter can have at most {limit} conditions', { limit: mostConditions }),
    );
  return filter;
}

export function disjunction(scanner: Scanner, depth: number): Filter {
  if (depth > deepest) throw scimError('invalidFilter', 'The expression is nested too deeply');
  return chain(scanner, 'or', () => chain(scanner, 'and', () => condition(scanner, depth)));
}

function chain(scanner: Scanner, kind: 'and' | 'or', part: () => Filter): Filter {
  const first = part();
  const parts = [first];
  while (scanner.takes(kind)) parts.push(part());
  return parts.length === 1 ? first : { kind, parts };
}

function condition(scanner: Scanner, depth: number): Filter {
  if (scanner.takes('not')) {
    scanner.expect('(');
    return { kind: 'not', part: closed(scanner, depth, ')') };
  }
  if (scanner.takes('(')) return closed(scanner, depth, ')');
  const path = attributePath(scanner);
  if (scanner.takes('[')) return values(scanner, path, closed(scanner, depth, ']'));
  if (scanner.takes('pr')) return { kind: 'present', path };
  const operator = compareOperators.find((name) => scanner.takes(name));
  if (!operator) throw scanner.refusal();
  return comparison(scanner, path, operator);
}

/** Entra ID sends `emails[type eq "work"].value eq "x"`, which the grammar does not contain. */
function values(scanner: Scanner, path: AttributePath, part: Filter): Filter {
  const member = scanner.take('member');
  if (member === undefined) return { kind: 'values', path, part };
  const operator = compareOperators.find((name) => scanner.takes(name));
  if (!operator) throw scanner.refusal();
  const other = comparison(scanner, { name: member.slice(1) }, operator);
  return { kind: 'values', path, part: { kind: 'and', parts: [part, other] } };
}

function closed(scanner: Scanner, depth: number, end: ')' | ']'): Filter {
  const part = disjunction(scanner, depth + 1);
  scanner.expect(end);
  return part;
}

const comparison = (scanner: Scanner, path: AttributePath, operator: CompareOperator): Filter => ({
  kind: 'compare',
  path,
  operator,
  value: value(scanner),
});

function value(scanner: Scanner): FilterValue {
  const text = scanner.take('text');
  if (text !== undefined) return textOf(scanner, text);
  const number = scanner.take('number');
  if (number !== undefined) return Number(number);
  if (scanner.takes('true')) return true;
  if (scanner.takes('false')) return false;
  if (scanner.takes('null')) return null;
  throw scanner.refusal();
}

function textOf(scanner: Scanner, literal: string): string {
  let text: string;
  try {
    text = String(JSON.parse(literal));
  } catch {
    throw scanner.refusalOfTaken();
  }
  if (!isStorable(text)) throw scanner.refusalOfTaken();
  return text;
}

/** @throws AppError if the next token is not the name of an attribute */
export function attributePath(scanner: Scanner): AttributePath {
  const text = scanner.take('name');
  if (text === undefined) throw scanner.refusal();
  const colon = text.lastIndexOf(':');
  const [name = '', sub] = text.slice(colon + 1).split('.');
  return {
    ...(colon >= 0 && { schema: text.slice(0, colon) }),
    name,
    ...(sub !== undefined && { sub }),
  };
}
