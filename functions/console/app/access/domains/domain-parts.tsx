import type { ComponentType, JSX } from 'preact';
import { may } from '../../facts.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { type DomainTypeName, useDomainTypes, useSettings } from './domain-fields.ts';
import { DomainTest } from './domain-test.tsx';

/** The test of a stored domain, with its stored secrets. */
export const DomainParts: ComponentType<{ target: Target; state: RecordState }> = ({
  target,
  state: { row },
}): JSX.Element | null => {
  const { data: types } = useDomainTypes();
  const entry = types?.find(({ type }) => type === row.type);
  const isTested = entry?.is_external === true && may(['authenticators.test']);
  const { data: settings } = useSettings(isTested ? (row.type as DomainTypeName) : undefined);
  if (!entry || !isTested || !settings) return null;
  // The name and the label are in use by this domain itself.
  const body = { id: target.id, params: row.params };
  return <DomainTest type={entry.type} body={body} settings={settings} />;
};
