import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Fault } from './plant.ts';
import { type FaultKind, type FaultSite, faultSites } from './sites.ts';

const count = 150;
/** The list is made once. Another seed would be another list, with which figures cannot be compared. */
const seed = 20261127;

/** Half of the faults are in access, identity, routing and audit. */
const core =
  /^(?:shared\/(?:access|identity|routing|audit|context)\/|functions\/(?:auth|federation|userinfo|ssa)\/(?!app\/)|functions\/client\/(?:connections|services)\/|functions\/webui\/(?:audit|authenticators|groups|users|roles|rbac|rules|issued-tokens|lock-outs|login-sessions|service-tokens)\/|db\/repositories\/(?:identity|routing|audit|records)\/)/;
/** Generated code, lists of words, and tools that are not part of a portal. */
const left =
  /^(?:db\/migrations\/|shared\/(?:client\/operations\.ts|openapi\/|tooling\/|identity\/common-passwords)|functions\/assets\/)/;

const shares: Readonly<Record<FaultKind, number>> = {
  comparison: 25,
  condition: 25,
  await: 10,
  constant: 20,
  member: 20,
};

/** A generator of numbers from 0 to 1 (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomFrom(seed);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

type Candidate = { path: string; text: string; site: FaultSite };

function candidates(): Candidate[] {
  const files = execFileSync('git', ['ls-files', 'functions', 'shared', 'db'], { encoding: 'utf8' }).split(
    '\n',
  );
  return files
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts') && !left.test(path))
    .sort()
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      return faultSites(path, text).map((site) => ({ path, text, site }));
    });
}

function kindByShare(): FaultKind {
  let rest = random() * Object.values(shares).reduce((sum, share) => sum + share, 0);
  for (const [kind, share] of Object.entries(shares)) {
    rest -= share;
    if (rest < 0) return kind as FaultKind;
  }
  return 'condition';
}

/** The shortest run of whole lines around the expression that the text has once. */
function located({ path, text, site }: Candidate, id: number): Fault | undefined {
  const lines = text.split('\n');
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  const lineOf = (at: number) => starts.findLastIndex((start) => start <= at);
  let [first, last] = [lineOf(site.start), lineOf(site.end - 1)];
  const around = () => lines.slice(first, last + 1).join('\n');
  while (text.split(around()).length > 2 && last - first < 30) {
    if (first > 0) first--;
    if (last < lines.length - 1) last++;
  }
  if (text.split(around()).length > 2) return undefined;
  const base = starts[first] ?? 0;
  const { kind, form, broken } = site;
  return {
    id,
    path,
    kind,
    form,
    lines: around(),
    from: site.start - base,
    to: site.end - base,
    ...(broken !== undefined && { broken }),
  };
}

/** Chooses a file by its number of places, then a kind, then a place, without two overlapping faults. */
function choose(): Fault[] {
  const all = candidates();
  const [inCore, elsewhere] = [
    all.filter(({ path }) => core.test(path)),
    all.filter(({ path }) => !core.test(path)),
  ];
  const chosen: Fault[] = [];
  const taken: Candidate[] = [];
  while (chosen.length < count) {
    const kind = kindByShare();
    const pool = (chosen.length % 2 === 0 ? inCore : elsewhere).filter(({ site }) => site.kind === kind);
    const candidate = pick(pool);
    const { path, site } = candidate;
    const overlaps = taken.some(
      (other) => other.path === path && other.site.start < site.end && site.start < other.site.end,
    );
    const fault = overlaps ? undefined : located(candidate, chosen.length + 1);
    if (!fault) continue;
    taken.push(candidate);
    chosen.push(fault);
  }
  return chosen;
}

const faults = choose();
writeFileSync(new URL('faults.json', import.meta.url), `${JSON.stringify(faults, null, 2)}\n`);
process.stdout.write(`${faults.length} faults\n`);
