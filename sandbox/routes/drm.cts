import { containerInPath } from '../service/access.cts';
import { jsonAnswer } from '../service/answer.cts';
import { changeAnswer } from '../service/answers.cts';
import type { Context, Endpoint } from '../service/context.cts';
import { ServiceError } from '../service/errors.cts';
import { rulesRecord } from '../service/records.cts';
import { checkRules } from '../validation/drm-rules.cts';

/** service-api.md, end points 7 and 8. */
export const drmEndpoints: Endpoint[] = [
	{
		name: 'getDrm',
		method: 'GET',
		path: '/containers/:container_id/drm',
		reads: 'nothing',
		operation: get,
	},
	{
		name: 'patchDrm',
		method: 'PATCH',
		path: '/containers/:container_id/drm',
		reads: 'json',
		operation: patch,
	},
];

function get(context: Context) {
	const { settings } = context;
	const { rules } = containerInPath(context);
	return jsonAnswer(settings.statuses.getDrm ?? 200, rulesRecord(rules, settings));
}

function patch(context: Context) {
	const container = containerInPath(context);
	const { settings, body } = context;
	const changes = checkRules(body, 'The rules', settings.drmTimes);
	if (container.rules.dynamic !== true) {
		throw new ServiceError(
			409,
			'rules_fixed',
			`The rules of container ${container.uuid} are fixed: it was made with dynamic false`,
		);
	}
	container.rules =
		settings.patchDrmKeys === 'merge'
			? { ...container.rules, ...changes }
			: { dynamic: settings.defaultDynamic, ...changes };
	container.updated = new Date().toISOString();
	return changeAnswer(
		settings.patchDrmAnswer,
		settings.statuses.patchDrm ?? 200,
		'The rules were changed',
		() => rulesRecord(container.rules, settings),
	);
}
