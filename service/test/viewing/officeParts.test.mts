import { examineOffice } from '../../src/operate/examineOffice.mts';
import type { Converter } from '../../src/viewing/office/converter.mts';
import { ViewingError } from '../../src/viewing/viewingError.mts';

/** @param fails nothing, or why a document with this ending isn't converted */
const createConverter = (fails: (ending: string) => Error | undefined): Converter => ({
	convert: async ({ ending }) => {
		const error = fails(ending);
		if (error) throw error;
		return await Promise.resolve(Buffer.from('%PDF-'));
	},
	findProblem: () => Promise.resolve(undefined),
	isOwn: true,
});

test('nothing is wrong where LibreOffice reads texts, sheets and slides', async () => {
	expect(await examineOffice({ office: createConverter(() => undefined) })).toEqual([]);
	expect(await examineOffice({ office: undefined })).toEqual([]);
});

test('a part of LibreOffice that is missing is named', async () => {
	const withoutCalc = createConverter((ending) =>
		ending === 'csv' ? new ViewingError('unread') : undefined,
	);
	expect(await examineOffice({ office: withoutCalc })).toEqual([
		"Office files that are sheets can't be shown: no PDF of them is made. Check that LibreOffice Calc is installed.",
	]);
});

test('a Gotenberg that fails has a log that says more', async () => {
	const failing = createConverter((ending) =>
		ending === 'fodp' ? new Error('Gotenberg answers with 500') : undefined,
	);
	expect(await examineOffice({ office: { ...failing, isOwn: false } })).toEqual([
		"Office files that are slides can't be shown: Gotenberg answers with 500. See Gotenberg's log.",
	]);
});
