import { createHash } from 'node:crypto';
import type { ReceivedPart, ReceivedRequest } from '../../../sandbox/index.cts';
import { startExampleEnvironment, type ExampleEnvironment } from './exampleEnvironment.cts';
import type { ReceivedMail } from './mocks/smtp.cts';

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

const describePart = ({ filename, size, sha256: digest }: ReceivedPart) => ({
	name: filename,
	size,
	sha256: digest,
});

/** The files of an upload. */
export const filesOf = ({ parts = [] }: ReceivedRequest) =>
	parts.filter(({ name }) => name === 'file').map(describePart);

export const manifestOf = ({ body }: ReceivedRequest) =>
	(body as { container: Record<string, unknown> }).container;

const containerName = (upload: ReceivedRequest) => String(manifestOf(upload).name);

/** The environment of a test file about examples, and what reached its mocks. */
export interface ExampleTests {
	readonly environment: ExampleEnvironment;
	requests(method: string): ReceivedRequest[];
	/** The uploads by container name, because concurrent uploads arrive in any order. */
	uploads(): ReceivedRequest[];
	containers(): Array<{ uuid: string; name: string; rules: Record<string, unknown> }>;
	uuidOf(name: string): string;
	mailTo(address: string): ReceivedMail[];
}

/** Starts n8n with the examples for a test file, and resets the mocks before each test. */
export function useExamples(): ExampleTests {
	let environment: ExampleEnvironment;
	beforeAll(async () => {
		environment = await startExampleEnvironment();
	});
	beforeEach(() => environment.reset());
	afterAll(async () => await environment?.stop());

	const requests = (method: string) =>
		environment.sandbox.requests.filter((request) => request.method === method);
	const containers = () => [...environment.sandbox.state.containers.values()];
	return {
		get environment() {
			return environment;
		},
		requests,
		uploads: () =>
			requests('POST').sort((one, other) => containerName(one).localeCompare(containerName(other))),
		containers,
		uuidOf: (name) => containers().find((one) => one.name === name)?.uuid ?? 'none',
		mailTo: (address) => environment.smtp.mails.filter(({ to }) => to.includes(address)),
	};
}

/** Tests that the log contains no secret. Call it after all other tests of a file. */
export function itKeepsSecretsOutOfTheLog(examples: ExampleTests): void {
	it('keeps the API key and every other secret out of the log', async () => {
		const log = await examples.environment.log();
		expect(log).toContain('Editor is now accessible');
		const { smtp, imap, chatModel, sandbox } = examples.environment;
		const secrets = [smtp.password, imap.password, chatModel.apiKey];
		for (const secret of [...secrets, sandbox.apiKey]) expect(log).not.toContain(secret);
	});
}
