import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import { newKey, sequential, userId } from './parameters.cts';

export const base: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	containerMode: 'perItem',
	fileSource: 'text',
	textContent: 'confidential',
	textFileName: 'report.txt',
	specifyManifest: 'fields',
	name: '={{ $json.id }}',
	recipients: '',
	downloadable: false,
	drmRules: {},
	options: { userId, allowNoRecipients: true },
};

export const listPath = `/users/${userId}/containers`;

export const path = `${listPath}/encode`;

export const envelope = { org_id: userId, container: { uuid: 'c-1', name: 'Invoice' } };

export const invoice = [{ json: { id: 'Invoice' } }];

/** New for each test, because the process remembers what it created with a key. */
let credentials = newKey();
beforeEach(() => void (credentials = newKey()));

export const encode = async (
	parameters: INodeParameters = {},
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		items: invoice,
		credentials,
		...more,
		parameters: {
			...base,
			...parameters,
			options: { userId, allowNoRecipients: true, ...sequential, ...options },
		} as INodeParameters,
	});

/** What the output shows of the settings that the helper sends. */
export const settingsOf = (name: string): IDataObject => ({
	name,
	recipients: [],
	downloadable: false,
	drm: { dynamic: true },
	emailTo: '',
	endsOn: null,
});

/** The outputs without the settings that were sent. */
export const withoutSettings = (items: INodeExecutionData[]): IDataObject[] =>
	items.map(({ json }) =>
		Object.fromEntries(Object.entries(json).filter(([name]) => name !== 'settings')),
	);

export interface SentPart {
	head: string;
	content: string;
}

/** The parts of a body of text files, as they were sent. */
export function partsOf(body: unknown): SentPart[] {
	const text = String(body);
	const boundary = text.slice(0, text.indexOf('\r\n'));
	return text
		.split(boundary)
		.slice(1, -1)
		.map((part) => {
			const [head, ...content] = part.slice(2, -2).split('\r\n\r\n');
			return { head, content: content.join('\r\n\r\n') };
		});
}

/** The uploads that reached the service, and the content of their manifests. */
export function uploadsTo(service: MockedService) {
	const uploads = () => service.requests.filter(({ method }) => method === 'POST');
	const manifests = () =>
		uploads().map(({ body }) => JSON.parse(partsOf(body)[0].content) as IDataObject);
	const containerSent = () => manifests()[0].container as IDataObject;
	return { uploads, manifests, containerSent };
}
