import type { INodeParameters } from 'n8n-workflow';
import {
	NODE_TYPE,
	workflowOf,
	type NodeOptions,
	type WorkflowJson,
} from '../tools/realN8n/workflow.cts';
import { BEARER_CREDENTIAL, OWN_CREDENTIAL } from './credentials.cts';

/** The node that is measured has this name in every workflow. */
export const MEASURED = 'Measured';

const START: NodeOptions = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** How the HTTP Request node is let in: as anyone would without this package, or with this package's credential. */
export type HttpCredential = 'bearer' | 'own';

/** This node, with the credential. */
export function ownNode(parameters: INodeParameters): NodeOptions {
	return { name: MEASURED, type: NODE_TYPE, credentials: OWN_CREDENTIAL, parameters };
}

/** The HTTP Request node in its newest version and with its defaults, but for what is given. */
export function httpRequestNode(
	credential: HttpCredential,
	parameters: INodeParameters,
): NodeOptions {
	return {
		name: MEASURED,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		...(credential === 'own'
			? {
					credentials: OWN_CREDENTIAL,
					parameters: {
						authentication: 'predefinedCredentialType',
						nodeCredentialType: Object.keys(OWN_CREDENTIAL)[0],
						options: {},
						...parameters,
					},
				}
			: {
					credentials: BEARER_CREDENTIAL,
					parameters: {
						authentication: 'genericCredentialType',
						genericAuthType: 'httpBearerAuth',
						options: {},
						...parameters,
					},
				}),
	};
}

/**
 * Reads files into items, and a ready manifest into the binary field `manifest` of each: the HTTP Request node can only
 * give the manifest its media type when it is a file. All workflows that upload begin like this, the idle one too.
 */
export function withFiles(
	selector: string,
	manifest: string,
	measured?: NodeOptions,
): WorkflowJson {
	const workflow = workflowOf([
		{ ...START, to: [['Files', 'Manifest']] },
		{ ...reading('Files', selector, 'data'), to: [['Both']] },
		{ ...reading('Manifest', manifest, 'manifest'), to: [['Both']] },
		{
			name: 'Both',
			type: 'n8n-nodes-base.merge',
			typeVersion: 3.2,
			parameters: { mode: 'combine', combineBy: 'combineAll', options: {} },
			...(measured === undefined ? { to: [] } : {}),
		},
		...(measured === undefined ? [] : [measured]),
	]);
	for (const connection of workflow.connections.Manifest.main[0] ?? []) connection.index = 1;
	return workflow;
}

/** Reads the rows of a CSV file into items, one each. */
export function withRows(csv: string, measured?: NodeOptions): WorkflowJson {
	return workflowOf([
		START,
		reading('File', csv, 'data'),
		{
			name: 'Rows',
			type: 'n8n-nodes-base.spreadsheetFile',
			typeVersion: 2,
			parameters: { operation: 'fromFile', fileFormat: 'csv', options: {} },
		},
		...(measured === undefined ? [] : [measured]),
	]);
}

function reading(name: string, fileSelector: string, dataPropertyName: string): NodeOptions {
	return {
		name,
		type: 'n8n-nodes-base.readWriteFile',
		typeVersion: 1.1,
		parameters: { operation: 'read', fileSelector, options: { dataPropertyName } },
	};
}
