import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { parseAddresses } from '../../../../shared/parameters/lists';
import { parseBoolean } from '../../../../shared/parameters/scalars';
import { isRecord } from '../../../../shared/responses/shapes';
import { parseDrmRules } from '../../../parameters/drmRules';
import { parseJsonObject } from '../../../parameters/json';

/** Name, access rules and password of a container (docs/openapi.yaml, Manifest). */
export interface Manifest extends IDataObject {
	container: IDataObject;
}

/** @throws UserError for input that the service can't understand */
export function getManifest(context: IExecutePaginationFunctions): Manifest {
	return context.getNodeParameter('specifyManifest', 'fields') === 'json'
		? parseJsonManifest(context)
		: getManifestFromFields(context);
}

function parseJsonManifest(context: IExecutePaginationFunctions): Manifest {
	const label = 'Manifest (JSON)';
	const manifest = parseJsonObject(context.getNodeParameter('manifestJson', ''), label);
	if (isRecord(manifest.container)) return manifest as Manifest;
	throw new UserError(`"${label}" contains no "container" object`, {
		description: `Enter the manifest in "${label}" in the format { "container": { "name": "…", … } }.`,
	});
}

function getManifestFromFields(context: IExecutePaginationFunctions): Manifest {
	const name = String(context.getNodeParameter('name', '') ?? '').trim();
	if (name === '') {
		throw new UserError('"Container Name" is empty', {
			description:
				'Enter a name in "Container Name". If it comes from an expression, check that the field exists in the input item.',
		});
	}
	const recipients = getRecipients(context);
	const drm = parseDrmRules(
		context.getNodeParameter('drmRules', {}) as IDataObject,
		context.getTimezone(),
	);
	const additional = context.getNodeParameter('additionalFields', {}) as IDataObject;
	return {
		container: {
			name,
			...(recipients.length === 0 ? {} : { recipients }),
			downloadable: parseBoolean(context.getNodeParameter('downloadable', false), 'Downloadable'),
			...('password' in additional ? { password: parsePassword(additional.password) } : {}),
			...(Object.keys(drm).length === 0 ? {} : { drm }),
		},
	};
}

/** Without an address from an expression, nobody or everybody could open the container, so it is an error. */
function getRecipients(context: IExecutePaginationFunctions): string[] {
	const recipients = parseAddresses(context.getNodeParameter('recipients', ''), 'Recipients');
	const entered = context.getNode().parameters.recipients;
	const isExpression = typeof entered === 'string' && entered.startsWith('=');
	if (recipients.length > 0 || !isExpression) return recipients;
	throw new UserError('The expression in "Recipients" returned no address', {
		description:
			'Check that the field exists in the input item. To create a container without recipients, clear "Recipients".',
	});
}

/** With an empty password, the container would have none, so it is an error. */
function parsePassword(value: unknown): string {
	const password = typeof value === 'number' ? String(value) : value;
	if (typeof password === 'string' && password !== '') return password;
	throw new UserError('"Password" is empty', {
		description:
			'Enter a password, or remove "Password" to create a container without a password. If it comes from an expression, check that the field exists in the input item.',
	});
}
