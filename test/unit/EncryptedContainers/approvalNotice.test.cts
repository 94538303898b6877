import type { INode } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { EncryptedContainers } from '../../../nodes/EncryptedContainers/EncryptedContainers.node';

const { description } = new EncryptedContainers();

it.each([
	['container', 'delete', true],
	['contact', 'delete', true],
	['drm', 'revoke', true],
	['drm', 'update', false],
])('%s > %s asks for human review where it is a tool: %s', (resource, operation, asks) => {
	const notices = description.properties.filter(({ name }) => name === 'approvalNotice');
	const parameters = { resource, operation };
	const isShown = (name: string) => {
		const node = { type: name, typeVersion: 1, parameters } as unknown as INode;
		return notices.some((notice) =>
			NodeHelpers.displayParameter(parameters, notice, node, { ...description, name }),
		);
	};

	expect(isShown('encryptedContainersTool')).toBe(asks);
	expect(isShown('encryptedContainers')).toBe(false);
});
