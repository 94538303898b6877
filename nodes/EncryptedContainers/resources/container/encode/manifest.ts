import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { assertLength } from '../../../../shared/parameters/lengths';
import { parseBoolean, parseChoice, parseShortText } from '../../../../shared/parameters/scalars';
import { isRecord } from '../../../../shared/responses/shapes';
import { PASSWORD_LABEL } from '../../../descriptions/drmRules';
import { parseDrmRules, parseRecipients } from '../../../parameters/drmRules';
import { isExpression } from '../../../../shared/parameters/expressions';
import { parseJsonObject } from '../../../parameters/json';
import { ACCESS_ENDS, MANIFEST_MODES } from './choices';

/** Name, access rules and password of a container (docs/openapi.yaml, Manifest). */
export interface Manifest extends IDataObject {
	container: IDataObject;
}

/** @throws UserError for input that the service can't understand */
export function getManifest(context: IExecutePaginationFunctions): Manifest {
	const mode = context.getNodeParameter('specifyManifest', 'fields');
	return parseChoice(mode, 'Specify Manifest', MANIFEST_MODES) === 'json'
		? parseJsonManifest(context)
		: getManifestFromFields(context);
}

function parseJsonManifest(context: IExecutePaginationFunctions): Manifest {
	const label = 'Manifest (JSON)';
	const manifest = parseJsonObject(context.getNodeParameter('manifestJson', ''), label);
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

function getManifestFromFields(context: IExecutePaginationFunctions): Manifest {
	const name = parseShortText(context.getNodeParameter('name', ''), 'Container Name').trim();
	if (name === '') {
		throw new UserError('"Container Name" is empty', {
			description:
				'Enter a name in "Container Name". If it comes from an expression, check that the field exists in the input item.',
		});
	}
	const recipients = getRecipients(context);
	const fields = context.getNodeParameter('drmRules', {}) as IDataObject;
	return {
		container: {
			name,
			...(recipients.length === 0 ? {} : { recipients }),
			downloadable: parseBoolean(context.getNodeParameter('downloadable', false), 'Downloadable'),
			...('password' in fields ? { password: parsePassword(fields.password) } : {}),
			drm: parseDrmRules(
				{ ...fields, dynamic: context.getNodeParameter('dynamic', true), ...getAccessEnd(context) },
				context.getTimezone(),
			),
		},
	};
}

/** The rule field that ends access, if any. */
function getAccessEnd(context: IExecutePaginationFunctions): IDataObject {
	const entered = context.getNodeParameter('accessEnds', 'never');
	switch (parseChoice(entered, 'Access Ends', ACCESS_ENDS)) {
		case 'never':
			return {};
		case 'onDate':
			return { timeEnd: context.getNodeParameter('timeEnd', '') as string };
		case 'afterDays':
			return { accessDays: context.getNodeParameter('accessDays', '') as number };
	}
}

/** Without an address from an expression, nobody or everybody could open the container, so it is an error. */
function getRecipients(context: IExecutePaginationFunctions): string[] {
	const recipients = parseRecipients(context.getNodeParameter('recipients', ''), 'Recipients');
	if (recipients.length > 0 || !isExpression(context.getNode().parameters.recipients)) {
		return recipients;
	}
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
	if (typeof value === 'number' && Number.isFinite(value)) return;
	if (typeof value === 'string' && value !== '') return;
	const isNothing = value === undefined || value === null || value === '';
	throw new UserError(`"${PASSWORD_LABEL}" ${isNothing ? 'is empty' : 'is not text'}`, {
		description: `Enter a password, or remove it from "${field}" to create a container without a password. If it comes from an expression, check that the field exists in the input item.`,
	});
}
