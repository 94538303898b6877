import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';
import { credentialName, type ApiCredentials } from './credentials.cts';
import { contextOf, singleNode } from './definition.cts';
import { withLog } from './log.cts';

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
	const { method = 'GET', url, ignoreSslIssues = false, certificates } = options;
	const node = 'n8n-nodes-base.httpRequest';
	const { credentials } = options;
	const context = contextOf(await singleNode({ node, parameters: {}, credentials }));
	const request = {
		...{ method, uri: url, gzip: true, json: true, timeout: 300_000 },
		rejectUnauthorized: !ignoreSslIssues,
		...(certificates ? { agentOptions: certificates } : {}),
		...{ followRedirect: true, followAllRedirects: true, resolveWithFullResponse: true },
		sendCredentialsOnCrossOriginRedirect: true,
	};
	return await withLog(async (log) => {
		try {
			const send = context.helpers.requestWithAuthentication;
			const response = await send.call(context, credentialName, request, undefined, 0);
			return { response: response as HttpRequestNodeResult['response'], log };
		} catch (error) {
			return { error: error as Error, log };
		}
	});
}
