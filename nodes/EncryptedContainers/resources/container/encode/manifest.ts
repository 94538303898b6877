import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { isRecord } from '../../../../shared/responses/shapes';
import { parseJsonObject } from '../../../parameters/json';
import { parseAddresses } from '../../../../shared/parameters/lists';
import { parseBoolean } from '../../../../shared/parameters/scalars';
import { parseDrmRules } from '../../../parameters/drmRules';

/** The JSON document that goes with the files (service-api.md, Manifest). */
export interface Manifest extends IDataObject {
	container: IDataObject;
}

/**
 * Reads the manifest from the fields or from the JSON of an item.
 *
 * @param context the item's context
 * @returns the manifest as it is sent
 * @throws UserError for input that the service could not understand
 */
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

/** An expression that gives no address would open the container to nobody, or to everybody: that is never guessed. */
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

/** A password that was added and is empty would leave the container without one: that is never guessed. */
function parsePassword(value: unknown): string {
	const password = typeof value === 'number' ? String(value) : value;
	if (typeof password === 'string' && password !== '') return password;
	throw new UserError('"Password" is empty', {
		description:
			'Enter a password, or remove "Password" to create a container without a password. If it comes from an expression, check that the field exists in the input item.',
	});
}
