import './n8nEnvironment.cts';
import { LoadOptionsContext, PollContext, RoutingNode, TriggersAndPollers } from 'n8n-core';
import {
	NodeHelpers,
	type ICredentialTestRequest,
	type IDataObject,
	type IHttpRequestMethods,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type NodeApiError,
} from 'n8n-workflow';
import { credentialName, type ApiCredentials } from './credentials.cts';
import { container, withLog } from './host.cts';
import { describeNode } from './package.cts';
import { contextOf, singleNode, type WorkflowOptions } from './workflow.cts';

export interface RunPollOptions extends Pick<
	WorkflowOptions,
	'workflowId' | 'credentials' | 'timezone' | 'staticData'
> {
	parameters: INodeParameters;
	nodeName?: string;
	/** "manual" is a test in the editor, "trigger" a poll of an active workflow. */
	mode?: 'trigger' | 'manual';
	/** "init" is the start of n8n, and "leadershipChange" the take-over by another of its processes. */
	activation?: 'activate' | 'init' | 'leadershipChange';
	/** The time that n8n's durable scheduler gives a poll. Null for a version of n8n without it. */
	budget?: number | null;
}

export interface RunPollResult {
	items: INodeExecutionData[][] | null;
	/** The node's static data after the poll, as read from n8n's database, even after an error. */
	staticData: Record<string, unknown>;
	error?: Error;
	/** What n8n lists as executions that failed, although the poll went on. */
	problems: Error[];
	log: string[];
	/** Polls again in the same context, as n8n does at the poll times. */
	pollAgain: () => Promise<RunPollResult>;
}

/**
 * Calls poll() of the trigger once, in n8n's own context. Does not throw when the poll does.
 * The static data is what the node wrote, even if it threw: n8n 2.41 drops that for
 * workflows it has migrated, older versions keep it.
 */
export async function runPoll({
	mode = 'trigger',
	activation: activated = 'activate',
	budget,
	...options
}: RunPollOptions): Promise<RunPollResult> {
	const single = await singleNode({ node: 'encryptedContainersTrigger', ...options });
	const { node, workflow } = single;
	const activation = mode === 'manual' ? 'manual' : activated;
	const problems: Error[] = [];
	const emit = () => {
		throw new Error('A poll returns its items');
	};
	const emitError = (error: Error) => void problems.push(error);
	const data = single.additionalDataIn(mode);
	const context = new PollContext(workflow, node, data, mode, activation, emit, emitError);
	if (budget !== undefined) {
		Object.assign(context, { getPollBudgetMs: budget === null ? undefined : () => budget });
	}
	const pollOnce = async (): Promise<RunPollResult> =>
		await withLog(async (log) => {
			problems.length = 0;
			const poller = container.get(TriggersAndPollers);
			const polled = await poller.runPollFunction(workflow, node, context).then(
				(items) => ({ items }),
				(error: Error) => ({ items: null, error }),
			);
			const written = JSON.stringify(workflow.getStaticData('node', node));
			const staticData = JSON.parse(written) as Record<string, unknown>;
			return { ...polled, staticData, problems: [...problems], log, pollAgain: pollOnce };
		});
	return await pollOnce();
}

export interface RunListSearchOptions {
	/** Name in the node's `methods.listSearch`. */
	method: string;
	/** The current parameters, as the editor sends them. */
	parameters?: INodeParameters;
	/** The search text. */
	filter?: string;
	/** The parameter with the list. */
	parameter?: string;
	credentials?: Partial<ApiCredentials>;
}

/** Fetches the list of a resource locator as n8n's editor does. Throws what the method throws, which the editor shows. */
export async function runListSearch({
	method,
	parameter = 'containerId',
	filter,
	...options
}: RunListSearchOptions): Promise<INodeListSearchResult> {
	const single = await singleNode({ node: 'encryptedContainers', ...options });
	const { node, workflow, loaded } = single;
	const nodeType = NodeHelpers.getVersionedNodeType(loaded.nodeTypes.getByName(node.type));
	const search = nodeType.methods?.listSearch?.[method];
	if (search === undefined) throw new Error(`The node has no list search "${method}"`);
	const data = single.additionalDataIn('internal');
	const context = new LoadOptionsContext(workflow, node, data, `parameters.${parameter}`);
	return await search.call(context, filter);
}

interface HttpRequestNodeOptions {
	method?: IHttpRequestMethods;
	url: string;
	/** The node's options "Ignore SSL Issues" and "SSL Certificates". */
	ignoreSslIssues?: boolean;
	certificates?: IDataObject;
	credentials?: Partial<ApiCredentials>;
}

interface HttpRequestNodeResult {
	response?: { statusCode: number; headers: IDataObject; body: unknown };
	error?: Error;
	log: string[];
}

/**
 * Sends a request as n8n's HTTP Request node does with the package's credential as "Predefined
 * Credential Type", which is the other way for the API key to leave n8n. It follows redirects, with the
 * credential, as versions before 4.4 do. Does not throw.
 */
export async function runHttpRequestNodeStyle(
	options: HttpRequestNodeOptions,
): Promise<HttpRequestNodeResult> {
	const { method = 'GET', url, ignoreSslIssues = false, certificates, credentials } = options;
	const context = contextOf(await singleNode({ node: 'n8n-nodes-base.httpRequest', credentials }));
	const request = {
		...{ method, uri: url, gzip: true, json: true, timeout: 300_000 },
		rejectUnauthorized: !ignoreSslIssues,
		...(certificates ? { agentOptions: certificates } : {}),
		...{ followRedirect: true, followAllRedirects: true, resolveWithFullResponse: true },
		sendCredentialsOnCrossOriginRedirect: true,
	};
	const send = context.helpers.requestWithAuthentication;
	return await withLog(
		async (log) =>
			await send.call(context, credentialName, request, undefined, 0).then(
				(response: HttpRequestNodeResult['response']) => ({ response, log }),
				(error: Error) => ({ error, log }),
			),
	);
}

function messageFor(error: NodeApiError, { rules = [] }: ICredentialTestRequest): string {
	const cause = error.cause as
		{ response?: { status: number; statusText?: string }; code?: string } | undefined;
	if (cause?.response === undefined) return cause?.code ?? error.message;
	const { status, statusText } = cause.response;
	for (const { type, properties } of rules) {
		if (type === 'responseCode' && properties.value === status) return properties.message;
	}
	if (status >= 199 && status <= 299) return error.message;
	return statusText || `Received HTTP status code: ${status}`;
}

/**
 * Sends the credential's `test` request and applies its rules as n8n does when the user saves a
 * credential: as a node with one field. Returns what the editor shows.
 */
export async function testCredential(
	credentials: ApiCredentials,
): Promise<{ status: 'OK' | 'Error'; message: string }> {
	const single = await singleNode({ node: 'test.start', credentials });
	const { test } = single.loaded.loader.getCredential(credentialName).type;
	if (test === undefined) throw new Error('The credential has no test');
	const field = { displayName: 'Temp', name: 'temp', type: 'string', default: '' } as const;
	const description = describeNode('noOp', {
		credentials: [{ name: credentialName, required: true }],
		properties: [{ ...field, routing: { request: test.request } }],
	});
	single.node.parameters = { temp: '' };
	const data = await single.credentialsHelper.getDecrypted(
		{} as never,
		{} as never,
		credentialName,
		'internal',
	);
	const decrypted = { id: 'credential-1', name: 'Test', type: credentialName, data };
	let outputs;
	try {
		outputs = await new RoutingNode(contextOf(single), { description }, decrypted).runNode();
	} catch (error) {
		return { status: 'Error', message: messageFor(error as NodeApiError, test) };
	}
	const json = outputs?.[0]?.[0]?.json;
	for (const { type, properties } of test.rules ?? []) {
		if (type !== 'responseSuccessBody' || json?.[properties.key] !== properties.value) continue;
		return { status: 'Error', message: properties.message };
	}
	return { status: 'OK', message: 'Connection successful!' };
}
