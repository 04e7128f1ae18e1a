import { tagDescriptions } from '../../../../shared/http/document/tags.ts';
import { type ResourceType, resources, resourceTypes } from '../../../../shared/resources.ts';

/** A type of records that the portal does not have. Modules that read the types are imported after this one. */
export const sampleType = String('sample') as ResourceType;

const facts = { one: 'a sample', many: 'samples', permissions: 'tags', siteScope: 'any_scope' } as const;
Object.assign(resources, { [sampleType]: facts });
Object.assign(tagDescriptions, { [sampleType]: 'Records of a test.' });
if (!resourceTypes.includes(sampleType)) resourceTypes.push(sampleType);
