import type { Resource } from '../defineResource';
import { getRules } from './get.operation';
import { removeRecipientEverywhere } from './removeEverywhere.operation';
import { revokeAccess } from './revoke.operation';
import { updateRules } from './update.operation';

export const drm: Resource = {
	name: 'DRM (Access Rules)',
	value: 'drm',
	operations: [getRules, removeRecipientEverywhere, revokeAccess, updateRules],
	defaultOperation: getRules,
};
