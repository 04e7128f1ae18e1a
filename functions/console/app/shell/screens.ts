import type { ComponentType } from 'preact';
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

/** The code of each page is loaded when it is opened. */
export const screens: readonly ScreenEntry[] = [];
