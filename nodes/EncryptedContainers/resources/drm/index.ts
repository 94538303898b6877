import type { Resource } from '../defineResource';
import { getRules } from './get.operation';
import { revokeAccess } from './revoke.operation';
import { updateRules } from './update.operation';

export const drm: Resource = {
	name: 'DRM (Access Rules)',
	value: 'drm',
	operations: [getRules, revokeAccess, updateRules],
	defaultOperation: getRules,
};
