import * as rows from '../database/queries.mts';
import { attempt } from '../errors.mts';
import { getEncryptedSize } from './ageFile.mts';
import { hashObject } from './hashObject.mts';
import { openSeal } from './seal.mts';
import type { Vault } from './vault.mts';

interface Progress {
	start: (totalBytes: number) => void;
	advance: (bytes: number) => void;
	stop: () => void;
}

interface SealedObject {
	id: string;
	/** Its name in the storage. */
	object: string;
	size: number;
	sha256?: string;
}

/** Where `progress` is given, each file is read and compared with its seal; otherwise only its size is. */
export async function inspectContainers(vault: Vault, progress?: Progress) {
	const problems: string[] = [];
	const report = async (id: string, problem: string) => {
		// It can have been deleted since.
		if ((await rows.findContainer(vault.database, id)) === undefined) return;
		problems.push(`Container ${id} can't be opened: ${problem}.`);
	};
	const { count, sealed } = await openSeals(vault, report);
	const complete = await compareSizes(vault, sealed, report);
	const withoutHash = complete.filter(({ sha256 }) => sha256 === undefined);
	if (progress) await compareContents(vault, complete, report, progress);
	return { count, problems, withoutHash: withoutHash.map(({ id }) => id) };
}

type Report = (id: string, problem: string) => Promise<void>;

async function openSeals({ database, keys }: Vault, report: Report) {
	const sealed: SealedObject[] = [];
	let count = 0;
	for await (const row of rows.readAllContainers(database)) {
		count += 1;
		const { id, object, size } = row;
		const opened = attempt(() => openSeal(keys, row));
		if (opened)
			sealed.push({ id, object, size: getEncryptedSize(size), sha256: opened.objectSha256 });
		else await report(id, 'its rules, owner or files were changed outside of the service');
	}
	return { count, sealed };
}

/** @returns those whose file is there, and has its size */
async function compareSizes({ storage }: Vault, sealed: SealedObject[], report: Report) {
	const sizes = new Map<string, number>();
	const names = new Set(sealed.map(({ object }) => object));
	for await (const { name, size } of storage.list()) {
		if (names.has(name)) sizes.set(name, size);
	}
	const complete: SealedObject[] = [];
	for (const container of sealed) {
		const { id, object, size } = container;
		const found = sizes.get(object);
		if (found === size) complete.push(container);
		else if (found === undefined) await report(id, `its file ${object} is missing`);
		else await report(id, `its file ${object} has ${found} bytes instead of ${size}`);
	}
	return complete;
}

async function compareContents(
	vault: Vault,
	containers: SealedObject[],
	report: Report,
	progress: Progress,
): Promise<void> {
	progress.start(containers.reduce((total, { size }) => total + size, 0));
	try {
		for (const { id, object, size, sha256 } of containers) {
			const found = await hashObject(vault, object, size, progress.advance).catch(
				(error: Error) => error,
			);
			if (found instanceof Error) {
				await report(id, `its file ${object} can't be read (${found.name}: ${found.message})`);
			} else if (sha256 !== undefined && found !== sha256) {
				await report(id, `its file ${object} isn't the one that was written`);
			}
		}
	} finally {
		progress.stop();
	}
}
