import type { IDataObject } from 'n8n-workflow';
import type { MockedService } from '../../support/nock.cts';
import { containersPath, operation, userId } from './operations.cts';

export const base: IDataObject = {
	resource: 'container',
	operation: 'encode',
	containerMode: 'perItem',
	fileSource: 'text',
	textContent: 'confidential',
	textFileName: 'report.txt',
	specifyManifest: 'fields',
	name: '={{ $json.id }}',
	recipients: '',
	accessEnds: 'never',
	downloadable: false,
	drmRules: {},
	options: { userId, allowNoRecipients: true },
};

export const path = `${containersPath}/encode`;

export const envelope = { org_id: userId, container: { uuid: 'c-1', name: 'Invoice' } };

const invoice = [{ json: { id: 'Invoice' } }];

export const encode = operation('container: encode', base, invoice);

export const withManifest = (manifest: unknown): IDataObject => ({
	specifyManifest: 'json',
	manifestJson: typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
});

/** What the output shows of the settings that the helper sends. */
export const settingsOf = (name: string): IDataObject => ({
	name,
	recipients: [],
	downloadable: false,
	drm: { dynamic: true },
	emailTo: '',
	endsOn: null,
	link: null,
});

interface SentPart {
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

/** The uploads that reached the service, and the content of their manifests and files. */
export function uploadsTo(service: MockedService) {
	const uploads = () => service.requests.filter(({ method }) => method === 'POST');
	const manifests = () =>
		uploads().map(({ body }) => JSON.parse(partsOf(body)[0].content) as IDataObject);
	const containers = () => manifests().map(({ container }) => container as IDataObject);
	return {
		uploads,
		manifests,
		containerSent: () => containers()[0],
		sentNames: () => containers().map(({ name }) => String(name)),
		/** Name and content of each file of the first upload. */
		sentFiles: () =>
			partsOf(uploads()[0].body)
				.slice(1)
				.map(({ head, content }) => [/filename="([^"]*)"/.exec(head)?.[1], content]),
		/** Expects uploads, one after the other, and responds with containers of these names. */
		accept: (...names: string[]) => {
			for (const name of names) {
				service.post(path).reply(200, { container: { uuid: `c-${name}`, name } });
			}
		},
	};
}
