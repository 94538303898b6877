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

/** Each says by itself what is wrong, and what to do. */
const EXAMINATIONS: Array<(config: Config) => Promise<string[]>> = [
	examineCertificate,
	examineDatabase,
	examineStorage,
	examineMail,
	examinePublicUrl,
	examineScanner,
	examineOffice,
];

async function runDoctor({ config }: Invocation) {
	const problems: string[] = [];
	for (const examine of EXAMINATIONS) problems.push(...(await examine(config)));
	const parts = 'certificate, clock, mail, storage, database, reverse proxy and PUBLIC_URL';
	const lines = problems.length > 0 ? [] : [`All is well: ${parts}.`];
	return { problems, lines };
}
