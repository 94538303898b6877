import type { IDataObject } from 'n8n-workflow';

import { isWildcard } from '../../../../shared/parameters/addresses';
import { parseServiceDate } from '../../../../shared/parameters/dates';
import { mentionsPassword } from '../../../../shared/responses/passwordNames';
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
	const recipients = settings.recipients ?? rules.recipients ?? [];
	const addresses = (Array.isArray(recipients) ? recipients : [recipients]).map(String);
	const end = isRecord(rules.time) ? parseServiceDate(rules.time.end) : undefined;
	return {
		...settings,
		recipients,
		emailTo: addresses.filter((address) => !isWildcard(address)).join(', '),
		endsOn: end ?? null,
	};
}
