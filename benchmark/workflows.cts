import type { INodeParameters } from 'n8n-workflow';
import {
	NODE_TYPE,
	buildWorkflow,
	type NodeOptions,
	type WorkflowJson,
} from '../tools/realN8n/workflow.cts';
import { BEARER_CREDENTIAL, OWN_CREDENTIAL } from './credentials.cts';

/** The name of the measured node in all workflows. */
export const MEASURED_NODE = 'Measured';

const START: NodeOptions = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** The credential of the HTTP Request node: Bearer Auth, or this package's own. */
export type HttpCredential = 'bearer' | 'own';

/** Returns this package's node with its credential. */
export function createOwnNode(parameters: INodeParameters): NodeOptions {
	return { name: MEASURED_NODE, type: NODE_TYPE, credentials: OWN_CREDENTIAL, parameters };
}

/** Returns the HTTP Request node in its latest version, with default values for other parameters. */
export function createHttpRequestNode(
	credential: HttpCredential,
	parameters: INodeParameters,
): NodeOptions {
	return {
		name: MEASURED_NODE,
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
 * Builds a workflow that reads files into items, and the manifest into the binary field `manifest` of
 * each item. The HTTP Request node can set the manifest's media type only if it is a file.
 * @param measured the node to measure; none in the baseline
 */
export function buildFileWorkflow(
	selector: string,
	manifest: string,
	measured?: NodeOptions,
): WorkflowJson {
	const workflow = buildWorkflow([
		{ ...START, to: [['Files', 'Manifest']] },
		{ ...createReadNode('Files', selector, 'data'), to: [['Both']] },
		{ ...createReadNode('Manifest', manifest, 'manifest'), to: [['Both']] },
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

/** Builds a workflow that does nothing. */
export function buildIdleWorkflow(): WorkflowJson {
	return buildWorkflow([START]);
}

/** Builds a workflow that reads each row of a CSV file into an item. */
export function buildCsvWorkflow(csv: string, measured?: NodeOptions): WorkflowJson {
	return buildWorkflow([
		START,
		createReadNode('File', csv, 'data'),
		{
			name: 'Rows',
			type: 'n8n-nodes-base.spreadsheetFile',
			typeVersion: 2,
			parameters: { operation: 'fromFile', fileFormat: 'csv', options: {} },
		},
		...(measured === undefined ? [] : [measured]),
	]);
}

function createReadNode(name: string, fileSelector: string, dataPropertyName: string): NodeOptions {
	return {
		name,
		type: 'n8n-nodes-base.readWriteFile',
		typeVersion: 1.1,
		parameters: { operation: 'read', fileSelector, options: { dataPropertyName } },
	};
}
