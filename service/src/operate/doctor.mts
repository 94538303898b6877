import type { Config } from '../config.mts';
import type { Command, Invocation } from './command.mts';
import { examineCertificate } from './examineCertificate.mts';
import { examineMail } from './examineMail.mts';
import { examineOffice } from './examineOffice.mts';
import { examinePublicUrl } from './examinePublicUrl.mts';
import { examineScanner } from './examineScanner.mts';
import { examineDatabase, examineStorage } from './examineStores.mts';

export const doctorCommands: Command[] = [
	{ usage: 'doctor', help: 'Say what is wrong with settings and surroundings', run: runDoctor },
];

interface Examination {
	part: string;
	/** Says by itself what is wrong, and what to do. */
	examine: (config: Config) => Promise<string[]>;
}

const EXAMINATIONS: Examination[] = [
	{ part: 'certificate', examine: examineCertificate },
	{ part: 'database', examine: examineDatabase },
	{ part: 'storage', examine: examineStorage },
	{ part: 'mail', examine: examineMail },
	{ part: 'PUBLIC_URL', examine: examinePublicUrl },
	{ part: 'scanner', examine: examineScanner },
	{ part: 'Office files', examine: examineOffice },
];

async function runDoctor({ config }: Invocation) {
	const problems: string[] = [];
	for (const { part, examine } of EXAMINATIONS) {
		const stop = (error: NodeJS.ErrnoException) => [describeFailure(part, error)];
		problems.push(...(await examine(config).catch(stop)));
	}
	const parts = new Intl.ListFormat('en-GB').format(EXAMINATIONS.map(({ part }) => part));
	const lines = problems.length > 0 ? [] : [`All is well: ${parts}.`];
	return { problems, lines };
}

/** An examination that fails doesn't hide what the others find. */
function describeFailure(part: string, error: NodeJS.ErrnoException): string {
	const { message, code = message } = error;
	return `Not examined: ${part} (${code}). Correct this and the other problems, then run "doctor" again.`;
}
