import type { NodeOptions } from '../../tools/realN8n/workflow.cts';
import { createHttpRequestNode, createOwnNode, type HttpCredential } from '../workflows.cts';

interface Service {
	url: string;
	user: { id: string };
}

export function getEncodeUrl({ url, user }: Service): string {
	return `${url}/users/${user.id}/containers/encode`;
}

/** This node encodes one container per item, with the same manifest as the other clients. */
export const ownEncodeNode: NodeOptions = createOwnNode({
	resource: 'container',
	operation: 'encode',
	binaryPropertyName: 'data',
	name: 'Benchmark',
	recipients: 'anna@example.com',
	downloadable: true,
});

/** The HTTP Request node sends the same parts as a form, both from binary fields. */
export function createHttpEncodeNode(service: Service, credential: HttpCredential): NodeOptions {
	return createHttpRequestNode(credential, {
		method: 'POST',
		url: getEncodeUrl(service),
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [
				{
					parameterType: 'formBinaryData',
					name: 'manifest.json',
					inputDataFieldName: 'manifest',
				},
				{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
			],
		},
	});
}
