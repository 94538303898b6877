import { UserError, type IDataObject } from 'n8n-workflow';

import { parseRule } from '../../../../shared/api/ruleValues';
import { isWildcard, omitRepeated } from '../../../../shared/parameters/addresses';
import { parseServiceDate } from '../../../../shared/parameters/dates';
import { assertLength } from '../../../../shared/parameters/lengths';
import {
	parseBoolean,
	parseChoice,
	parseOption,
	parseShortText,
} from '../../../../shared/parameters/scalars';
import { mentionsPassword } from '../../../../shared/responses/redact';
import { isRecord } from '../../../../shared/responses/shapes';
import { PASSWORD_LABEL } from '../../../descriptions/drmRules';
import type { Item } from '../../../execution/item';
import { assertRecipientsAllowed, getRecipientPolicy } from '../../../parameters/allowedRecipients';
import { parseDrmRules, parseRecipients } from '../../../parameters/drmRules';
import { assertJsonAllowed, listRecipients } from '../../../parameters/guardrails';
import { parseJsonObject } from '../../../parameters/json';
import { ACCESS_ENDS, MANIFEST_MODES } from './choices';

export const ALLOW_NO_RECIPIENTS = 'Allow No Recipients';

/** Name, access rules and password of a container (docs/openapi.yaml, Manifest). */
export interface Manifest extends IDataObject {
	container: IDataObject;
}

export function getManifest(item: Item): Manifest {
	const mode = item.getParameter('specifyManifest');
	return parseChoice(mode, 'Specify Manifest', MANIFEST_MODES) === 'json'
		? parseJsonManifest(item)
		: getManifestFromFields(item);
}

function parseJsonManifest(item: Item): Manifest {
	const label = 'Manifest (JSON)';
	const manifest = parseJsonObject(item.getParameter('manifestJson'), label);
	const { container } = manifest;
	if (isRecord(container)) {
		const raw = item.getRawParameter('manifestJson');
		assertJsonAllowed(manifest, 'manifest', raw, label, getRecipientPolicy(item.getOptions()));
		const places = [container, container.drm].filter(isRecord);
		assertSomebody(places.flatMap(listRecipients), label, item);
		if (Object.hasOwn(container, 'password')) assertPassword(container.password, label);
		parseShortText(container.name ?? '', 'container.name');
		return { ...manifest, container };
	}
	throw new UserError(`"${label}" contains no "container" object`, {
		description: `Enter the manifest in "${label}" in the format { "container": { "name": "…", … } }.`,
	});
}

function getManifestFromFields(item: Item): Manifest {
	const name = parseShortText(item.getParameter('name'), 'Container Name').trim();
	if (name === '') {
		throw new UserError('"Container Name" is empty', {
			description:
				'Enter a name in "Container Name". If it comes from an expression, check that the field exists in the input item.',
		});
	}
	const recipients = getRecipients(item);
	const fields = item.getParameter('drmRules', {}) as IDataObject;
	return {
		container: {
			name,
			...(recipients.length === 0 ? {} : { recipients }),
			downloadable: parseBoolean(item.getParameter('downloadable'), 'Downloadable'),
			...('password' in fields ? { password: parsePassword(fields.password) } : {}),
			drm: parseDrmRules(
				{ ...fields, dynamic: item.getParameter('dynamic') as boolean, ...getAccessEnd(item) },
				item.timeZone,
			),
		},
	};
}

function getAccessEnd(item: Item): IDataObject {
	switch (parseChoice(item.getParameter('accessEnds'), 'Access Ends', ACCESS_ENDS)) {
		case 'never':
			return {};
		case 'onDate':
			return { timeEnd: item.getParameter('timeEnd') as string };
		case 'afterDays':
			return { accessDays: item.getParameter('accessDays') as number };
	}
}

function getRecipients(item: Item): string[] {
	const label = 'Recipients';
	const recipients = parseRecipients(item.getParameter('recipients'), label);
	const policy = getRecipientPolicy(item.getOptions());
	assertRecipientsAllowed(recipients, item.getRawParameter('recipients'), label, policy);
	assertSomebody(recipients, label, item);
	return recipients;
}

/** A container for nobody in particular is hardly ever meant: whether nobody or everybody can open it is up to the service. */
function assertSomebody(recipients: string[], label: string, item: Item): void {
	const isAllowed = parseOption(item.getOptions(), 'allowNoRecipients', false, (value) =>
		parseBoolean(value, ALLOW_NO_RECIPIENTS),
	);
	if (recipients.length > 0 || isAllowed) return;
	throw new UserError(`"${label}" contains no address`, {
		description: `Enter at least one address in "${label}", and if it comes from an expression, check that the field exists in the input item. To create a container without recipients, turn on "${ALLOW_NO_RECIPIENTS}" in the options.`,
	});
}

function parsePassword(value: unknown): string {
	assertPassword(value, 'More Access Rules');
	assertLength(String(value), 'password', PASSWORD_LABEL);
	return String(value);
}

/** With an empty password, the container would have none, so it is an error. */
function assertPassword(value: unknown, field: string): void {
	if (Number.isFinite(value)) return;
	if (typeof value === 'string' && value !== '') return;
	const isNothing = value === undefined || value === null || value === '';
	throw new UserError(`"${PASSWORD_LABEL}" ${isNothing ? 'is empty' : 'is not text'}`, {
		description: `Enter a password, or remove it from "${field}" to create a container without a password. If it comes from an expression, check that the field exists in the input item.`,
	});
}

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
		emailTo: omitRepeated(recipients.filter((address) => !isWildcard(address))).join(', '),
		endsOn: end ?? null,
	};
}
