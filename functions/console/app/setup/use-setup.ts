import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Fault } from '../../../../shared/web/problems/problem.ts';
import { addressOf, open, usePlace } from '../router/place.ts';
import { type Draft, emptyDraft, keepDraft, readDraft } from './draft.ts';
import { setupSegment } from './entry.ts';
import { withSuggestions } from './suggestions.ts';

/** The steps, each with an address. The last one follows the creation. */
export const stepNames = ['kind', 'site', 'node', 'certificate', 'key', 'test', 'save', 'done'] as const;
export type StepName = (typeof stepNames)[number];

export const stepAddress = (step: StepName): string => addressOf([setupSegment, step]);

/** Members of the steps that can be refused. */
type Member = 'name' | 'uri' | 'farm' | 'url' | 'node' | 'ca' | 'key' | 'accountDomain' | 'accountName';
export type Faults = Partial<Record<Member, string>>;

export type Setup = {
  step: StepName;
  draft: Draft;
  /** The key of the health check, or the password of the account. */
  secret: string;
  faults: Faults;
  set: (change: Partial<Draft>) => void;
  setSecret: (secret: string) => void;
  /** Shows faults at their members, and the step of the first one. */
  refuse: (faults: Faults) => void;
  go: (step: StepName) => void;
};

const stepOf: Record<Member, StepName> = {
  ...{ name: 'site', uri: 'site', farm: 'site', url: 'node', node: 'node', ca: 'certificate', key: 'key' },
  ...{ accountDomain: 'key', accountName: 'key' },
};

/** Pointers into the body of the creation. */
const members: Readonly<Record<string, Member>> = {
  ...{ '/site/name': 'name', '/site/uri': 'uri', '/farm/name': 'farm' },
  ...{ '/dispatcher/name': 'node', '/dispatcher/url': 'url', '/dispatcher/ca_certificate': 'ca' },
  '/dispatcher/health_key': 'key',
  '/dispatcher/account_password': 'key',
  '/dispatcher/account_domain': 'accountDomain',
  '/dispatcher/account_name': 'accountName',
};

export const faultsOf = (faults: readonly Fault[] = [], within = ''): Faults =>
  Object.fromEntries(
    faults.flatMap(({ pointer, detail }) => {
      const member = members[`${within}${pointer}`];
      return member ? [[member, detail]] : [];
    }),
  );

/** The first step that needs something that was not typed yet. */
function firstOpen({ name, uri, farm, url, node }: Draft): StepName {
  if ([name, uri, farm].some((text) => text.trim() === '')) return 'site';
  return url === '' || node.trim() === '' ? 'node' : 'done';
}

/** The state of the steps, which survives a reload of the page. A step before which something is missing is not shown. */
export function useSetup(): Setup {
  const { segments } = usePlace();
  const [draft, setDraft] = useState<Draft>(readDraft);
  const [secret, setSecret] = useState('');
  const [faults, setFaults] = useState<Faults>({});
  const asked = stepNames.find((name) => name === segments[1]) ?? 'kind';
  const limit = firstOpen(draft);
  const isEarly = asked !== 'done' && stepNames.indexOf(asked) > stepNames.indexOf(limit);
  const step = isEarly ? limit : asked;
  useEffect(() => {
    if (isEarly) open(stepAddress(step), { isSame: true });
  }, [isEarly, step]);
  // Before the page is drawn, because it can be left at once.
  useLayoutEffect(() => {
    if (step !== 'done') keepDraft(draft);
  }, [draft, step]);
  useEffect(() => {
    // The next site starts with empty fields.
    if (step === 'done') setDraft(emptyDraft);
  }, [step]);
  const go = (next: StepName) => open(stepAddress(next));
  return {
    ...{ step, draft, secret, faults, setSecret, go },
    set: (change) => {
      setFaults((old) => without(old, Object.keys(change)));
      setDraft((old) => withSuggestions({ ...old, ...change }));
    },
    refuse: (found) => {
      setFaults(found);
      const first = stepNames.find((name) =>
        Object.keys(found).some((member) => stepOf[member as Member] === name),
      );
      if (first && first !== step) go(first);
    },
  };
}

const without = (faults: Faults, names: readonly string[]): Faults =>
  Object.fromEntries(Object.entries(faults).filter(([name]) => !names.includes(name)));
