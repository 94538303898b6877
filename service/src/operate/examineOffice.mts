import type { Config } from '../config.mts';

/** @returns why Office files aren't shown, with what to do */
export async function examineOffice({ office }: Config): Promise<string[]> {
	const problem = await office?.findProblem();
	return problem ? [`Office files can't be shown: ${problem}`] : [];
}
