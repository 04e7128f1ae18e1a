import type { ComponentType, JSX } from 'preact';
import { may } from '../../facts.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { type DomainTypeName, useDomainTypes, useSettings } from './domain-fields.ts';
import { DomainTest } from './domain-test.tsx';
import type { Params } from './domain-values.ts';
import { OtherDirectory } from './other-directory.tsx';
import { FormerPeopleCard, identityPermissions } from './provider/former-people.tsx';
import { RegistrationCard } from './provider/registration-card.tsx';
import { SignInTestCard } from './provider/sign-in-test.tsx';
import { SettingsCard } from './settings-card.tsx';

/** The settings of a directory or identity provider, what its administrator must know, and a test with the stored secrets. */
export const DomainParts: ComponentType<{ target: Target; state: RecordState }> = ({
  target,
  state: { row },
}): JSX.Element | null => {
  const { data: types } = useDomainTypes();
  const entry = types?.find(({ type }) => type === row.type);
  const isExternal = entry?.is_external === true;
  const { data: settings } = useSettings(isExternal ? (row.type as DomainTypeName) : undefined);
  if (!entry || !isExternal || !settings) return null;
  // The name and the label are in use by this domain itself.
  const body = { id: target.id, params: row.params };
  return (
    <>
      {entry.provisioning_supported && may(identityPermissions) && <FormerPeopleCard id={target.id} />}
      {row.other_directory !== null && (
        <OtherDirectory
          id={target.id}
          present={String(row.directory_authority)}
          shown={String(row.other_directory)}
        />
      )}
      <SettingsCard settings={settings} params={row.params as Params} />
      {entry.provisioning_supported && <RegistrationCard id={target.id} />}
      {entry.provisioning_supported && may(['authenticators.test']) && <SignInTestCard id={target.id} />}
      {may(['authenticators.test']) && <DomainTest type={entry.type} body={body} settings={settings} />}
    </>
  );
};
