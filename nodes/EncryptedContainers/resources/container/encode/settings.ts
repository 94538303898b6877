import type { IDataObject } from 'n8n-workflow';

import { parseRule } from '../../../../shared/api/ruleValues';
import { isWildcard } from '../../../../shared/parameters/addresses';
import { parseServiceDate } from '../../../../shared/parameters/dates';
import { mentionsPassword } from '../../../../shared/responses/redact';
import { isRecord } from '../../../../shared/responses/shapes';

/**
 * What the output shows of the manifest, for the next node: the container without passwords, wherever JSON has them; the
 * addresses to send an email to, and the last day of access.
 */
export function getSettings(container: IDataObject): IDataObject {
	const hide = (key: string, value: unknown) => (mentionsPassword(key) ? undefined : value);
	const settings = JSON.parse(JSON.stringify(container, hide)) as IDataObject;
	const { drm } = settings;
	const rules = isRecord(drm) ? drm : {};
	// JSON can have them in one text, separated by commas.
	const recipients = parseRule(
		'recipients',
		settings.recipients ?? rules.recipients ?? [],
	) as string[];
	const end = isRecord(rules.time) ? parseServiceDate(rules.time.end) : undefined;
	return {
		...settings,
		recipients,
		emailTo: recipients.filter((address) => !isWildcard(address)).join(', '),
		endsOn: end ?? null,
	};
}
