import type { z } from 'zod';
import type { directoryFields } from './settings/fields.ts';

/** What differs between directory types. */
export type DirectoryVariant = {
  /** The settings of the type. */
  shape: z.ZodObject;
  /**
   * Attributes that the servers generate and that clients cannot change, the preferred one first. The identifier
   * attribute of another type can be an ordinary attribute, whose value a client can copy from another entry.
   */
  identifiers: readonly string[];
  /** Attributes that may be read and copied, in addition to `directory.extra_attributes`. */
  readable: readonly string[];
  /** The entry of a person lists all groups of the person in `memberOf`, including indirect memberships. */
  listsAllGroups: boolean;
  /**
   * Distinguished names of deleted or not yet active users. Undefined if the servers have no such entries below the
   * base.
   */
  provisioning: RegExp | undefined;
  /** The forest has NetBIOS names and UPN suffixes, which login names may contain (MS-ADTS 6.1.1.2.1.1). */
  hasForest: boolean;
  /** Groups have security identifiers. */
  hasGroupSids: boolean;
  /** The KDCs resolve user principal names of any suffix (RFC 6806, 5). */
  resolvesUpns: boolean;
};

type Shapes = {
  [Name in keyof ReturnType<typeof directoryFields>]: z.output<
    ReturnType<typeof directoryFields>[Name]['shape']
  >;
};

/** The parsed settings of a directory. */
export type DirectoryParams = Shapes & { nested_groups?: boolean };

/** Settings with their variant. */
export type TypedParams = DirectoryParams & { variant: DirectoryVariant };
