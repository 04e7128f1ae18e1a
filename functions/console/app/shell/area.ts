import type { ComponentType } from 'preact';
import type { Extension } from '../records/extension.ts';
import type { Query } from '../router/place.ts';
import type { ConsoleText } from '../texts.ts';

/** A page of the console that is more than a list of records. */
export type ScreenEntry = {
  /** First segment of its place. */
  segment: string;
  title: ConsoleText;
  /** Of the navigation. Absent for a page of the user, which the menu of the user leads to. */
  section?: ConsoleText;
  /** Type of the records whose list it follows in the navigation. Default: after all lists of the section. */
  after?: string;
  /** Permissions that the user needs. */
  permissions: readonly string[];
  load: () => Promise<ComponentType>;
};

/** Something to do at a place of the console, which the palette offers. */
type ActionEntry = {
  /** A verb phrase, such as `Verify the audit chain`. */
  title: ConsoleText;
  /** Of the place. */
  segments: readonly string[];
  query?: Query;
  permissions: readonly string[];
};

/** A part of the console. The code of a screen or extension is loaded when it is first shown. */
export type Area = {
  screens?: readonly ScreenEntry[];
  actions?: readonly ActionEntry[];
  /** By the type of the records. */
  extensions?: Readonly<Record<string, () => Promise<Extension>>>;
};
