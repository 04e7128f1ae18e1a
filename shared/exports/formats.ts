import type { ExportedFile } from '../../db/repositories/exports/files.ts';
import { cef } from './cef.ts';
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { json, ndjson } from './json.ts';

export type FormatName = ExportedFile['format'];

export const formats: Record<FormatName, Format> = { csv, ndjson, json, cef };
