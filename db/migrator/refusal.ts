/** The schema cannot be migrated. The message is one line with the reason and the remedy. */
export class SchemaRefusal extends Error {}
