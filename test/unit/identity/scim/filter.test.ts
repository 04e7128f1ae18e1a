import fc from 'fast-check';
import { type Filter as ForeignFilter, parse } from 'scim2-parse-filter';
import { describe, expect, it } from 'vitest';
import { attributeOf, type Filter } from '../../../../db/repositories/identity/scim/filter.ts';
import { parseFilter } from '../../../../shared/identity/scim/filter.ts';
import { filterText, pathText } from '../../../../shared/identity/scim/filter-text.ts';
import { AppError } from '../../../../shared/kernel/errors.ts';
import { anyFilter } from './arbitraries.ts';

/** The same filter in the form of another parser. */
function foreign(filter: Filter): unknown {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { op: filter.kind, filters: filter.parts.map(foreign) };
    case 'not':
      return { op: 'not', filter: foreign(filter.part) };
    case 'values':
      return { op: '[]', attrPath: pathText(filter.path), valFilter: foreign(filter.part) };
    case 'present':
      return { op: 'pr', attrPath: pathText(filter.path) };
    case 'compare':
      return { op: filter.operator, attrPath: pathText(filter.path), compValue: filter.value };
  }
}

/** The other parser joins nested chains of one kind. */
function joined(filter: ForeignFilter): unknown {
  if (filter.op === 'not') return { ...filter, filter: joined(filter.filter) };
  if (filter.op === '[]') return { ...filter, valFilter: joined(filter.valFilter) };
  if (filter.op !== 'and' && filter.op !== 'or') return filter;
  const parts = filter.filters.map(joined) as ForeignFilter[];
  return { op: filter.op, filters: parts.flatMap((part) => (part.op === filter.op ? part.filters : [part])) };
}

describe('a filter', () => {
  it('is parsed as it was written, for any filter', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        expect(parseFilter(filterText(filter))).toEqual(filter);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has the meaning that another parser gives it', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        const text = filterText(filter);
        // The other parser does not read escape sequences.
        if (text.includes('\\')) return;
        let other: ForeignFilter;
        try {
          other = parse(text);
        } catch {
          // The other parser knows fewer names and values.
          return;
        }
        expect(joined(other), text).toEqual(joined(foreign(filter) as ForeignFilter));
      }),
      { numRuns: 2_000 },
    );
  });

  // The examples of RFC 7644, 3.4.2.2.
  it.each([
    'userName eq "bjensen"',
    `name.familyName co "O'Malley"`,
    'userName sw "J"',
    'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"',
    'title pr',
    'meta.lastModified gt "2011-05-13T04:42:34Z"',
    'meta.lastModified ge "2011-05-13T04:42:34Z"',
    'meta.lastModified lt "2011-05-13T04:42:34Z"',
    'meta.lastModified le "2011-05-13T04:42:34Z"',
    'title pr and userType eq "Employee"',
    'title pr or userType eq "Intern"',
    'schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"',
    'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
    'userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")',
    'userType eq "Employee" and (emails.type eq "work")',
    'userType eq "Employee" and emails[type eq "work" and value co "@example.com"]',
    'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
  ])('of RFC 7644 is understood as by another parser: %s', (text) => {
    expect(joined(foreign(parseFilter(text)) as ForeignFilter)).toEqual(joined(parse(text)));
  });

  it.each([
    ['userName eq bjensen', 'userName eq "bjensen"'],
    [
      'externalId eq 58342554-38d6-4ec8-948c-50044d0a33fd',
      'externalId eq "58342554-38d6-4ec8-948c-50044d0a33fd"',
    ],
    ['userName Eq ada@example.com and active eq true', 'userName eq "ada@example.com" and active eq true'],
    ['(displayName sw a-b)', '(displayName sw "a-b")'],
    ['emails[type eq work].value eq a@b', 'emails[type eq "work" and value eq "a@b"]'],
    ['active eq True', 'active eq true'],
    ['level gt 12', 'level gt 12'],
    ['eq eq "x" and co pr', 'eq eq "x" and co pr'],
    ['a[Co eq b] or (eq pr)', 'a[Co eq "b"] or (eq pr)'],
    ['not (eq co "x" or Sw Ne y)', 'not (eq co "x" or Sw Ne "y")'],
  ])('may have values without quotation marks: %s', (bare, quoted) => {
    expect(parseFilter(bare)).toEqual(parseFilter(quoted));
  });

  it('binds "and" before "or", and operators have any case', () => {
    expect(filterText(parseFilter('a EQ 1 OR b Eq 2 aNd NOT(c PR)'))).toBe(
      'a eq 1 or (b eq 2 and not (c pr))',
    );
  });

  it('is parsed or refused, whatever the text', () => {
    const pieces = fc.constantFrom(
      'a',
      'eq',
      'pr',
      'and',
      'not',
      '(',
      ')',
      '[',
      ']',
      '"',
      '\\',
      '1',
      'true',
      '.b',
      'urn:',
      ':',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((all) => all.join(' ')),
        ),
        (text) => {
          try {
            parseFilter(text);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
            expect((error as AppError).members.scim_type).toBe('invalidFilter');
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('is refused in linear time', () => {
    for (const text of [
      '('.repeat(4_000),
      'a.'.repeat(2_000),
      `urn:${'a:'.repeat(2_000)}`,
      '"'.repeat(4_000),
      `a eq "${'\\'.repeat(4_000)}`,
    ]) {
      const started = performance.now();
      expect(() => parseFilter(text)).toThrow(AppError);
      expect(performance.now() - started).toBeLessThan(50);
    }
    expect(attributeOf({ name: 'a', sub: 'b' })).toBe('a.b');
  });
});
