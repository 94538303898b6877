import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiCredentials } from '../engine/credentials.cts';
import { cleanUp, type Leftover } from './cleanup.cts';
import { formatFixture, toFixture } from './fixtures.cts';
import type { RunOperation } from './node.cts';
import { Redactor } from './redactor.cts';
import { createReport } from './report.cts';
import { createSender } from './send.cts';
import { createOwned, REQUIRED_STEPS, walk, type Step } from './walk.cts';

export interface ProbeOptions {
	credential: ApiCredentials;
	run: RunOperation;
	/** Ends the walk; what was created is still deleted. */
	signal?: AbortSignal;
	/** Folder for the answers. */
	save?: string;
	/** Prints a line. */
	log(text: string): void;
}

export interface ProbeResult {
	report: string;
	/** Operations with which the node failed or which did not run. */
	failed: string[];
	/** What the service did not delete. */
	leftovers: Leftover[];
	/** Why the walk ended early. */
	error?: string;
}

/** Walks all operations on a container and a contact of its own, deletes both, and reports. */
export async function probe({ save, log, ...options }: ProbeOptions): Promise<ProbeResult> {
	const { credential } = options;
	const owned = createOwned();
	const steps: Step[] = [];
	const sender = createSender(credential);
	const print = (text: string) => log(new Redactor(credential, owned).text(text));
	const walkOptions = { ...options, send: sender.send, owned, log: print };
	let error: string | undefined;
	let leftovers: Leftover[];
	try {
		await walk(walkOptions, steps).catch((reason: Error) => {
			error = reason.message;
		});
	} finally {
		leftovers = await cleanUp(walkOptions, steps);
		await sender.close();
	}
	const redactor = new Redactor(credential, owned);
	const fixture = toFixture(steps, owned, redactor);
	const report = await createReport(steps, owned, redactor);
	if (save !== undefined) {
		await mkdir(save, { recursive: true });
		await writeFile(join(save, 'answers.json'), formatFixture(fixture));
		await writeFile(join(save, 'report.md'), `${report}\n`);
	}
	const succeeded = steps.filter(({ outcome }) => outcome !== undefined && !outcome.error);
	const failed = REQUIRED_STEPS.filter((id) => !succeeded.some((step) => step.id === id));
	return { report, failed, leftovers, error: error && redactor.text(error) };
}
