import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { isRecord } from '../../../shared/answers/records';
import { readJsonObject } from '../../../shared/input/json';
import { readAddresses } from '../../../shared/input/lists';
import { readFlag, readRules } from '../../../shared/rules/readRules';

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
export function readManifest(context: IExecutePaginationFunctions): Manifest {
	return context.getNodeParameter('specifyManifest', 'fields') === 'json'
		? readJsonManifest(context)
		: readFields(context);
}

function readJsonManifest(context: IExecutePaginationFunctions): Manifest {
	const label = 'Manifest (JSON)';
	const manifest = readJsonObject(context.getNodeParameter('manifestJson', ''), label);
	if (isRecord(manifest.container)) return manifest as Manifest;
	throw new UserError(`"${label}" has no object "container"`, {
		description: `Enter the manifest in the form { "container": { "name": "…", … } } in "${label}".`,
	});
}

function readFields(context: IExecutePaginationFunctions): Manifest {
	const name = String(context.getNodeParameter('name', '') ?? '').trim();
	if (name === '') {
		throw new UserError('"Container Name" is empty', {
			description:
				'Enter a name in "Container Name". If it comes from an expression, check that the field exists in the input item.',
		});
	}
	const recipients = readRecipients(context);
	const drm = readRules(
		context.getNodeParameter('drmRules', {}) as IDataObject,
		context.getTimezone(),
	);
	const additional = context.getNodeParameter('additionalFields', {}) as IDataObject;
	return {
		container: {
			name,
			...(recipients.length === 0 ? {} : { recipients }),
			downloadable: readFlag(context.getNodeParameter('downloadable', false), 'Downloadable'),
			...('password' in additional ? { password: readPassword(additional.password) } : {}),
			...(Object.keys(drm).length === 0 ? {} : { drm }),
		},
	};
}

/** An expression that gives no address would open the container to nobody, or to everybody: that is never guessed. */
function readRecipients(context: IExecutePaginationFunctions): string[] {
	const recipients = readAddresses(context.getNodeParameter('recipients', ''), 'Recipients');
	const entered = context.getNode().parameters.recipients;
	const isExpression = typeof entered === 'string' && entered.startsWith('=');
	if (recipients.length > 0 || !isExpression) return recipients;
	throw new UserError('The expression in "Recipients" gives no address', {
		description:
			'Check that the field exists in the input item. To make a container without recipients, leave "Recipients" empty.',
	});
}

/** A password that was added and is empty would leave the container without one: that is never guessed. */
function readPassword(value: unknown): string {
	const password = typeof value === 'number' ? String(value) : value;
	if (typeof password === 'string' && password !== '') return password;
	throw new UserError('"Password" is empty', {
		description:
			'Enter a password, or remove the field "Password" to make a container without one. If it comes from an expression, check that the field exists in the input item.',
	});
}
