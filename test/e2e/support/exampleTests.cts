import { createHash } from 'node:crypto';
import type { ReceivedRequest } from '../../../sandbox/index.cts';
import type { ExampleEnvironment } from './exampleEnvironment.cts';

export const sha256 = (content: Buffer | string) =>
	createHash('sha256').update(content).digest('hex');

/** The date this many days from today. */
export const day = (offset: number) =>
	new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** Name, size and digest of a file, as the sandbox reports them. */
export const describeFile = (name: string, content: Buffer | string) => ({
	name,
	size: Buffer.byteLength(content),
	sha256: sha256(content),
});

/** The files of an upload. */
export const filesOf = ({ parts = [] }: ReceivedRequest) =>
	parts
		.filter(({ name }) => name === 'file')
		.map(({ filename, size, sha256: digest }) => ({ name: filename, size, sha256: digest }));

export const manifestOf = ({ body }: ReceivedRequest) =>
	(body as { container: Record<string, unknown> }).container;

const containerName = (upload: ReceivedRequest) => String(manifestOf(upload).name);

export type ExampleTests = ReturnType<typeof createExampleTests>;

/** The environment of the tests, and what reached its mocks. */
export function createExampleTests(running: { environment: ExampleEnvironment }) {
	const requests = (method: string) =>
		running.environment.sandbox.requests.filter((request) => request.method === method);
	const containers = () => [...running.environment.sandbox.state.containers.values()];
	return {
		get environment() {
			return running.environment;
		},
		requests,
		/** The uploads by container name, because concurrent uploads arrive in any order. */
		uploads: () =>
			requests('POST').sort((one, other) => containerName(one).localeCompare(containerName(other))),
		uuidOf: (name: string) => containers().find((one) => one.name === name)?.uuid ?? 'none',
		mailTo: (address: string) =>
			running.environment.smtp.mails.filter(({ to }) => to.includes(address)),
	};
}
