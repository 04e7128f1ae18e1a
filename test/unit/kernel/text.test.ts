import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomToken, sameText, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import {
  containsPattern,
  escapeControls,
  foldName,
  isStorable,
  isVisible,
  startOf,
} from '../../../shared/kernel/text.ts';

const names = fc.string({ unit: fc.constantFrom(...'aZéÉёЁßÅ 09-_%\\日') });

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

describe('folding of names', () => {
  it('removes differences in case, Unicode form and outer white space, and is idempotent', () => {
    fc.assert(
      fc.property(names, (name) => {
        const folded = foldName(name);
        expect(foldName(folded)).toBe(folded);
        expect(foldName(`  ${name}\t`)).toBe(folded);
        expect(foldName(name.normalize('NFD'))).toBe(folded);
        expect(foldName(name.toLowerCase())).toBe(folded);
      }),
    );
    expect(foldName('ЁЛКА')).toBe(foldName('ёлка'));
    // Only the lower case of this letter has a composed form.
    expect(foldName('J\u030c')).toBe('\u01f0');
    expect(foldName('\u01f0')).toBe(foldName('J\u030c'));
    expect(foldName('a b')).not.toBe(foldName('ab'));
  });
});

describe('a text that can be seen', () => {
  it('has more than white space, format characters, marks and blanks', () => {
    const seen = ['a', '-', '日', '👍', 'e\u0301', '\u200ba'];
    const unseen = ['', ' ', '\u200b', '\u200d\u2060\ufeff', '\u3164', '\u2800 \u115f', '\u0301', '\u00a0'];
    expect(seen.map(isVisible)).toEqual(seen.map(() => true));
    expect(unseen.map(isVisible)).toEqual(unseen.map(() => false));
  });
});

describe('a search pattern', () => {
  it('matches exactly the names that contain the text, with LIKE', () => {
    const like = (pattern: string): RegExp => {
      const parts = pattern.match(/\\.|[\s\S]/gu) ?? [];
      const source = parts.map((part) =>
        part === '%' ? '[\\s\\S]*' : part === '_' ? '[\\s\\S]' : literal(part.replace(/^\\/, '')),
      );
      return new RegExp(`^${source.join('')}$`, 'u');
    };
    fc.assert(
      fc.property(names, names, names, (before, text, after) => {
        const pattern = like(containsPattern(text));
        const name = foldName(before + text + after);
        expect(pattern.test(name)).toBe(name.includes(foldName(text)));
        const other = foldName(before + after);
        expect(pattern.test(other)).toBe(other.includes(foldName(text)));
      }),
    );
  });
});

describe('escaping of control characters', () => {
  it('replaces control characters and changes nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = escapeControls(text);
        expect(escaped).toMatch(/^\P{Cc}*$/u);
        if (/^\P{Cc}*$/u.test(text)) expect(escaped).toBe(text);
      }),
    );
    expect(escapeControls('a\r\nb\u001b[31m\u0085')).toBe('a\\u000d\\u000ab\\u001b[31m\\u0085');
  });
});

describe('a text that can be stored', () => {
  it('has no NUL and no lone surrogates', () => {
    expect(['', 'ё', '👍', 'a\0', '\ud800', '\udc00a', 'a\ud83d'].map(isStorable)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('the start of a text', () => {
  it('can be stored if the text can, and is not longer than asked', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, most) => {
        fc.pre(isStorable(text));
        const start = startOf(text, most);
        expect([isStorable(start), start.length <= most]).toEqual([true, true]);
        if (text.length <= most) expect(start).toBe(text);
      }),
    );
    expect(startOf('a😀', 2)).toBe('a\ufffd');
  });
});

describe('tokens and digests', () => {
  it('are 256 random bits, always different', () => {
    const tokens = Array.from({ length: 1_000 }, randomToken);
    expect(new Set(tokens).size).toBe(1_000);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
  });

  it('are compared as texts are', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(sameText(a, b)).toBe(a === b);
      }),
    );
    expect(sameText('same', 'same')).toBe(true);
    expect(sha256('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});
