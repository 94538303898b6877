import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { assertLength } from '../../../../shared/parameters/lengths';
import { parseBoolean, parseChoice, parseShortText } from '../../../../shared/parameters/scalars';
import { isRecord } from '../../../../shared/responses/shapes';
import { PASSWORD_LABEL } from '../../../descriptions/drmRules';
import { parseDrmRules, parseRecipients } from '../../../parameters/drmRules';
import { isExpression } from '../../../../shared/parameters/expressions';
import { parseJsonObject } from '../../../parameters/json';
import { ACCESS_ENDS, MANIFEST_MODES } from './choices';
import type { ItemParameters } from './itemParameters';

/** Name, access rules and password of a container (docs/openapi.yaml, Manifest). */
export interface Manifest extends IDataObject {
	container: IDataObject;
}

/** @throws UserError for input that the service can't understand */
export function getManifest(parameters: ItemParameters, timeZone: string): Manifest {
	const mode = parameters.get('specifyManifest');
	return parseChoice(mode, 'Specify Manifest', MANIFEST_MODES) === 'json'
		? parseJsonManifest(parameters)
		: getManifestFromFields(parameters, timeZone);
}

function parseJsonManifest({ get }: ItemParameters): Manifest {
	const label = 'Manifest (JSON)';
	const manifest = parseJsonObject(get('manifestJson'), label);
	const { container } = manifest;
	if (isRecord(container)) {
		if (Object.hasOwn(container, 'password')) assertPassword(container.password, label);
		if (typeof container.name === 'string') assertLength(container.name, 'name', label, 'The name');
		return { ...manifest, container };
	}
	throw new UserError(`"${label}" contains no "container" object`, {
		description: `Enter the manifest in "${label}" in the format { "container": { "name": "…", … } }.`,
	});
}

function getManifestFromFields(parameters: ItemParameters, timeZone: string): Manifest {
	const { get } = parameters;
	const name = parseShortText(get('name'), 'Container Name').trim();
	if (name === '') {
		throw new UserError('"Container Name" is empty', {
			description:
				'Enter a name in "Container Name". If it comes from an expression, check that the field exists in the input item.',
		});
	}
	const recipients = getRecipients(parameters);
	const fields = get('drmRules', {}) as IDataObject;
	return {
		container: {
			name,
			...(recipients.length === 0 ? {} : { recipients }),
			downloadable: parseBoolean(get('downloadable'), 'Downloadable'),
			...('password' in fields ? { password: parsePassword(fields.password) } : {}),
			drm: parseDrmRules(
				{ ...fields, dynamic: get('dynamic') as boolean, ...getAccessEnd(parameters) },
				timeZone,
			),
		},
	};
}

/** The rule field that ends access, if any. */
function getAccessEnd({ get }: ItemParameters): IDataObject {
	switch (parseChoice(get('accessEnds'), 'Access Ends', ACCESS_ENDS)) {
		case 'never':
			return {};
		case 'onDate':
			return { timeEnd: get('timeEnd') as string };
		case 'afterDays':
			return { accessDays: get('accessDays') as number };
	}
}

/** Without an address from an expression, nobody or everybody could open the container, so it is an error. */
function getRecipients({ raw, get }: ItemParameters): string[] {
	const recipients = parseRecipients(get('recipients'), 'Recipients');
	if (recipients.length > 0 || !isExpression(raw.recipients)) return recipients;
	throw new UserError('The expression in "Recipients" returned no address', {
		description:
			'Check that the field exists in the input item. To create a container without recipients, clear "Recipients".',
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
