import type { Config } from '../config.mts';
import { takesStream } from '../requests/clamd.mts';
import { findLargestDelivery } from '../requests/requestUpkeep.mts';
import { openDatabase } from '../database/open.mts';

/** @returns what is wrong with the scanner of files that come by requests, with what to do */
export async function examineScanner(config: Config): Promise<string[]> {
	const { clamdUrl, maxUploadBytes } = config;
	if (clamdUrl === undefined) return [];
	const database = await openDatabase(config.databaseUrl, config.folder);
	const largest = await findLargestDelivery(database).finally(async () => await database.destroy());
	const bytes = Math.min(largest, maxUploadBytes);
	try {
		if (await takesStream(clamdUrl, bytes)) return [];
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		return [
			`The scanner can't be used (${code ?? message}), so no files are taken: check CLAMD_URL, and that clamd runs.`,
		];
	}
	const megabytes = Math.ceil(bytes / 2 ** 20);
	return [
		`clamd refuses files of ${bytes} bytes, which requests for files allow: set StreamMaxLength to ${megabytes}M or more in clamd.conf, and MaxFileSize and MaxScanSize, too.`,
	];
}
