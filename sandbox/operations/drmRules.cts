import { findContainer } from '../service/access.cts';
import { changeResponse } from '../service/changeResponse.cts';
import type { Operation } from '../service/context.cts';
import { ServiceError } from '../service/errors.cts';
import { rulesRecord } from '../service/records.cts';
import { jsonResponse } from '../service/response.cts';
import type { Rules } from '../service/store.cts';
import { assertWindow } from '../service/validation.cts';

const getDrmRules: Operation = (context) => {
	const { settings } = context;
	const { rules } = findContainer(context);
	return jsonResponse(settings.statuses.getDrmRules ?? 200, rulesRecord(rules, settings));
};

const updateDrmRules: Operation = (context) => {
	const container = findContainer(context);
	const { settings } = context;
	const changes = context.body as Rules;
	assertWindow(changes);
	if (container.rules.dynamic !== true) {
		throw new ServiceError(
			409,
			'rules_fixed',
			`The rules of container ${container.uuid} can't be changed: it was created with dynamic false`,
		);
	}
	container.rules =
		settings.patchDrmKeys === 'merge'
			? { ...container.rules, ...changes }
			: { dynamic: settings.defaultDynamic, ...changes };
	container.updated = new Date().toISOString();
	return changeResponse(
		settings.patchDrmResponse,
		settings.statuses.updateDrmRules ?? 200,
		'The rules are changed',
		() => rulesRecord(container.rules, settings),
	);
};

export const drmRulesOperations = { getDrmRules, updateDrmRules };
