import type { Config } from '../config.mts';
import { takesStream } from '../requests/clamd.mts';
import { createCommandScan } from '../requests/scanCommand.mts';
import { DEFAULTS } from '../requests/request.mts';
import { findLargestDelivery } from '../requests/requestUpkeep.mts';
import { hasDatabase, openDatabase } from '../database/open.mts';

/** @returns what is wrong with the scanner of files that come by requests, with what to do */
export async function examineScanner(config: Config): Promise<string[]> {
	const { clamdUrl, scanCommand } = config;
	if (scanCommand) return await examineCommand(scanCommand);
	return clamdUrl ? await examineClamd(config, clamdUrl) : [];
}

/** Nothing is in an empty file. */
async function examineCommand(command: string): Promise<string[]> {
	try {
		const scan = await createCommandScan(command)();
		const found = await scan.end().finally(scan.close);
		if (found === undefined) return [];
		return [
			'SCAN_COMMAND finds something in an empty file, so no files are taken: check the command.',
		];
	} catch (error) {
		const { message } = error as Error;
		return [`The scanner can't be used (${message}), so no files are taken: check SCAN_COMMAND.`];
	}
}

async function examineClamd(config: Config, clamdUrl: string): Promise<string[]> {
	const bytes = Math.min(await findLargestFile(config), config.maxUploadBytes);
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

/** Of those that requests allow. */
async function findLargestFile({ databaseUrl, folder }: Config): Promise<number> {
	if (!hasDatabase(databaseUrl, folder)) return DEFAULTS.max_bytes;
	const database = await openDatabase(databaseUrl, folder);
	return await findLargestDelivery(database).finally(async () => await database.destroy());
}
