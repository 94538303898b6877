import type { Resource } from '../defineResource';
import { checkRules } from './check.operation';
import { getRules } from './get.operation';
import { removeEverywhere } from './removeEverywhere.operation';
import { revokeAccess } from './revoke.operation';
import { syncRecipients } from './syncRecipients.operation';
import { updateRules } from './update.operation';

export const drm: Resource = {
	name: 'Access Rules (DRM)',
	value: 'drm',
	operations: [checkRules, getRules, removeEverywhere, revokeAccess, syncRecipients, updateRules],
	defaultOperation: getRules,
};
