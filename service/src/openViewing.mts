import type { Config } from './config.mts';
import { SettingError } from './errors.mts';
import { withOffice } from './viewing/office/officeViewing.mts';
import { createViewing, type Viewing } from './viewing/viewing.mts';

/** @throws SettingError where LibreOffice can't be run, or could reach the network */
export async function openViewing({ office }: Config): Promise<Viewing> {
	const problem = office?.isOwn && (await office.findProblem());
	if (problem) throw new SettingError(`OFFICE can't be used: ${problem}`);
	return office ? withOffice(createViewing(), office) : createViewing();
}
