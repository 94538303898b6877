import type { NodeOptions } from '../../tools/realN8n/workflow.cts';
import { httpRequestNode, ownNode, type HttpCredential } from '../workflows.cts';

interface Service {
	url: string;
	user: { id: string };
}

/** Where containers are made (service-api.md, end point 2). */
export function encodeUrl({ url, user }: Service): string {
	return `${url}/users/${user.id}/containers/encode`;
}

/** This node: one container for each item, with the same manifest that the others send. */
export const encodeOneEach: NodeOptions = ownNode({
	resource: 'container',
	operation: 'encode',
	binaryPropertyName: 'data',
	name: 'Benchmark',
	recipients: 'anna@example.com',
	downloadable: true,
});

/** The HTTP Request node: the same parts as a form, both from binary fields. */
export function uploadByHttpRequest(service: Service, credential: HttpCredential): NodeOptions {
	return httpRequestNode(credential, {
		method: 'POST',
		url: encodeUrl(service),
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
