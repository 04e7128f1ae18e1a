import type { ComponentType } from 'preact';
import type { Extension } from '../records/extension.ts';
import type { ConsoleText } from '../texts.ts';

/** A page of the console that is more than a list of records. */
export type ScreenEntry = {
  /** First segment of its place. */
  segment: string;
  title: ConsoleText;
  /** Of the navigation. */
  section: ConsoleText;
  /** Permissions that the user needs. */
  permissions: readonly string[];
  load: () => Promise<ComponentType>;
};

/** A part of the console. The code of a screen or extension is loaded when it is first shown. */
export type Area = {
  screens?: readonly ScreenEntry[];
  /** By the type of the records. */
  extensions?: Readonly<Record<string, () => Promise<Extension>>>;
};
