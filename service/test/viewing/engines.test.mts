import fs from 'node:fs/promises';
import { createEngineLoader } from '../../src/viewing/engines.mts';

afterEach(() => jest.restoreAllMocks());

test('an engine that failed to load is loaded when it is needed next, and only once', async () => {
	const loadEngines = createEngineLoader();
	const read = jest.spyOn(fs, 'readFile').mockRejectedValue(new Error('EMFILE'));
	await expect(loadEngines('PDF')).rejects.toThrow('EMFILE');
	read.mockRestore();
	const engines = await loadEngines('PDF');
	expect(engines.font.length).toBeGreaterThan(100_000);
	const again = await loadEngines('PDF');
	expect(again.pdfium).toBe(engines.pdfium);
	expect(again.font).toBe(engines.font);
});
