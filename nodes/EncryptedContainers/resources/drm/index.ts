import { RULES } from '../../../shared/api/shownRules';
import { endpoints } from '../../../shared/client/endpoints';
import { containerLocator } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { getOne } from '../commonOperations';
import type { Resource } from '../defineResource';
import { checkRules } from './check.operation';
import { removeEverywhere } from './removeEverywhere.operation';
import { revokeAccess } from './revoke.operation';
import { syncRecipients } from './syncRecipients.operation';
import { updateRules } from './update.operation';

const getRules = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get the access rules of a container',
	description: 'Get the access rules (DRM) of a container: who can open it, where and when',
	routing: { request: endpoints.getDrmRules },
	...getOne({
		action: 'get the rules of the container',
		pathField: containerLocator,
		expected: RULES,
	}),
});

export const drm: Resource = {
	name: 'Access Rules (DRM)',
	value: 'drm',
	operations: [checkRules, getRules, removeEverywhere, revokeAccess, syncRecipients, updateRules],
	defaultOperation: getRules,
};
