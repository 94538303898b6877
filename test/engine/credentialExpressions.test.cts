import type { INodeParameters } from 'n8n-workflow';
import { defaultCredentials } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { runAgent, type AgentWay } from './support/agent.cts';
import { containerId, sequential } from './support/operations.cts';

const service = mockService();
const leak = '={{ $credentials.apiKey }}';
const get = { resource: 'container', operation: 'get', options: sequential };
const field = { ...get, containerId: containerId(leak) };
const setting = {
	...get,
	containerId: containerId('c-1'),
	requestOptions: { proxy: leak },
} as INodeParameters;

/** Only the way without n8n's engine evaluates parameters with the credential at hand. */
it.each<[string, AgentWay, INodeParameters, RegExp]>([
	['a field, by the agent itself', 'itself', field, /uses \$credentials/],
	['a setting, by the agent itself', 'itself', setting, /uses \$credentials/],
	['a field, by the engine', 'engine', field, /Container\\" is empty/],
])(
	'a tool whose parameter names $credentials shows the API key nowhere: %s',
	async (_where, way, parameters, message) => {
		const { results, log } = await runAgent({ parameters, calls: [{}], way });

		expect(results[0][0]).toMatch(message);
		expect(service.requests).toEqual([]);
		expect([...results[0], ...log].join('\n')).not.toContain(defaultCredentials.apiKey);
	},
);
