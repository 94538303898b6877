import { startSandbox, type Sandbox } from '../../../../sandbox/index.cts';
import { probe } from '../../../../tools/probe/probe.cts';
import { loadOperations } from '../../../../tools/probe/walk.cts';
import { repositoryRoot } from '../../../support/package.cts';
import { trustCertificateAuthority } from '../../../../tools/engine/trust.cts';

const FOREIGN = {
	containers: ['Payroll of Frieda Fremd', 'Contract 4711'],
	contacts: ['frieda.fremd@acme.example', 'gustav@acme.example'],
};

/** What no output and no file of the probe can contain. */
export const FOREIGN_TEXT = /Frieda|Fremd|Payroll|4711|gustav|acme|Vault/i;

/** One sandbox for the tests of a file, before each test with containers and contacts of others only. */
export function useProbe(): {
	sandbox: Sandbox;
	run(options?: {
		signal?: AbortSignal;
	}): Promise<Awaited<ReturnType<typeof probe>> & { lines: string[] }>;
	/** Everything that the sandbox stores, without when it was changed. */
	stored(): unknown;
} {
	const running = {} as { sandbox: Sandbox };
	let untrust: () => void;
	beforeAll(async () => {
		running.sandbox = await startSandbox();
		untrust = trustCertificateAuthority(running.sandbox.ca);
	});
	beforeEach(() => {
		const { sandbox } = running;
		sandbox.reset();
		for (const name of FOREIGN.containers) sandbox.addContainer({ name });
		for (const email of FOREIGN.contacts) sandbox.addContact(email, { company: 'acme' });
	});
	afterAll(async () => {
		untrust();
		await running.sandbox.stop();
	});
	return {
		get sandbox() {
			return running.sandbox;
		},
		stored() {
			const { state, user } = running.sandbox;
			return structuredClone([state.containersOf(user.id), [...state.contactsOf(user.id)]]);
		},
		async run(options = {}) {
			const { url: baseUrl, apiKey } = running.sandbox;
			const lines: string[] = [];
			const result = await probe({
				credential: { baseUrl, apiKey },
				run: await loadOperations(repositoryRoot),
				log: (line) => lines.push(line),
				...options,
			});
			return { ...result, lines };
		},
	};
}
