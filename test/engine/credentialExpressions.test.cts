import type { INodeParameters } from 'n8n-workflow';
import { defaultCredentials } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { agentWays, runAgent } from './support/agent.cts';
import { containerId, sequential } from './support/parameters.cts';

const service = mockService();
const leak = '={{ $credentials.apiKey }}';
const get = { resource: 'container', operation: 'get', options: sequential };

describe.each(agentWays)(
	'a parameter that names $credentials, as the tool of an agent (%s)',
	(way) => {
		it.each<[string, INodeParameters]>([
			['a field', { ...get, containerId: containerId(leak) }],
			['an option', { ...get, containerId: containerId('c-1'), requestOptions: { proxy: leak } }],
		])('shows the API key nowhere: %s', async (_place, parameters) => {
			const { results, log } = await runAgent({ parameters, calls: [{}], way });

			expect(results[0][0]).toMatch(
				way === 'itself' ? /uses \$credentials/ : /"(Container|Proxy)" is/,
			);
			expect(service.requests).toEqual([]);
			expect([...results[0], ...log].join('\n')).not.toContain(defaultCredentials.apiKey);
		});
	},
);
