import type { Config } from '../config.mts';
import type { Converter } from '../viewing/office/converter.mts';
import { ViewingError } from '../viewing/viewingError.mts';

const CONVERT_MS = 60_000;
const OFFICE = 'urn:oasis:names:tc:opendocument:xmlns:office:1.0';
const OUTSIDE = "See Gotenberg's log.";

/** What each part of LibreOffice reads, as small as it gets: each is a package of its own. */
const SAMPLES = [
	{ part: 'Writer', kind: 'texts', ending: 'rtf', content: String.raw`{\rtf1 A}` },
	{ part: 'Calc', kind: 'sheets', ending: 'csv', content: 'A,B\n' },
	{
		part: 'Impress',
		kind: 'slides',
		ending: 'fodp',
		content: `<?xml version="1.0"?><office:document xmlns:office="${OFFICE}" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation/></office:body></office:document>`,
	},
];

/** @returns why Office files aren't shown, with what to do */
export async function examineOffice({ office }: Pick<Config, 'office'>): Promise<string[]> {
	if (office === undefined) return [];
	const problem = await office.findProblem();
	if (problem) return [`Office files can't be shown: ${problem}`];
	const problems: string[] = [];
	for (const sample of SAMPLES) {
		const why = await examineSample(office, sample);
		if (why === undefined) continue;
		const { part, kind } = sample;
		const advice = office.isOwn ? `Check that LibreOffice ${part} is installed.` : OUTSIDE;
		problems.push(`Office files that are ${kind} can't be shown: ${why}. ${advice}`);
	}
	return problems;
}

async function examineSample(
	office: Converter,
	{ ending, content }: (typeof SAMPLES)[number],
): Promise<string | undefined> {
	async function* read() {
		yield await Promise.resolve(Buffer.from(content));
	}
	try {
		const file = { ending, content: read() };
		await office.convert(file, AbortSignal.timeout(CONVERT_MS));
		return undefined;
	} catch (error) {
		const isOfFile = error instanceof ViewingError && error.problem === 'unread';
		return isOfFile ? 'no PDF of them is made' : (error as Error).message;
	}
}
