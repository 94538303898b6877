import type { INodePropertyOptions, INodeType } from 'n8n-workflow';
import { contact } from '../../nodes/EncryptedContainers/resources/contact/index';
import { container } from '../../nodes/EncryptedContainers/resources/container/index';
import { drm } from '../../nodes/EncryptedContainers/resources/drm/index';
import { request as fileRequest } from '../../nodes/EncryptedContainers/resources/request/index';
import { user } from '../../nodes/EncryptedContainers/resources/user';
import { findOperation } from '../../tools/contract.cts';
import { operations as cases, runOperation } from '../faults/support/operations.cts';
import { loadPackage } from '../support/package.cts';
import { useService } from '../support/service.cts';

/** A request as docs/openapi.yaml names it: `GET /containers/{container_id}`. */
function toContract(method: string, path: string): string {
	const found = findOperation(method, path);
	if (found === undefined) throw new Error(`There is no ${method} ${path} in docs/openapi.yaml`);
	return `${method} ${found.template}`;
}

/** What each operation declares, by resource and operation. */
const declared = [container, drm, fileRequest, contact, user].flatMap(({ value, operations }) =>
	operations.map(({ option, alsoSends }) => {
		const { request } = option.routing;
		const requests = [request, ...alsoSends].map(({ method, url }) => toContract(method, url));
		return { name: `${value} ${option.value}`, requests };
	}),
);

it('the description has a request of the contract for each operation', async () => {
	const { loader } = await loadPackage();
	const { description } = loader.getNode('encryptedContainers').type as INodeType;
	const selectors = description.properties.filter(({ name }) => name === 'operation');
	const options = selectors.flatMap((field) => field.options as INodePropertyOptions[]);

	const shown = options.map(({ routing }) => {
		const { method, url } = routing!.request!;
		return toContract(String(method), String(url));
	});

	expect(shown).toHaveLength(23);
	expect(shown.sort()).toEqual(declared.map(({ requests }) => requests[0]).sort());
});

describe('at the service', () => {
	const service = useService();

	it.each(declared)('$name sends what it declares, and nothing else', async (operation) => {
		const found = cases.find(({ name }) => name === operation.name)!;
		const { json } = await found.arrange(service);

		const { error } = await runOperation(service, found, json);

		expect(error).toBeUndefined();
		const sent = service.requests.map(({ method, path }) => {
			const [, below] = path.split('/api/v1');
			const [route] = below.split('?');
			return toContract(method, route);
		});
		const [request] = operation.requests;
		expect(sent).toContain(request);
		expect(['GET /me', ...operation.requests]).toEqual(expect.arrayContaining(sent));
	});
});
